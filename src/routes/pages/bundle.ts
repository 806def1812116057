import { acceptsGzip, cachedHeaders, notModified } from '../http/responses.ts'
import { PAGE_HEADERS } from './headers.ts'

/** What a page is told of its server in its own document. */
export type PageWords = { readonly service: string; readonly venue: 'embedded' | 'live' }

/** A page inside the executable: its document, and what the document names. */
export type PageBundle = {
  readonly document: (request: Request, words: PageWords) => Promise<Response>
  /** Null when the page has no such part. */
  readonly part: (request: Request, name: string) => Promise<Response | null>
}

/** Parts are named by their content: a name never means anything else. */
const FOREVER = 'public, max-age=31536000, immutable'

type Part = { readonly contentType: string; readonly path: string; readonly name: string }

/**
 * A bundle whose parts are served under `mount`, a path that ends with a slash. Nothing is read before it is asked for.
 * `data` are paths that the page fetches first: its document says so, and they come with the script.
 */
export function createBundle(
  { index, files = [] }: Bun.HTMLBundle,
  mount: string,
  data: readonly string[] = [],
): PageBundle {
  const parts = files.map(({ path, headers }) => ({
    path,
    name: path.slice(path.lastIndexOf('/') + 1),
    contentType: headers['content-type'] ?? 'application/octet-stream',
  }))
  const assets = new Map(
    parts.filter(({ path }) => path !== index).map((part) => [part.name, part]),
  )
  const stored = new Map<string, Stored>()

  /** The bundler names parts from the root; here they are under `mount`. */
  async function text(part: Part): Promise<string> {
    const source = await Bun.file(part.path).text()
    return [...assets.keys()].reduce(
      (told, name) => told.replaceAll(`"/${name}"`, `"${mount}${name}"`),
      source,
    )
  }

  /** A script names what it needs only once it has come: the document says so at once. */
  async function withPreloads(part: Part): Promise<string> {
    const html = await text(part)
    const entries = [...assets.values()].filter(({ name }) =>
      html.includes(`src="${mount}${name}"`),
    )
    const scripts = await Promise.all(entries.map(text))
    const needed = scripts.flatMap((script) => [...script.matchAll(/\bfrom"([^"]+\.js)"/g)])
    const links = [
      ...needed.map(([, href]) => `<link rel="modulepreload" crossorigin href="${href}">`),
      ...data.map((href) => `<link rel="preload" as="fetch" crossorigin href="${href}">`),
    ]
    return html.replace('</head>', `${links.join('')}</head>`)
  }

  async function kept(name: string, make: () => Promise<string>): Promise<Stored> {
    const known = stored.get(name) ?? store(await make())
    stored.set(name, known)
    return known
  }

  return {
    document: async (request, words) => {
      const part = parts.find(({ path }) => path === index)
      if (!part) return unbuilt()
      const page = await kept(part.name, async () => withWords(await withPreloads(part), words))
      return respond(request, page, {
        'content-type': part.contentType,
        'cache-control': 'no-cache',
      })
    },
    part: async (request, name) => {
      const part = assets.get(name)
      if (!part) return null
      const file = await kept(name, () => text(part))
      return respond(request, file, { 'content-type': part.contentType, 'cache-control': FOREVER })
    },
  }
}

type Stored = {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly gzip: Uint8Array<ArrayBuffer>
  readonly etag: string
}

function store(text: string): Stored {
  const bytes = new TextEncoder().encode(text)
  return {
    bytes,
    gzip: Bun.gzipSync(bytes, { level: 9 }),
    etag: `"${Bun.hash(bytes).toString(36)}"`,
  }
}

function respond(
  request: Request,
  { bytes, gzip, etag }: Stored,
  headers: Readonly<Record<string, string>>,
): Response {
  const zipped = acceptsGzip(request.headers.get('accept-encoding'))
  const all = cachedHeaders(etag, { ...headers, ...PAGE_HEADERS }, zipped)
  if (notModified(request.headers, etag)) return new Response(null, { status: 304, headers: all })
  return new Response(zipped ? gzip : bytes, { headers: all })
}

/** From source the document is bundled by nobody. */
function unbuilt(): Response {
  return new Response('This page is part of the executable: npm run build\n', {
    status: 503,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      ...PAGE_HEADERS,
    },
  })
}

function withWords(html: string, { service, venue }: PageWords): string {
  return html.replaceAll('{{service}}', Bun.escapeHTML(service)).replaceAll('{{venue}}', venue)
}
