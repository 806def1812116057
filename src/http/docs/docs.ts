import { type ElysiaSwaggerConfig, swagger } from '@elysiajs/swagger'
import { Elysia } from 'elysia'
import stylePath from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import bundlePath from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { DAY_SECONDS } from '../../contract/durations.ts'
import { PLACEHOLDER_VALUES } from '../../contract/reference/examples.ts'
import { Failure } from '../../core/failure.ts'
import { once } from '../../core/loop/once.ts'
import { optionalValue } from '../../core/query.ts'
import { admit } from '../../gateway/limits/admission.ts'
import { compressedBytes, type Encoding } from '../../gateway/scrub/reply.ts'
import icon from '../../pages/common/favicon.svg' with { type: 'text' }
import { type RouteAccess, requestQuery } from '../server/endpoints.ts'
import { preferredEncoding } from '../server/responses.ts'
import { asyncApiDocument } from './asyncapi.ts'
import {
  DOCUMENTS_PATH,
  documentPage,
  documentSearchPage,
  documentsList,
  documentsPage,
  documentText,
  SEARCH_MAX_CHARS,
} from './documents.ts'
import { SAMPLES, SAMPLES_PATH } from './guide.ts'
import { openApiDocument } from './openapi.ts'
import {
  DISABLE_ENDLESS_ROUTES,
  PAGE_STYLE,
  REFERENCE_PAGE,
  STREAMS_SCRIPT,
  streamsPage,
} from './pages.ts'
import {
  EXAMPLE_BODY_ROUTES,
  exampleBodies,
  openPractice,
  type PracticeAccess,
  type PracticeSigner,
} from './practice.ts'

const DOCUMENT_PATH = '/swagger/json'
const STREAMS_PATH = '/swagger/streams.json'
const ASSET_SECONDS = DAY_SECONDS

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"

type DocsOptions = Pick<RouteAccess, 'callers' | 'limiter'> & {
  readonly serviceName: string
  readonly version: string
  /** Opens a practice account; null on a live venue. */
  readonly practice: PracticeAccess | null
}

/** Routes for the OpenAPI document and its page. Every asset is inside the executable. */
export const docs = (parts: DocsOptions) => {
  const { get: practice } = once(async () => parts.practice && openPractice(parts.practice))
  const document = lazyDocument(() => openApiBytes(parts, practice))
  const streams = lazyDocument(() => streamsBytes(parts))
  const bundle = assetDocument(bundlePath, 'text/javascript; charset=utf-8')
  const style = assetDocument(stylePath, 'text/css; charset=utf-8')
  return new Elysia({ name: 'routes.docs' })
    .get('/swagger', () => page(REFERENCE_PAGE, 'text/html; charset=utf-8'))
    .get('/swagger/streams', () => page(streamsPage(), 'text/html; charset=utf-8'))
    .get('/swagger/streams.js', () => page(STREAMS_SCRIPT, 'text/javascript; charset=utf-8'))
    .get('/swagger/page.css', () => page(PAGE_STYLE, 'text/css; charset=utf-8'))
    .get('/swagger/start.js', () =>
      page(startScript(parts.practice !== null), 'text/javascript; charset=utf-8'),
    )
    .get(`${SAMPLES_PATH}:file`, ({ params: { file } }) => sample(file))
    .get('/llms.txt', () =>
      page(documentsList(parts.serviceName, parts.version), 'text/plain; charset=utf-8'),
    )
    .get(DOCUMENTS_PATH, ({ request }) => documentsOrSearch(request))
    .get(`${DOCUMENTS_PATH}/:name`, ({ params: { name } }) => servedDocument(name))
    .get('/swagger/favicon.svg', () => page(icon, 'image/svg+xml'))
    .post('/swagger/practice/:id', ({ request, params: { id } }) =>
      practiceBody(parts, request, id, practice),
    )
    .get('/swagger/bundle.js', ({ request }) => bundle(request))
    .get('/swagger/style.css', ({ request }) => style(request))
    .get(STREAMS_PATH, ({ request }) => streams(request))
    .get(DOCUMENT_PATH, ({ request }) => document(request))
}

function page(text: string, contentType: string): Response {
  return new Response(text, {
    headers: {
      'content-type': contentType,
      'content-security-policy': POLICY,
      'cache-control': 'no-cache',
    },
  })
}

function sample(file: string): Response {
  const found = SAMPLES.get(file)
  if (!found) throw new Failure('not_found', { reason: 'unknown_route' })
  return page(found.text, 'text/plain; charset=utf-8')
}

/**
 * The list of documents; with `?q=`, the sections that contain words of the query. Throws invalid_request for an
 * invalid `q`.
 */
async function documentsOrSearch(request: Request): Promise<Response> {
  const words = optionalValue(requestQuery(request), 'q', SEARCH_MAX_CHARS)?.trim()
  const html = words ? await documentSearchPage(words) : documentsPage()
  return page(html, 'text/html; charset=utf-8')
}

/** A document of this version: Markdown for `NAME.md`, a page for `NAME`. */
function servedDocument(name: string): Response {
  const isMarkdown = name.endsWith('.md')
  const text = isMarkdown ? documentText(name.slice(0, -3)) : documentPage(name)
  if (text === null) throw new Failure('not_found', { reason: 'unknown_route' })
  return page(text, `text/${isMarkdown ? 'markdown' : 'html'}; charset=utf-8`)
}

/**
 * An asset that is read from the executable for each request. build/packed.ts has compressed it there; outside an
 * executable it is a plain file. It is decompressed asynchronously, so that other requests do not wait for it.
 */
