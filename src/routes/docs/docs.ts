import type { ElysiaSwaggerConfig } from '@elysiajs/swagger'
import { Elysia } from 'elysia'
import stylePath from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import bundlePath from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { Failure } from '../../core/failure.ts'
import { admit } from '../../limits/admission.ts'
import icon from '../../page/common/favicon.svg' with { type: 'text' }
import { DAY_SECONDS } from '../../spec/durations.ts'
import { NOBODY } from '../../spec/reference/examples.ts'
import { acceptsGzip, failureResponse } from '../http/responses.ts'
import type { Entrance } from '../verbs.ts'
import { bodiesOf } from './bodies.ts'
import { openApiDocument } from './openapi.ts'
import { PAGE, startScript } from './page.ts'
import { PRACTISED_ROUTES, type Practice, type PracticeDeps } from './practice.ts'
import { SAMPLES, SAMPLES_PATH } from './samples.ts'

const DOCUMENT_PATH = '/swagger/json'
const STREAMS_PATH = '/swagger/streams.json'
const ASSET_SECONDS = DAY_SECONDS

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"

export type DocsParts = Pick<Entrance, 'callers' | 'limiter'> & {
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
    .get(STREAMS_PATH, () => streams())
    .get(DOCUMENT_PATH, async ({ request }) => document(request))
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

const gzipped = new Map<string, Uint8Array<ArrayBuffer>>()

async function asset(request: Request, path: string, contentType: string): Promise<Response> {
  const headers = {
    'content-type': contentType,
    'cache-control': `public, max-age=${ASSET_SECONDS}`,
    vary: 'accept-encoding',
  }
  if (!acceptsGzip(request.headers)) return new Response(Bun.file(path), { headers })
  const known = gzipped.get(path) ?? Bun.gzipSync(await Bun.file(path).bytes())
  gzipped.set(path, known)
  return new Response(known, { headers: { ...headers, 'content-encoding': 'gzip' } })
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
  let body: string | undefined
  return async (): Promise<Response> => {
    const { asyncApiDocument } = await import('./asyncapi.ts')
    body ??= JSON.stringify(asyncApiDocument(parts))
    return new Response(body, {
      headers: { 'content-type': 'application/json', 'cache-control': 'no-cache' },
    })
  }
}

// The plugin and the document cost milliseconds nobody should pay at start.
function lazyDocument(parts: DocsParts, practice: OpenedPractice) {
  let ready: Promise<(request: Request) => Promise<Response>> | undefined
  async function load() {
    const { swagger } = await import('@elysiajs/swagger')
    const opened = await practice()
    const plugin = new Elysia({ name: 'routes.openapi' })
      .onError(({ error }) => failureResponse(error))
      .use(
        swagger({
          path: '/swagger/unused',
          specPath: DOCUMENT_PATH,
          exclude: [/./],
          // The plugin's type knows OpenAPI 3.0 only; it passes 3.1 through as it is.
          documentation: openApiDocument({
            ...parts,
            practised: opened?.practised ?? NOBODY,
            bodies: await bodiesOf(opened),
          }) as NonNullable<ElysiaSwaggerConfig['documentation']>,
        }),
      )
    return async (request: Request) => plugin.handle(request)
  }
  return async (request: Request): Promise<Response> => {
    ready ??= load()
    return (await ready)(request)
  }
}
