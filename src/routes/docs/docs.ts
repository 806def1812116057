import type { ElysiaSwaggerConfig } from '@elysiajs/swagger'
import { Elysia } from 'elysia'
import stylePath from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import bundlePath from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { DAY_SECONDS } from '../../spec/durations.ts'
import { acceptsGzip, failureResponse } from '../http/responses.ts'
import { openApiDocument } from './openapi.ts'

const DOCUMENT_PATH = '/swagger/json'
const STREAMS_PATH = '/swagger/streams.json'
const ASSET_SECONDS = DAY_SECONDS

// Everything the page loads comes from this server: it has to work with no network.
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference</title>
<link rel="stylesheet" href="/swagger/style.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/swagger/bundle.js"></script>
<script src="/swagger/start.js"></script>
</body>
</html>
`

const START = `SwaggerUIBundle({ url: '${DOCUMENT_PATH}', dom_id: '#swagger-ui', validatorUrl: null, docExpansion: 'none' })
`

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"

/** The OpenAPI document and its page, with every asset inside the binary. */
export const docs = (parts: { readonly serviceName: string; readonly version: string }) => {
  const document = lazyDocument(parts)
  const streams = lazyStreams(parts)
  return new Elysia({ name: 'routes.docs' })
    .get('/swagger', () => page(PAGE, 'text/html; charset=utf-8'))
    .get('/swagger/start.js', () => page(START, 'text/javascript; charset=utf-8'))
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
function lazyDocument(parts: { readonly serviceName: string; readonly version: string }) {
  let ready: Promise<(request: Request) => Promise<Response>> | undefined
  async function load() {
    const { swagger } = await import('@elysiajs/swagger')
    const plugin = new Elysia({ name: 'routes.openapi' })
      .onError(({ error }) => failureResponse(error))
      .use(
        swagger({
          path: '/swagger/unused',
          specPath: DOCUMENT_PATH,
          exclude: [/./],
          // The plugin's type knows OpenAPI 3.0 only; it passes 3.1 through as it is.
          documentation: openApiDocument(parts) as NonNullable<
            ElysiaSwaggerConfig['documentation']
          >,
        }),
      )
    return async (request: Request) => plugin.handle(request)
  }
  return async (request: Request): Promise<Response> => {
    ready ??= load()
    return (await ready)(request)
  }
}
