import type { VenueKind } from '../../contract/venue/kind.ts'
import { acceptsGzip, cachedHeaders, notModified } from '../server/responses.ts'

/** Facts about the server that a page's document contains. */
export type PageFacts = {
  readonly service: string
  readonly venue: VenueKind
  /** Whether the server pushes changes, so that the page does not poll. */
  readonly live: 'on' | 'off'
}

/** The files of a page, all inside the executable: its document and the parts that the document loads. */
export type PageBundle = {
  /** The page's document. `look` is its initial content. */
  readonly document: (
    request: Request,
    facts: PageFacts,
    look?: InitialContent,
  ) => Promise<Response>
  /** A part of the page; null for an unknown name. */
  readonly part: (request: Request, name: string) => Promise<Response | null>
}

/** The initial content of a document: preload links, the body that shows until the script runs, and data. */
export type InitialContent = { readonly head: string; readonly body: string; readonly data: string }

const DOCUMENT = 'index.html'

/** Part names contain a hash of the content, so browsers may cache parts for ever. */
const IMMUTABLE_CACHE = 'public, max-age=31536000, immutable'

/** One file of a page, inside the executable. */
export type BuiltPart = {
  /** The name by which the page's other parts refer to it. */
  readonly name: string
  readonly path: string
  readonly contentType: string
  /**
   * Whether the document preloads the file, because it is needed at once. Without a preload, a script would request it
   * later.
   */
  readonly isEarly: boolean
}

/** A bundle whose parts are served under `mount`, a path that ends with a slash. Files are read on request. */
export function createBundle(parts: readonly BuiltPart[], mount: string): PageBundle {
  const assets = new Map(parts.map((part) => [part.name, part]))
  const stored = new Map<string, Stored>()

  function text({ path }: BuiltPart): Promise<string> {
    return Bun.file(path).text()
  }

  /** The document, with preload links for the modules that its scripts import. */
  async function withPreloads(part: BuiltPart): Promise<string> {
    const html = await text(part)
    const entries = [...assets.values()].filter(({ name }) =>
      html.includes(`src="${mount}${name}"`),
    )
    const scripts = await Promise.all(entries.map(text))
    const named = scripts.flatMap((script) => [...script.matchAll(/\bfrom"([^"]+\.js)"/g)])
    const early = parts.filter(({ isEarly }) => isEarly).map(({ name }) => mount + name)
    const needed = new Set([...named.map(([, href = '']) => href), ...early])
    const links = [...needed].map((href) => `<link rel="modulepreload" crossorigin href="${href}">`)
    return html.replace('</head>', `${links.join('')}</head>`)
  }

  async function kept(name: string, make: () => Promise<string>): Promise<Stored> {
    const known = stored.get(name) ?? store(await make())
    stored.set(name, known)
    return known
  }

  return {
    document: async (request, facts, look) => {
      const part = assets.get(DOCUMENT)
      if (!part) return unbuiltResponse()
      const page = await kept(part.name, async () => withFacts(await withPreloads(part), facts))
      return respond(request, look ? withInitialContent(page, look) : page, {
        'content-type': part.contentType,
        'cache-control': 'no-cache',
      })
    },
    part: async (request, name) => {
      const part = name === DOCUMENT ? undefined : assets.get(name)
      if (!part) return null
      const file = await kept(name, () => text(part))
      return respond(request, file, {
        'content-type': part.contentType,
        'cache-control': IMMUTABLE_CACHE,
      })
    },
  }
}

/** The element that the page's script renders into. */
const ROOT = '<div id="root"></div>'

/** A document with its initial content. The content changes often, so the document is compressed at a fast level. */
function withInitialContent({ bytes }: Stored, { head, body, data }: InitialContent): Stored {
  const html = new TextDecoder().decode(bytes)
  return store(
    html
      .replace('</head>', () => `${head}</head>`)
      // The data follows the visible part, so that the visible part appears first.
      .replace(ROOT, () => ROOT.replace('></', () => `>${body}</`) + data),
    1,
  )
}

type Stored = {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly gzip: Uint8Array<ArrayBuffer>
  readonly etag: string
}

function store(text: string, level: 1 | 9 = 9): Stored {
  const bytes = new TextEncoder().encode(text)
  return {
    bytes,
    gzip: Bun.gzipSync(bytes, { level }),
    etag: `"${Bun.hash(bytes).toString(36)}"`,
  }
}

function respond(
  request: Request,
  { bytes, gzip, etag }: Stored,
  headers: Readonly<Record<string, string>>,
): Response {
  const zipped = acceptsGzip(request.headers)
  const tagged = { etag, isPackable: true }
  const all = cachedHeaders(tagged, { ...headers, ...PAGE_HEADERS }, zipped ? 'gzip' : null)
  if (notModified(request.headers, etag)) return new Response(null, { status: 304, headers: all })
  return new Response(zipped ? gzip : bytes, { headers: all })
}

/** The answer when the server runs from source, where no document has been built. */
function unbuiltResponse(): Response {
  return new Response('This page is part of the executable: npm run build\n', {
    status: 503,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      ...PAGE_HEADERS,
    },
  })
}

function withFacts(html: string, { service, venue, live }: PageFacts): string {
  return html
    .replaceAll('{{service}}', Bun.escapeHTML(service))
    .replaceAll('{{venue}}', venue)
    .replaceAll('{{live}}', live)
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const FEATURES = [
  'accelerometer',
  'autoplay',
  'camera',
  'clipboard-read',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'hid',
  'identity-credentials-get',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'otp-credentials',
  'payment',
  'picture-in-picture',
  'publickey-credentials-create',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'storage-access',
  'usb',
  'window-management',
  'xr-spatial-tracking',
] as const

/** Headers for every part of a page: the page may load from and call only this server, and may use no devices. */
export const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'permissions-policy': FEATURES.map((feature) => `${feature}=()`).join(', '),
} as const
