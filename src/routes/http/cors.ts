import { DAY_SECONDS } from '../../spec/durations.ts'
import { targetOf } from './target.ts'

/** Which web origins may read answers: everyone, or those listed. */
export type Origins = '*' | readonly string[]

type Area = {
  readonly prefix: string
  /** Request headers a page may send there. */
  readonly headers: string
  /** Whether `*` admits everyone; where it does not, only origins listed by name are admitted. */
  readonly everyone: boolean
}

// biome-ignore format: one area a row
const AREAS: readonly Area[] = [
  { prefix: '/api/prep/', headers: 'content-type', everyone: true },
  { prefix: '/api/swap/', headers: 'content-type', everyone: true },
  { prefix: '/api/relayer/', headers: 'content-type', everyone: true },
  { prefix: '/mcp', headers: 'authorization, content-type, mcp-protocol-version, mcp-method, mcp-name, x-account-id, x-trading-key, x-max-order-usdc, x-allowed-symbols, x-read-only', everyone: false },
]

const EXPOSED =
  'ratelimit, ratelimit-policy, retry-after, etag, age, cache-status, x-request-id, x-prepd-replay, x-prepd-venue'

function areaOf(request: Request): Area | undefined {
  const target = targetOf(request.url)
  return AREAS.find(({ prefix }) => target.startsWith(prefix))
}

/** Adds what a browser needs to read an answer. No cookie or other ambient credential exists here. */
export function corsHeaders(request: Request, origins: Origins, headers: Headers): void {
  const origin = request.headers.get('origin')
  if (origin === null && origins === '*') return
  const area = areaOf(request)
  if (!area) return
  // Also where nothing is allowed: a cache would otherwise give that answer to an origin that may read it.
  if (origins !== '*') headers.append('vary', 'origin')
  const allowed = allowedOrigin(origin, origins, area)
  if (allowed === null) return
  headers.set('access-control-allow-origin', allowed)
  headers.set('access-control-expose-headers', EXPOSED)
}

function allowedOrigin(origin: string | null, origins: Origins, { everyone }: Area): string | null {
  if (origin === null) return null
  if (origins === '*') return everyone ? '*' : null
  return origins.includes(origin) ? origin : null
}

const PREFLIGHT_SECONDS = DAY_SECONDS

/** Whether a browser asks what a page may send; any other OPTIONS is a method like the rest. */
export function isPreflight(request: Request): boolean {
  return request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
}

/** Answers a preflight: 204, with what the page may send; `corsHeaders` adds the origin. */
export function preflight(request: Request, origins: Origins): Response {
  const headers = new Headers({ 'cache-control': 'no-store' })
  const area = areaOf(request)
  if (area && allowedOrigin(request.headers.get('origin'), origins, area) !== null) {
    headers.set('access-control-allow-methods', 'GET, HEAD, POST')
    headers.set('access-control-allow-headers', area.headers)
    headers.set('access-control-max-age', String(PREFLIGHT_SECONDS))
  }
  return new Response(null, { status: 204, headers })
}
