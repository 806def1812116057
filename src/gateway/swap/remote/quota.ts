import { SWAP_LIMITS } from '../../../contract/swap.ts'
import { Failure } from '../../../core/failure.ts'
import type { Clock } from '../../../core/ports.ts'

/** The provider's report on the quota that it charged for a call. Seconds are relative to now. */
export type QuotaReport = {
  readonly refused: boolean
  readonly remaining: number | null
  readonly resetSeconds: number | null
}

/**
 * Tracks one quota of the provider, so that calls are not wasted on refusals. The remaining calls follow the provider's
 * reports. After a refusal no call passes until the reset.
 */
export function createQuota(clock: Clock) {
  let remaining = Number.POSITIVE_INFINITY
  let untilMs = 0
  let inFlight = 0

  /**
   * Takes one call. Call the returned function with the report of the call, or with undefined if there was no answer.
   * Throws Failure `upstream_busy` with `meta.retryAfterSeconds` while the quota is used up.
   */
  function take(): (report: QuotaReport | undefined) => void {
    const nowMs = clock.nowMs()
    // A reset beyond the maximum pause means that the clock went back.
    if (nowMs >= untilMs || untilMs - nowMs > MAX_MS) remaining = Number.POSITIVE_INFINITY
    if (remaining < 1) throw busy(untilMs - nowMs)
    remaining -= 1
    inFlight += 1
    return (report) => {
      inFlight -= 1
      if (report) learn(report)
    }
  }

  function learn({ refused, remaining: left, resetSeconds }: QuotaReport): void {
    if (!refused && (left === null || resetSeconds === null)) return
    const fallback = SWAP_LIMITS.quotaPauseDefaultSeconds
    const seconds = Math.max(1, resetSeconds ?? fallback)
    // The reported remainder does not include calls that are still in flight.
    remaining = refused ? 0 : Math.max(0, (left ?? 0) - inFlight)
    untilMs = clock.nowMs() + Math.min(seconds * 1000, MAX_MS)
  }

  return { take }
}

const MAX_MS = SWAP_LIMITS.quotaPauseMaxSeconds * 1000

function busy(waitMs: number): Failure {
  return new Failure('upstream_busy', { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) })
}
