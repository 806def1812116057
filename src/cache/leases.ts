import type { StoredResponse } from '../core/ports.ts'
import type { FailureCode } from '../spec/failures.ts'

/** One instance's turn to load an answer. */
export type Turn = {
  /** Ends it, once what was loaded has been given to the store; `failure` is told to those who wait elsewhere. */
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
