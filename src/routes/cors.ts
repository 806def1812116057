/** Which web origins may read answers: everyone, or those listed. */
export type Origins = '*' | readonly string[]

const EXPOSED =
  'ratelimit, ratelimit-policy, retry-after, etag, age, cache-status, x-request-id, x-prepd-replay, x-prepd-venue'

const OPEN_PATHS = ['/api/prep/', '/api/swap/', '/api/relayer/'] as const

function isOpen(target: string): boolean {
  return OPEN_PATHS.some((prefix) => target.startsWith(prefix))
}

/** Adds what a browser needs to read an answer. No cookie or other ambient credential exists here. */
export function corsHeaders(request: Request, origins: Origins, headers: Headers): void {
  const origin = request.headers.get('origin')
  if (origin === null && origins === '*') return
  const start = request.url.indexOf('/', 'http://'.length)
  if (!isOpen(request.url.slice(start))) return
  // Also where nothing is allowed: a cache would otherwise give that answer to an origin that may read it.
  if (origins !== '*') headers.append('vary', 'origin')
  const allowed = origin === null ? null : allowedOrigin(origin, origins)
  if (allowed === null) return
  headers.set('access-control-allow-origin', allowed)
  headers.set('access-control-expose-headers', EXPOSED)
}

function allowedOrigin(origin: string, origins: Origins): string | null {
  if (origins === '*') return '*'
  return origins.includes(origin) ? origin : null
}

const PREFLIGHT_SECONDS = 86_400

/** Answers OPTIONS: 204, with the permissions a preflight asks for on the open paths. */
export function preflight(request: Request, target: string, origins: Origins): Response {
  const headers = new Headers({ allow: 'GET, HEAD, POST, OPTIONS', 'cache-control': 'no-store' })
  const origin = request.headers.get('origin')
  const asked = request.headers.has('access-control-request-method')
  if (origin !== null && asked && isOpen(target) && allowedOrigin(origin, origins) !== null) {
    headers.set('access-control-allow-methods', 'GET, HEAD, POST')
    headers.set('access-control-allow-headers', 'content-type')
    headers.set('access-control-max-age', String(PREFLIGHT_SECONDS))
  }
  return new Response(null, { status: 204, headers })
}
