import { LIMIT_HEADERS } from '../../contract/agent-limits.ts'
import { DAY_SECONDS } from '../../contract/durations.ts'
import {
  REPLAY_HEADER,
  REQUEST_ID_HEADER,
  VENUE_HEADER,
  VENUE_TIME_HEADER,
} from '../../contract/headers.ts'
import { targetOf } from './request.ts'

/** Which web origins may read answers: everyone, or those listed. */
export type Origins = '*' | readonly string[]

type Area = {
  readonly prefix: string
  /** Request headers a page may send there; null where nothing but a plain read is granted. */
  readonly headers: string | null
  /** Where `*` does not admit everyone, only origins listed by name are admitted. */
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

/** Documents, and what does not exist. */
const OTHER_PATHS: Area = { prefix: '', headers: null, readers: 'everyone' }

const EXPOSED = `ratelimit, ratelimit-policy, retry-after, etag, age, cache-status, ${REQUEST_ID_HEADER}, ${REPLAY_HEADER}, ${VENUE_HEADER}, ${VENUE_TIME_HEADER}`

function areaOf(request: Request): Area {
  const target = targetOf(request.url)
  return AREAS.find(({ prefix }) => target.startsWith(prefix)) ?? OTHER_PATHS
}

/**
 * Adds what a browser needs to read an answer, asked for or not: a cache between keeps the answer to one request for
 * those of others. No cookie or other ambient credential exists here.
 */
export function corsHeaders(request: Request, origins: Origins, headers: Headers): void {
  grant(readerOf(request, origins), origins, headers)
}

/** The same of an answer whose reader is known. */
export function grant(reader: string | null, origins: Origins, headers: Headers): void {
  // Also where nothing is allowed: a cache would otherwise give that answer to an origin that may read it.
  if (origins !== '*') headers.append('vary', 'origin')
  if (reader === null) return
  headers.set('access-control-allow-origin', reader)
  headers.set('access-control-expose-headers', EXPOSED)
}

function readerOf(request: Request, origins: Origins): string | null {
  const { readers } = areaOf(request)
  if (readers === 'nobody') return null
  if (origins === '*') return readers === 'everyone' ? '*' : null
  return listedReader(request.headers, origins)
}

/** The origin that may read a public answer: `*`, or the one that asks where it is listed. */
export function everyReader(requested: Pick<Headers, 'get'>, origins: Origins): string | null {
  return origins === '*' ? '*' : listedReader(requested, origins)
}

function listedReader(requested: Pick<Headers, 'get'>, listed: readonly string[]): string | null {
  const origin = requested.get('origin')
  return origin !== null && listed.includes(origin) ? origin : null
}

const PREFLIGHT_SECONDS = DAY_SECONDS

/** Whether a request is a browser's preflight; any other OPTIONS is a method like the rest. */
export function isPreflight(request: Request): boolean {
  return request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
}

/** The answer to a preflight: 204, with the methods and headers that a page may send; `corsHeaders` adds the origin. */
export function preflight(request: Request, origins: Origins): Response {
  const headers = new Headers({ 'cache-control': 'no-store' })
  const { headers: sendable } = areaOf(request)
  if (sendable !== null && readerOf(request, origins) !== null) {
    headers.set('access-control-allow-methods', 'GET, HEAD, POST')
    headers.set('access-control-allow-headers', sendable)
    headers.set('access-control-max-age', String(PREFLIGHT_SECONDS))
  }
  return new Response(null, { status: 204, headers })
}
