import { LIMITS } from '../contract/limits.ts'
import { isPlainPath } from '../core/base-url.ts'
import { createByteBudget, utf8 } from '../core/bytes.ts'
import { createLanes, type Lane, type LaneLimits, type LaneLoad } from '../core/loop/lanes.ts'
import { currentRequest } from '../core/observing/request-context.ts'
import {
  type Upstream,
  UpstreamError,
  type UpstreamFault,
  type UpstreamRequest,
  type UpstreamResponse,
  type VenueHost,
  type World,
} from '../core/ports.ts'
import { type FetchSession, openFetchSession } from './fetch-session.ts'
import { type BodyBounds, readText } from './http-body.ts'
import {
  type Call,
  deadlineIn,
  type Exchange,
  exchangeFault,
  isJsonType,
  parseRetryAfter,
  type StreamedResponse,
  toAbortSignal,
} from './sockets/exchange.ts'
import { openPool, type PoolRules } from './sockets/pool.ts'

export type HttpUpstreamOptions = LaneLimits & {
  /** Scheme, host and port of the venue's main host. Its path is ignored, because callers sign the whole path. */
  readonly main: URL
  /** Scheme, host and port of the strategy-vault host. */
  readonly vaults: URL
  /** Whether calls to a host go through the proxy that the environment names. */
  readonly proxied: (url: URL) => boolean
  /** Maximum size of an answer in bytes, both compressed and decompressed. */
  readonly bodyMaxBytes: number
  /** Maximum nesting depth of an answer. */
  readonly bodyDepthMax: number
  /** Maximum memory in bytes, per lane, for all answers that are being read. */
  readonly bodiesMaxBytes: Readonly<Record<Lane, number>>
}

const OWN_HEADERS = {
  'user-agent': 'prepd',
  accept: 'application/json',
  'accept-encoding': 'gzip',
} as const

/**
 * The live venue over HTTP/1.1. Sends path, query and body byte for byte, and ignores redirects and cookies. Reads and
 * writes use separate kept-alive connections. A read is sent at most twice, a write once. `deadlineMs` covers the wait
 * for a slot, the exchange and the body. Throws only UpstreamError.
 */
export function httpUpstream(
  options: HttpUpstreamOptions,
): Upstream & { readonly load: (lane: Lane) => LaneLoad } {
  const lanes = createLanes('upstream', options, () => new UpstreamError('saturated', false))
  const doors = { main: openHost(options, 'main'), vaults: openHost(options, 'vaults') }
  const { bodyMaxBytes: maxBytes, bodyDepthMax: depthMax, bodiesMaxBytes } = options
  const bounds: Record<Lane, BodyBounds> = {
    read: { maxBytes, depthMax, budget: createByteBudget(bodiesMaxBytes.read) },
    write: { maxBytes, depthMax, budget: createByteBudget(bodiesMaxBytes.write) },
  }

  async function send(request: UpstreamRequest): Promise<UpstreamResponse> {
    const deadlineMs = Math.max(0, request.deadlineMs)
    // A call without an account belongs to its caller's address.
    const { host, lane, owner = currentRequest()?.limitKey } = request
    const asking = { queue: request.isReducing ? ('reducing' as const) : lane, owner }
    const { url, sessions } = doors[host]
    const call = prepare(url, request)
    const ending = deadlineIn(deadlineMs)
    try {
      const leave = lanes.take(asking) ?? (await lanes.enter(asking, deadlineMs))
      const slot = sessions[lane]()
      try {
        return await readResponse(await slot.exchange(call, ending), bounds[lane])
      } finally {
        slot.leave()
        leave()
      }
    } catch (error) {
      throw exchangeFault(error, ending)
    } finally {
      ending.clear()
    }
  }

  return { send, load: lanes.load }
}

function openHost({ proxied, ...options }: HttpUpstreamOptions, host: VenueHost) {
  const url = options[host]
  return { url, sessions: openSessions(url, proxied(url)) }
}

function prepare(url: URL, request: UpstreamRequest): Call {
  const { method, path, body = '' } = request
  try {
    // A URL parser may not change the path, because its bytes are signed. A lone surrogate has no UTF-8 form.
    if (!isExact(url, path) || !body.isWellFormed()) throw new TypeError('not exact')
    const headers = sentHeaders(request)
    // For a string body, fetch would add a content type of its own.
    return { url, target: path, method, headers, body: body === '' ? null : utf8(body) }
  } catch (error) {
    throw new UpstreamError('unreachable', false, { cause: error })
  }
}

function isExact({ origin }: URL, path: string): boolean {
  if (isPlainPath(path)) return true
  const { pathname, search } = new URL(origin + path)
  return pathname + search === path
}