function assetDocument(path: string, contentType: string): Document {
  const stored = () => Bun.file(path).bytes()
  const read = async () => {
    const bytes = await stored()
    return isGzip(bytes) ? unpackedBytes(bytes) : bytes
  }
  const readGzip = async () => {
    const bytes = await stored()
    return isGzip(bytes) ? bytes : null
  }
  return createDocument(read, assetHeaders(contentType), readGzip)
}

async function unpackedBytes(bytes: Bytes): Promise<Bytes> {
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Uint8Array(await new Response(unpacked).arrayBuffer())
}

function isGzip(bytes: Bytes): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

function assetHeaders(contentType: string): Record<string, string> {
  return { 'content-type': contentType, 'cache-control': `public, max-age=${ASSET_SECONDS}` }
}

/** Opens this process's practice account for the first reader of the reference page. Returns null on a live venue. */
type OpenedPractice = () => Promise<PracticeSigner | null>

/** A freshly signed body, with which the page replaces an example that the reader has not edited. */
async function practiceBody(
  { limiter, callers }: DocsOptions,
  request: Request,
  id: string,
  practice: OpenedPractice,
): Promise<Response> {
  await admit(limiter, 'write', callers.of(request).limitKey)
  const body = EXAMPLE_BODY_ROUTES.find((known) => known === id)
  const opened = body && (await practice())
  if (!opened) throw new Failure('not_found')
  return Response.json(await opened.bodies[body](), { headers: { 'cache-control': 'no-store' } })
}

/** A JSON document that is generated for its first reader. After a failure, the next reader generates it again. */
function lazyDocument(make: () => Promise<Bytes>): Document {
  return createDocument(once(make).get, {
    'content-type': 'application/json',
    'cache-control': 'no-cache',
  })
}

async function streamsBytes(parts: DocsOptions): Promise<Bytes> {
  return new TextEncoder().encode(JSON.stringify(asyncApiDocument(parts)))
}

async function openApiBytes(parts: DocsOptions, practice: OpenedPractice): Promise<Bytes> {
  const opened = await practice()
  const practised = opened?.practised ?? PLACEHOLDER_VALUES
  const documentation = openApiDocument({
    ...parts,
    practised,
    bodies: await exampleBodies(opened),
  })
  const plugin = new Elysia({ name: 'routes.openapi' }).use(
    swagger({
      path: '/swagger/unused',
      specPath: DOCUMENT_PATH,
      exclude: [/./],
      // The plugin's type covers OpenAPI 3.0 only, but the plugin passes a 3.1 document through unchanged.
      documentation: documentation as NonNullable<ElysiaSwaggerConfig['documentation']>,
    }),
  )
  const response = await plugin.handle(new Request(`http://localhost${DOCUMENT_PATH}`))
  if (!response.ok) throw new Failure('internal')
  return new Uint8Array(await response.arrayBuffer())
}

type Bytes = Uint8Array<ArrayBuffer>

/** Answers with the same bytes during the life of this process, compressed if the reader accepts compression. */
type Document = (request: Request) => Promise<Response>

/**
 * A document with the bytes that `read` returns. Keeps compressed forms only, each made for its first reader.
 * `readGzip` returns an existing gzip form, or null.
 */
function createDocument(
  read: () => Promise<Bytes>,
  headers: Readonly<Record<string, string>>,
  readGzip: () => Promise<Bytes | null> = async () => null,
): Document {
  const forms = new Map<Encoding, Bytes | null>()

  async function packedAs(encoding: Encoding): Promise<Bytes | null> {
    const known = forms.get(encoding)
    if (known !== undefined) return known
    const existing = encoding === 'gzip' ? await readGzip() : null
    const made = existing ?? compressedBytes(await read(), encoding, 'many')
    forms.set(encoding, made)
    return made
  }

  return async ({ headers: requested }) => {
    const liked = preferredEncoding(requested)
    const shorter = liked && (await packedAs(liked))
    const encoding = shorter && liked ? { 'content-encoding': liked } : {}
    return new Response(shorter ?? (await read()), {
      headers: { ...headers, vary: 'accept-encoding', ...encoding },
    })
  }
}

/**
 * The script that starts the page: groups collapsed, a search field, the system's colours. On an embedded venue, the
 * script signs an unedited example again before sending, since the example's signature may be too old.
 */
function startScript(practises: boolean): string {
  return `const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', paint)
paint()
${practises ? PRACTICE_SCRIPT : ''}SwaggerUIBundle({
  url: '${DOCUMENT_PATH}',
  dom_id: '#swagger-ui',
  validatorUrl: null,
  docExpansion: 'none',
  filter: true,
  tryItOutEnabled: true,
  plugins: [${DISABLE_ENDLESS_ROUTES}],
  defaultModelsExpandDepth: -1,
${practises ? '  requestInterceptor: renewed,\n  responseInterceptor: remembered,\n' : ''}})
`
}

const PRACTICE_SCRIPT = `const practised = ${JSON.stringify(EXAMPLE_BODY_ROUTES)}
const examples = new Map()
const remembered = (response) => {
  if (!response.url.endsWith('/swagger/json')) return response
  for (const [path, item] of Object.entries(response.body?.paths ?? {}))
    if (practised.includes(item.post?.operationId)) {
      const { example } = item.post.requestBody.content['application/json']
      examples.set(path, { id: item.post.operationId, text: JSON.stringify(example) })
    }
  return response
}
const renewed = async (request) => {
  const example = examples.get(new URL(request.url, location.href).pathname)
  if (!example || !request.body || JSON.stringify(JSON.parse(request.body)) !== example.text) return request
  const fresh = await fetch('/swagger/practice/' + example.id, { method: 'POST' })
  return fresh.ok ? { ...request, body: await fresh.text() } : request
}
`
