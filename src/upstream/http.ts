import { createByteBudget } from '../core/byte-budget.ts'
import {
  type Upstream,
  UpstreamError,
  type UpstreamFault,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../core/ports.ts'
import { isJsonType, retryAfterOf } from './answer-head.ts'
import { exchangeFault } from './exchange-faults.ts'
import { type BodyBounds, readText } from './http-body.ts'
import { createLanes, type Lane, type LaneLoad } from './lanes.ts'
import { openSessions } from './sessions.ts'

export type HttpUpstreamOptions = {
  /** Scheme, host and port of the venue's main host. A base URL's own path is not used: callers sign the whole path. */
  readonly main: URL
  /** The same of the strategy-vault host. */
  readonly vaults: URL
  /** Most calls in flight at once; Bun's own client queues silently above 256. */
  readonly concurrentMax: number
  /** Slots among them that only writes may take. */
  readonly writeReserved: number
  /** Most calls waiting for a slot, each lane. */
  readonly queuedMax: Readonly<Record<Lane, number>>
  /** Largest answer read, both as it came and unpacked. */
  readonly bodyMaxBytes: number
  /** Deepest nesting of an answer. */
  readonly bodyDepthMax: number
  /** What all answers being read may take together, each lane. */
  readonly bodiesMaxBytes: Readonly<Record<Lane, number>>
}

const OWN_HEADERS = {
  'user-agent': 'prepd',
  accept: 'application/json',
  'accept-encoding': 'gzip',
} as const

/** A call that had to wait for a slot still has half its deadline to be answered in. */
const QUEUE_SHARE = 0.5

/**
 * The live venue over HTTP/1.1: path, query and body go out byte for byte, no redirect is followed, no cookie kept.
 * Reads keep connections, and go out twice at most; every write has one of its own, so nothing can send it twice.
 * `deadlineMs` covers waiting for a slot, the exchange and the body. Throws UpstreamError and nothing else.
 */
export function httpUpstream(
  options: HttpUpstreamOptions,
): Upstream & { readonly load: (lane: Lane) => LaneLoad } {
  const lanes = createLanes(options)
  const doors = { main: openDoor(options.main), vaults: openDoor(options.vaults) }
  const { bodyMaxBytes: maxBytes, bodyDepthMax: depthMax, bodiesMaxBytes } = options
  const bounds: Record<Lane, BodyBounds> = {
    read: { maxBytes, depthMax, budget: createByteBudget(bodiesMaxBytes.read) },
    write: { maxBytes, depthMax, budget: createByteBudget(bodiesMaxBytes.write) },
  }

  async function send(request: UpstreamRequest): Promise<UpstreamResponse> {
    const deadlineMs = Math.max(0, request.deadlineMs)
    const signal = AbortSignal.timeout(deadlineMs)
    const { host, lane } = request
    const { origin, sessions } = doors[host]
    const { url, init } = prepare(origin, request)
    const leave = await lanes.enter(lane, deadlineMs * QUEUE_SHARE)
    const seat = lane === 'write' ? sessions.own() : sessions.kept()
    try {
      const response = await seat.fetch(url, { ...init, decompress: false, signal })
      return await accept(response, bounds[lane])
    } catch (error) {
      throw exchangeFault(error)
    } finally {
      seat.leave()
      leave()
    }
  }

  return { send, load: lanes.load }
}

function openDoor(url: URL) {
  return { origin: url.origin, sessions: openSessions(url) }
}

type Prepared = { readonly url: string; readonly init: RequestInit }

function prepare(origin: string, request: UpstreamRequest): Prepared {
  const { method, path, body = '' } = request
  try {
    const headers = new Headers({ ...OWN_HEADERS, ...request.headers })
    const { href, pathname, search } = new URL(origin + path)
    // A path that a URL would spell differently is not what was signed; a lone surrogate has no bytes to send.
    if (pathname + search !== path || !body.isWellFormed()) throw new TypeError('not exact')
    // Bytes, because a string body makes fetch add a content type of its own.
    const bytes = body === '' ? {} : { body: new TextEncoder().encode(body) }
    return { url: href, init: { method, headers, redirect: 'manual', ...bytes } }
  } catch (error) {
    throw new UpstreamError('unreachable', false, { cause: error })
  }
}

async function accept(response: Response, bounds: BodyBounds): Promise<UpstreamResponse> {
  const { status, ok, headers } = response
  const contentType = headers.get('content-type') ?? ''
  if (status >= 300 && status < 400) return refuse(response, 'redirect')
  // A 429 says everything with its status, and the ones of a balancer are rarely JSON.
  if (status !== 429 && !isJsonType(contentType)) return refuse(response, 'content_type')
  const body = await readText(response, bounds)
  if (ok && body === '') throw new UpstreamError('content_type', true)
  return { status, contentType, body, ...retryAfterOf(headers.get('retry-after')) }
}

async function refuse(response: Response, fault: UpstreamFault): Promise<never> {
  await response.body?.cancel()
  throw new UpstreamError(fault, true)
}
