import type { FailureCode } from '../../contract/failures.ts'
import type { Lifetime } from '../../contract/limits.ts'
import { Failure } from '../../core/failure.ts'
import type { StoredResponse } from '../../core/ports.ts'
import { type CachedReply, newMaxMs } from './memory.ts'
import type { ResponseCache } from './responses.ts'
import { isRefusal, withinDeadline } from './single-flight.ts'

/** Loads an answer and keeps it, or takes one that another instance has just loaded. */
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
 * A process that runs alone always has the turn. Throws the error of the load, or Failure `upstream_timeout` when the
 * turn and the load together take longer than `waitMaxMs`.
 */
export function createLeasedLoad({ responses, leases, waitMaxMs }: LeasedLoadOptions): LeasedLoad {
  if (leases === null) return (_key, _lifetime, load) => load()
  const { begin } = leases
  // Waiting for another instance and loading have one deadline together: a caller waits for both.
  return (key, lifetime, load) => withinDeadline(inTurn(key, lifetime, load), waitMaxMs)

  async function inTurn(...[key, lifetime, load]: Parameters<LeasedLoad>): Promise<CachedReply> {
    const turn = await begin(key, newMaxMs(lifetime), waitMaxMs)
    if ('bytes' in turn) return responses.takeIn(key, turn) ?? load()
    try {
      const entry = await load()
      turn.end(null)
      return entry
    } catch (error) {
      // A refusal concerns this caller alone. An instance that waits then loads for its own caller.
      turn.end(isRefusal(error) ? null : outageCode(error))
      throw error
    }
  }
}

/** One instance's turn to load an answer. */
export type Turn = {
  /**
   * Ends the turn, once the loaded answer has been given to the store. Instances that wait for the answer get
   * `failure`.
   */
  readonly end: (failure: FailureCode | null) => void
}

/** Lets one of several instances load an answer while the others wait. */
export type LoadLeases = {
  /**
   * The turn to load, or an answer of another instance that is no older than `ageMaxMs`. Throws Failure: an outage of the
   * venue that the other instance met, or `upstream_timeout` when its load takes longer than `waitMaxMs`.
   */
  readonly begin: (
    key: string,
    ageMaxMs: number,
    waitMaxMs: number,
  ) => Promise<Turn | StoredResponse>
}

/** Failures in which the venue could not be asked; the request itself may be valid. */
const OUTAGES = ['upstream_unavailable', 'upstream_busy', 'upstream_timeout'] as const

type OutageCode = (typeof OUTAGES)[number] & FailureCode

export function isOutageCode(code: string): code is OutageCode {
  return OUTAGES.some((known) => known === code)
}

/** The code of an error that says only that the venue could not be asked; null for any other. */
function outageCode(error: unknown): FailureCode | null {
  return error instanceof Failure && isOutageCode(error.code) ? error.code : null
}

export function isOutage(error: unknown): boolean {
  return outageCode(error) !== null
}
