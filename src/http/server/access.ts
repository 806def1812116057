import { SECOND_MS } from '../../contract/durations.ts'
import { LOGGING } from '../../contract/operator/process.ts'
import type { Caller } from '../../core/client-address.ts'
import type { Meter } from '../../core/observing/meter.ts'
import {
  type RelayedCall,
  type RequestContext,
  requestFields,
} from '../../core/observing/request-context.ts'
import type { Log, LogFields } from '../../core/ports.ts'
import { isPublicAddress } from '../../core/public-address.ts'

/** Fields of an access line in addition to the fields of the request context. */
type Access = {
  readonly route: string
  readonly code: string
  readonly status: number
  /** Duration in ms; null for an answer from memory that was not timed. */
  readonly ms: number | null
  readonly caller: Caller
}

export type AccessLog = {
  /** Writes the access line of an answer unless the log's level or the rate drops it. Calls `line` only to write it. */
  readonly note: (status: number, line: () => readonly [RequestContext, Access]) => void
}

export type AccessLines = {
  /** Maximum number of access lines per second; 0 disables them. */
  readonly requestsPerSecond: number
  /** Whether a line shows the caller's whole address or only its network. */
  readonly wholeCallers: boolean
  /** Returns the keyed hash of an account id. */
  readonly tagOf: (accountId: string) => string
}

type AccessLogOptions = AccessLines & {
  readonly log: Log
  /** Monotonic milliseconds, accurate to half a second. */
  readonly elapsedMs: () => number
}

/**
 * Writes one line per request: a warning for a server fault, information for any other answer. Both levels have a
 * maximum rate.
 */
export function createAccessLog(parts: AccessLogOptions): AccessLog {
  const { log, requestsPerSecond, elapsedMs, tagOf } = parts
  const successes = createLineSampler(requestsPerSecond, elapsedMs)
  const faults = createLineSampler(requestsPerSecond, elapsedMs)

  function write(context: RequestContext, { caller, ms, ...access }: Access, oneIn: number): void {
    const { cache, venueMs, venueFault, call } = context
    const at = access.status < 500 ? log.info : log.warn
    at('request', {
      ...requestFields(context),
      ...access,
      ...(ms !== null && { ms: Math.round(ms * 100) / 100 }),
      ...(venueMs !== null && { venueMs }),
      ...(venueFault !== null && { venueFault }),
      ...(cache !== null && { cache }),
      ...(call !== null && callFields(call, access.code, tagOf)),
      caller: parts.wholeCallers ? caller.address : shortened(caller.limitKey),
      ...(oneIn > 1 && { oneIn }),
    })
  }

  return {
    note: (status, line) => {
      const isFault = status >= 500
      if (log.isWritten?.(isFault ? 'warn' : 'info') === false) return
      const oneIn = isFault ? faults() : successes()
      if (oneIn > 0) write(...line(), oneIn)
    },
  }
}

function callFields(
  { accountId, method, path, refusal, replayed }: RelayedCall,
  answered: string,
  tagOf: AccessLines['tagOf'],
): LogFields {
  const { code, ...refused } = refusal ?? {}
  // A tool's refusal is inside an answer with status 200, so its code is added to the line.
  const hidden = code !== undefined && code !== answered ? { refused: code } : {}
  return {
    ...{ method, path, account: tagOf(accountId), ...hidden, ...refused },
    ...(replayed && { replayed }),
  }
}

/**
 * Returns a function to call for each request. It returns the number of requests that the request's line represents; 0
 * if the request gets no line. Up to `linesMax` per second every request has a line; above that, one request in
 * `sampledOneIn` has a line.
 */
function createLineSampler(linesMax: number, elapsedMs: () => number): () => number {
  let secondFromMs = elapsedMs()
  let seen = 0
  return () => {
    if (linesMax === 0) return 0
    const nowMs = elapsedMs()
    if (nowMs - secondFromMs >= SECOND_MS) {
      secondFromMs = nowMs
      seen = 0
    }
    seen += 1
    if (seen <= linesMax) return 1
    return seen % LOGGING.sampledOneIn === 0 ? LOGGING.sampledOneIn : 0
  }
}

/** The network part of an address, which distinguishes networks without identifying people. */
export function shortened(limitKey: string): string {
  const parts = limitKey.split(/[.:]/)
  const mark = limitKey.includes(':') ? ':' : '.'
  return parts.length < 3 ? '*' : `${parts.slice(0, 3).join(mark)}${mark}*`
}

/**
 * Counts requests whose forwarding header came from an untrusted peer. Logs the first such peer in a private network,
 * which is probably the operator's proxy. Public peers are not logged, because anyone may send the header.
 */
export function countIgnoredProxies(meter: Meter, log: Log): (peer: string) => void {
  const counters = {
    private: meter.counter('prepd_forwarded_ignored_total', 'private'),
    public: meter.counter('prepd_forwarded_ignored_total', 'public'),
  }
  let isLogged = false
  return (peer) => {
    const network = isPublicAddress(peer) ? 'public' : 'private'
    counters[network].add()
    if (isLogged || network === 'public') return
    isLogged = true
    log.warn('proxy_not_trusted', { peer: shortened(peer), setting: 'PREPD_TRUSTED_PROXIES' })
  }
}
