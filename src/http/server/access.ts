import { SECOND_MS } from '../../contract/durations.ts'
import { LOGGING } from '../../contract/operator/process.ts'
import type { Caller } from '../../core/client-address.ts'
import {
  type RelayedCall,
  type RequestContext,
  requestFields,
} from '../../core/observing/request-context.ts'
import type { Log, LogFields } from '../../core/ports.ts'

/** The fields of an access line beside its request context. */
type Access = {
  readonly route: string
  readonly code: string
  readonly status: number
  /** Null where it was too quick to be timed. */
  readonly ms: number | null
  readonly caller: Caller
}

export type AccessLog = {
  /** Writes the line of an answer, unless there were too many: only then is it asked for. */
  readonly note: (status: number, line: () => readonly [RequestContext, Access]) => void
}

export type AccessLines = {
  /** Lines a second; 0 for none at all. */
  readonly requestsPerSecond: number
  /** Whether a line has the caller's whole address, and not its network alone. */
  readonly wholeCallers: boolean
  /** The keyed hash of an account. */
  readonly tagOf: (accountId: string) => string
}

type Parts = AccessLines & {
  readonly log: Log
  /** Monotonic milliseconds; half a second more or less does not matter. */
  readonly elapsedMs: () => number
}

/** A line for each request: faults of the server as warnings, the rest as information, each within its own number. */
export function createAccessLog(parts: Parts): AccessLog {
  const { log, requestsPerSecond, elapsedMs, tagOf } = parts
  const successes = createGate(requestsPerSecond, elapsedMs)
  const faults = createGate(requestsPerSecond, elapsedMs)

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
      const oneIn = status < 500 ? successes() : faults()
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
  // The answer of a tool is a success that holds the refusal.
  const hidden = code !== undefined && code !== answered ? { refused: code } : {}
  return {
    ...{ method, path, account: tagOf(accountId), ...hidden, ...refused },
    ...(replayed && { replayed }),
  }
}

/** How many requests a line stands for, 0 where there is none: each up to a number a second, then one in a few. */
function createGate(linesMax: number, elapsedMs: () => number): () => number {
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

/** Enough of an address to distinguish networks, and not enough to distinguish people. */
export function shortened(limitKey: string): string {
  const parts = limitKey.split(/[.:]/)
  const mark = limitKey.includes(':') ? ':' : '.'
  return parts.length < 3 ? '*' : `${parts.slice(0, 3).join(mark)}${mark}*`
}
