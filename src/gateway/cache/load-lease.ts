import type { FailureCode } from '../../contract/failures.ts'
import type { Lifetime } from '../../contract/limits.ts'
import { Failure } from '../../core/failure.ts'
import type { StoredResponse } from '../../core/ports.ts'
import { type CachedReply, newAnswerAgeMaxMs } from './memory.ts'
import type { ResponseCache } from './responses.ts'
import { isRefusal, withinDeadline } from './single-flight.ts'

/** Loads and caches an answer, or takes an answer that a different instance has just loaded. */
type LeasedLoad = (
  key: string,
  lifetime: Lifetime,
  load: () => Promise<CachedReply>,
) => Promise<CachedReply>

type LeasedLoadOptions = {
  readonly responses: Pick<ResponseCache, 'takeIn'>
  readonly leases: LoadLeases | null
  readonly waitMaxMs: number
}

/**
 * With `leases` null, loads at once. Otherwise throws the error of the load, or Failure `upstream_timeout` if waiting
 * for the lease and loading together take longer than `waitMaxMs`.
 */
export function createLeasedLoad({ responses, leases, waitMaxMs }: LeasedLoadOptions): LeasedLoad {
  if (leases === null) return (_key, _lifetime, load) => load()
  const { begin } = leases
  // One deadline for waiting and loading, because the caller waits for both.
  return (key, lifetime, load) => withinDeadline(inTurn(key, lifetime, load), waitMaxMs)

  async function inTurn(...[key, lifetime, load]: Parameters<LeasedLoad>): Promise<CachedReply> {
    const turn = await begin(key, newAnswerAgeMaxMs(lifetime), waitMaxMs)
    if ('bytes' in turn) return responses.takeIn(key, turn) ?? load()
    try {
      const entry = await load()
      turn.end(null)
      return entry
    } catch (error) {
      // A refusal concerns only this caller. So a waiting instance gets no failure, and loads the answer for its own
      // caller.
      turn.end(isRefusal(error) ? null : outageCode(error))
      throw error
    }
  }
}

/** One instance's turn to load an answer. */
export type Turn = {
  /**
   * Ends the lease, after the answer was given to the store. Waiting instances get `failure`; with null they read the
   * answer.
   */
  readonly end: (failure: FailureCode | null) => void
}

/** Lets one of several instances load an answer while the others wait. */
export type LoadLeases = {
  /**
   * Returns the lease to load, or an answer that a different instance loaded at most `ageMaxMs` ago. Throws Failure:
   * the outage that the different instance reports, or `upstream_timeout` if its load takes longer than `waitMaxMs`.
   */
  readonly begin: (
    key: string,
    ageMaxMs: number,
    waitMaxMs: number,
  ) => Promise<Turn | StoredResponse>
}

/** Failures of reaching the venue; the request itself may be valid. */
const OUTAGES = ['upstream_unavailable', 'upstream_busy', 'upstream_timeout'] as const

type OutageCode = (typeof OUTAGES)[number] & FailureCode

export function isOutageCode(code: string): code is OutageCode {
  return OUTAGES.some((known) => known === code)
}

/** The code of an outage failure; null for any other error. */
function outageCode(error: unknown): FailureCode | null {
  return error instanceof Failure && isOutageCode(error.code) ? error.code : null
}

export function isOutage(error: unknown): boolean {
  return outageCode(error) !== null
}