/** A header name is a lower-case token. A header value has visible characters, with spaces only between them. */
const NAME = /^[a-z0-9_!#$%&'*+.^`|~-]+$/
const VALUE = /^[\x21-\x7e]+(?:[\t ]+[\x21-\x7e]+)*$/

function sentHeaders(request: UpstreamRequest): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(request.headers)) {
    if (!NAME.test(name) || !VALUE.test(value)) throw new TypeError('no header')
  }
  return { ...OWN_HEADERS, ...request.headers }
}

async function readResponse(
  response: StreamedResponse,
  bounds: BodyBounds,
): Promise<UpstreamResponse> {
  const { status, headers } = response
  const contentType = headers.get('content-type') ?? ''
  if (status >= 300 && status < 400) return refuse(response, 'redirect')
  // A 429 may have a body of any type, because load balancers rarely send JSON.
  if (status !== 429 && !isJsonType(contentType)) return refuse(response, 'content_type')
  const body = await readText(response, bounds)
  if (status >= 200 && status < 300 && body === '') throw new UpstreamError('content_type', true)
  const wait = headers.get('retry-after')
  const answer = { status, contentType, body }
  return wait === null ? answer : { ...answer, ...parseRetryAfter(wait) }
}

async function refuse(response: StreamedResponse, fault: UpstreamFault): Promise<never> {
  if (response.body && 'cancel' in response.body) await response.body.cancel()
  throw new UpstreamError(fault, true)
}

/** A connection for one call. `leave` releases the connection. */
type CallConnection = { readonly exchange: Exchange; readonly leave: () => void }

/** Connections to one host. */
type Sessions = {
  /** The most recently used free connection. If it turns out dead, its request is sent once more. */
  readonly read: () => CallConnection
  /** A kept-alive connection for writes; behind a proxy, a new connection per call. Its request is sent once. */
  readonly write: () => CallConnection
}

/**
 * Prepares connections to a host without opening one. `proxied`: a proxy stands in front of the host; only fetch
 * supports proxies.
 */
function openSessions(url: URL, proxied: boolean): Sessions {
  if (proxied) return proxiedSessions(url)
  const openingMax = LIMITS.upstreamOpeningMax
  const slotIn = (rules: Omit<PoolRules, 'openingMax'>) => {
    const slot = { exchange: openPool(url, { ...rules, openingMax }), leave: () => undefined }
    return () => slot
  }
  return {
    read: slotIn({ idleMs: LIMITS.upstreamReadIdleMs, resends: true }),
    write: slotIn({ idleMs: LIMITS.upstreamWriteIdleMs, resends: false }),
  }
}

/**
 * Connections through a proxy. The runtime resends a read once for every dead connection in a session's pool. So each
 * read connection has a separate session, and a read is sent at most twice.
 */
function proxiedSessions(url: URL): Sessions {
  const idleTimeout = LIMITS.upstreamReadIdleMs / 1000
  const free: FetchSession[] = []
  const open = () => openFetchSession(url, { keepAlive: { idleTimeout, maxIdleSockets: 1 } })
  const write = fetchedBy(openFetchSession(url, { keepAlive: false }))
  return {
    read: () => {
      const session = free.pop() ?? open()
      return { exchange: fetchedBy(session), leave: () => free.push(session) }
    },
    write: () => ({ exchange: write, leave: () => undefined }),
  }
}

function fetchedBy({ fetch }: FetchSession): Exchange {
  return ({ url, target, method, headers, body }, ending) =>
    fetch(url.origin + target, {
      ...{ method, headers, signal: toAbortSignal(ending), redirect: 'manual', decompress: false },
      ...(body && { body }),
    })
}

/** Limits for calls to a live venue. */
export function upstreamBounds({ proxied = () => false, monotonicMs }: World) {
  return {
    proxied,
    concurrentMax: LIMITS.upstreamConcurrentMax,
    writeReserved: LIMITS.upstreamWriteReserved,
    reducingReserved: LIMITS.upstreamReducingReserved,
    shares: LIMITS.upstreamShares,
    queuedMax: { read: LIMITS.upstreamReadQueuedMax, write: LIMITS.upstreamWriteQueuedMax },
    elapsedMs: monotonicMs,
    bodyMaxBytes: LIMITS.upstreamBodyMaxBytes,
    bodyDepthMax: LIMITS.scrubDepthMax,
    bodiesMaxBytes: {
      read: LIMITS.upstreamReadBodiesMaxBytes,
      write: LIMITS.upstreamWriteBodiesMaxBytes,
    },
  }
}
