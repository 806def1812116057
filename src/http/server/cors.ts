import { LIMIT_HEADERS } from '../../contract/agent-limits.ts'
import { DAY_SECONDS } from '../../contract/durations.ts'
import {
  REPLAY_HEADER,
  REQUEST_ID_HEADER,
  VENUE_HEADER,
  VENUE_TIME_HEADER,
} from '../../contract/headers.ts'
import { requestTarget } from './request.ts'

/** The web origins that may read answers: all, or the listed origins. */
export type Origins = '*' | readonly string[]

type Area = {
  readonly prefix: string
  /** Request headers that a page may send; null if a page may only read without extra headers. */
  readonly headers: string | null
  /** The allowed readers. `listed`: only origins that are listed by name, so `*` allows no page. */
  readonly readers: 'everyone' | 'listed' | 'nobody'
}

// biome-ignore format: one area a row
const AREAS: readonly Area[] = [
  { prefix: '/api/prep/', headers: 'content-type', readers: 'everyone' },
  { prefix: '/api/swap/', headers: 'content-type', readers: 'everyone' },
  { prefix: '/api/relayer/', headers: 'content-type', readers: 'everyone' },
  { prefix: '/mcp', headers: ['authorization, content-type, mcp-protocol-version, mcp-method, mcp-name, x-account-id, x-trading-key', ...LIMIT_HEADERS].join(', '), readers: 'listed' },
  { prefix: '/api/admin', headers: null, readers: 'nobody' },
]

/** Documents, and paths that do not exist. */
const OTHER_PATHS: Area = { prefix: '', headers: null, readers: 'everyone' }

const EXPOSED = `ratelimit, ratelimit-policy, retry-after, etag, age, cache-status, ${REQUEST_ID_HEADER}, ${REPLAY_HEADER}, ${VENUE_HEADER}, ${VENUE_TIME_HEADER}`

function requestArea(request: Request): Area {
  const target = requestTarget(request.url)
  return AREAS.find(({ prefix }) => target.startsWith(prefix)) ?? OTHER_PATHS
}

/**
 * Adds the CORS headers of an answer. They are added even without an Origin, because a shared cache may reuse the
 * answer for other requests. The API has no cookies or other ambient credentials.
 */
export function corsHeaders(request: Request, origins: Origins, headers: Headers): void {
  addCorsHeaders(allowedReader(request, origins), origins, headers)
}

/** Adds the CORS headers for a reader; null if no page may read the answer. */
export function addCorsHeaders(reader: string | null, origins: Origins, headers: Headers): void {
  // A refusal also needs Vary. Without Vary, a cache would serve the refusal to an allowed origin.
  if (origins !== '*') headers.append('vary', 'origin')
  if (reader === null) return
  headers.set('access-control-allow-origin', reader)
  headers.set('access-control-expose-headers', EXPOSED)
}

function allowedReader(request: Request, origins: Origins): string | null {
  const { readers } = requestArea(request)
  if (readers === 'nobody') return null
  if (origins === '*') return readers === 'everyone' ? '*' : null
  return listedReader(request.headers, origins)
}

/** The origin that may read a public answer: `*`, or the requesting origin if it is listed; otherwise null. */
export function publicReader(requested: Pick<Headers, 'get'>, origins: Origins): string | null {
  return origins === '*' ? '*' : listedReader(requested, origins)
}

function listedReader(requested: Pick<Headers, 'get'>, listed: readonly string[]): string | null {
  const origin = requested.get('origin')
  return origin !== null && listed.includes(origin) ? origin : null
}

const PREFLIGHT_SECONDS = DAY_SECONDS

/** Whether a request is a browser's preflight. Any other OPTIONS request is routed like every method. */
export function isPreflight(request: Request): boolean {
  return request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
}

/** The 204 answer to a preflight, with the methods and headers that a page may send. `corsHeaders` adds the origin. */
export function preflight(request: Request, origins: Origins): Response {
  const headers = new Headers({ 'cache-control': 'no-store' })
  const { headers: sendable } = requestArea(request)
  if (sendable !== null && allowedReader(request, origins) !== null) {
    headers.set('access-control-allow-methods', 'GET, HEAD, POST')
    headers.set('access-control-allow-headers', sendable)
    headers.set('access-control-max-age', String(PREFLIGHT_SECONDS))
  }
  return new Response(null, { status: 204, headers })
}
