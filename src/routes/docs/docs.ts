import type { ElysiaSwaggerConfig } from '@elysiajs/swagger'
import { Elysia } from 'elysia'
import stylePath from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import bundlePath from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { Failure } from '../../core/failure.ts'
import { inTurns, turn } from '../../core/loop/guarded.ts'
import { admit } from '../../limits/admission.ts'
import icon from '../../page/common/favicon.svg' with { type: 'text' }
import { type Encoding, packed } from '../../scrub/reply.ts'
import { DAY_SECONDS } from '../../spec/durations.ts'
import { NOBODY } from '../../spec/reference/examples.ts'
import { encodingOf } from '../http/encoding.ts'
import type { Entrance } from '../http/endpoints.ts'
import { SAMPLES, SAMPLES_PATH } from './guide.ts'
import { PAGE, startScript } from './page.ts'
import { PRACTISED_ROUTES, type Practice, type PracticeDeps } from './practice.ts'

const DOCUMENT_PATH = '/swagger/json'
const STREAMS_PATH = '/swagger/streams.json'
const ASSET_SECONDS = DAY_SECONDS

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"

type DocsParts = Pick<Entrance, 'callers' | 'limiter'> & {
  readonly serviceName: string
  readonly version: string
  /** What an account to practise with is opened by; null on a live venue. */
  readonly practice: PracticeDeps | null
}

/** The OpenAPI document and its page, with every asset inside the binary. */
export const docs = (parts: DocsParts) => {
  const practice = lazyPractice(parts.practice)
  const document = lazyDocument(parts, practice)
  const streams = lazyStreams(parts)
  return new Elysia({ name: 'routes.docs' })
    .get('/swagger', () => page(PAGE, 'text/html; charset=utf-8'))
    .get('/swagger/start.js', () =>
      page(startScript(DOCUMENT_PATH, parts.practice !== null), 'text/javascript; charset=utf-8'),
    )
    .get(`${SAMPLES_PATH}:file`, ({ params: { file } }) => sample(file))
    .get('/swagger/favicon.svg', () => page(icon, 'image/svg+xml'))
    .post('/swagger/practice/:id', ({ request, params: { id } }) =>
      practiceBody(parts, request, id, practice),
    )
    .get('/swagger/bundle.js', ({ request }) =>
      asset(request, bundlePath, 'text/javascript; charset=utf-8'),
    )
    .get('/swagger/style.css', ({ request }) =>
      asset(request, stylePath, 'text/css; charset=utf-8'),
    )
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

const assets = new Map<string, Document>()

async function asset(request: Request, path: string, contentType: string): Promise<Response> {
  const known =
    assets.get(path) ?? documentOf(await Bun.file(path).bytes(), assetHeaders(contentType))
  assets.set(path, known)
  return known(request)
}

function assetHeaders(contentType: string): Record<string, string> {
  return { 'content-type': contentType, 'cache-control': `public, max-age=${ASSET_SECONDS}` }
}

type OpenedPractice = () => Promise<Practice | null>

/** One account a process, opened when somebody first reads the reference. */
function lazyPractice(deps: PracticeDeps | null): OpenedPractice {
  let opening: Promise<Practice> | null = null
  return async () => {
    if (!deps) return null
    opening ??= import('./practice.ts').then(({ openPractice }) => openPractice(deps))
    return opening.catch((error: unknown) => {
      // The next reader tries again.
      opening = null
      throw error
    })
  }
}

/** A body that is signed now, in place of the example that nobody has changed. */
async function practiceBody(
  { limiter, callers }: DocsParts,
  request: Request,
  id: string,
  practice: OpenedPractice,
): Promise<Response> {
  await admit(limiter, 'write', callers.of(request).limitKey)
  const body = PRACTISED_ROUTES.find((known) => known === id)
  const opened = body && (await practice())
  if (!opened) throw new Failure('not_found')
  return Response.json(await opened.bodies[body](), { headers: { 'cache-control': 'no-store' } })
}

function lazyStreams(parts: { readonly serviceName: string; readonly version: string }) {
  return lazily(async () => {
    const { asyncApiDocument } = await import('./asyncapi.ts')
    return new TextEncoder().encode(JSON.stringify(asyncApiDocument(parts)))
  })
}

/** A document that is made for the first who asks for it; where that fails, the next one tries again. */
function lazily(make: () => Promise<Uint8Array<ArrayBuffer>>) {
  let ready: Promise<Document> | null = null
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache' }
  return async (request: Request): Promise<Response> => {
    ready ??= make().then((bytes) => documentOf(bytes, headers))
    try {
      return (await ready)(request)
    } catch (error) {
      ready = null
      throw error
    }
  }
}

// The plugin and the document cost milliseconds nobody should pay at start.
function lazyDocument(parts: DocsParts, practice: OpenedPractice) {
  return lazily(async () => {
    const { openApiSteps } = await import('./openapi.ts')
    const { bodiesOf } = await import('./practice.ts')
    const opened = await practice()
    await turn()
    const bodies = await bodiesOf(opened)
    await turn()
    const practised = opened?.practised ?? NOBODY
    const documentation = await inTurns(openApiSteps({ ...parts, practised, bodies }))
    const { swagger } = await import('@elysiajs/swagger')
    await turn()
    const plugin = new Elysia({ name: 'routes.openapi' }).use(
      swagger({
        path: '/swagger/unused',
        specPath: DOCUMENT_PATH,
        exclude: [/./],
        // The plugin's type knows OpenAPI 3.0 only; it passes 3.1 through as it is.
        documentation: documentation as NonNullable<ElysiaSwaggerConfig['documentation']>,
      }),
    )
    await turn()
    const response = await plugin.handle(new Request(`http://localhost${DOCUMENT_PATH}`))
    if (!response.ok) throw new Failure('internal')
    return new Uint8Array(await response.arrayBuffer())
  })
}

/** Answers with the same bytes as long as this process runs, packed for whoever takes that. */
type Document = (request: Request) => Response

/** A document of these bytes and headers; each encoding is made when it is first asked for. */
function documentOf(
  bytes: Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>>,
): Document {
  const forms = new Map<Encoding, Uint8Array<ArrayBuffer> | null>()

  function packedAs(encoding: Encoding): Uint8Array<ArrayBuffer> | null {
    const known = forms.get(encoding)
    if (known !== undefined) return known
    const made = packed(bytes, encoding, 'many')
    forms.set(encoding, made)
    return made
  }

  return ({ headers: requested }) => {
    const liked = encodingOf(requested)
    const shorter = liked && packedAs(liked)
    const encoding = shorter && liked ? { 'content-encoding': liked } : {}
    return new Response(shorter ?? bytes, {
      headers: { ...headers, vary: 'accept-encoding', ...encoding },
    })
  }
}
