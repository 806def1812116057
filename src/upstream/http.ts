import {
  type Upstream,
  UpstreamError,
  type UpstreamFault,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../core/ports.ts'
import { exchangeFault } from './exchange-faults.ts'
import { readText } from './http-body.ts'
import { createLanes, type Lane, type LaneLoad } from './lanes.ts'
import { proxyFor } from './proxy.ts'

export type HttpUpstreamOptions = {
  /** Scheme, host and port of the venue's main host. A base URL's own path is not used: callers sign the whole path. */
  readonly main: URL
  /** The same of the strategy-vault host. */
  readonly vaults: URL
  /** Most calls in flight at once; Bun's own client queues silently above 256. */
  readonly concurrentMax: number
  /** Slots among them that only writes may take. */
  readonly writeReserved: number
  /** Largest answer read, after unpacking. */
  readonly bodyMaxBytes: number
}

const OWN_HEADERS = {
  'user-agent': 'prepd',
  accept: 'application/json',
  'accept-encoding': 'gzip',
} as const

const QUEUED_MAX = { read: 512, write: 128 } as const

/** Seconds an idle connection is kept: shorter than servers and balancers do, so that reads seldom meet a dead one. */
const READ_IDLE_SECONDS = 20

/** A call that had to wait for a slot still has half its deadline to be answered in. */
const QUEUE_SHARE = 0.5

/**
 * The live venue over HTTP/1.1: path, query and body go out byte for byte, no redirect is followed, no cookie kept.
 * Reads share a pool of connections; every write has a connection of its own, so nothing can send it twice.
 * `deadlineMs` covers waiting for a slot, the exchange and the body. Throws UpstreamError and nothing else.
 */
export function httpUpstream(
  options: HttpUpstreamOptions,
): Upstream & { readonly load: (lane: Lane) => LaneLoad } {
  const lanes = createLanes({ ...options, queuedMax: QUEUED_MAX })
  const doors = { main: openDoor(options.main), vaults: openDoor(options.vaults) }

  async function send(request: UpstreamRequest): Promise<UpstreamResponse> {
    const deadlineMs = Math.max(0, request.deadlineMs)
    const signal = AbortSignal.timeout(deadlineMs)
    const door = doors[request.host]
    const prepared = prepare(door.origin, request)
    const leave = await lanes.enter(request.lane, deadlineMs * QUEUE_SHARE)
    try {
      const { url, init } = prepared
      const response = await door.sessions[request.lane].fetch(url, { ...init, signal })
      return await accept(response, options.bodyMaxBytes)
    } catch (error) {
      throw exchangeFault(error)
    } finally {
      leave()
    }
  }

  return { send, load: lanes.load }
}

type Door = {
  readonly origin: string
  readonly sessions: Readonly<Record<Lane, Bun.FetchSession>>
}

function openDoor(url: URL): Door {
  const route = proxyFor(url)
  return {
    origin: url.origin,
    sessions: {
      read: new Bun.FetchSession({ ...route, keepAlive: { idleTimeout: READ_IDLE_SECONDS } }),
      write: new Bun.FetchSession({ ...route, keepAlive: false }),
    },
  }
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

async function accept(response: Response, bodyMaxBytes: number): Promise<UpstreamResponse> {
  const { status, ok, headers } = response
  const contentType = headers.get('content-type') ?? ''
  if (status >= 300 && status < 400) return refuse(response, 'redirect')
  // A 429 says everything with its status, and the ones of a balancer are rarely JSON.
  if (status !== 429 && !isJson(contentType)) return refuse(response, 'content_type')
  const body = await readText(response, bodyMaxBytes)
  if (ok && body === '') throw new UpstreamError('content_type', true)
  return { status, contentType, body, ...retryAfter(headers) }
}

async function refuse(response: Response, fault: UpstreamFault): Promise<never> {
  await response.body?.cancel()
  throw new UpstreamError(fault, true)
}

function isJson(contentType: string): boolean {
  return /^\s*(?:application\/(?:[^\s;/]+\+)?json|text\/json)\s*(?:;|$)/i.test(contentType)
}

/** RFC 9110 10.2.3, the seconds form; a date is not worth trusting another machine's clock for. */
function retryAfter(headers: Headers): { readonly retryAfterSeconds?: number } {
  const text = headers.get('retry-after') ?? ''
  return /^\d{1,5}$/.test(text) ? { retryAfterSeconds: Number(text) } : {}
}
