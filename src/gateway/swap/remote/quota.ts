import { SWAP_LIMITS } from '../../../contract/swap.ts'
import { Failure } from '../../../core/failure.ts'
import type { Clock } from '../../../core/ports.ts'

/** The quota that a provider counted a call against. Seconds are from now. */
export type QuotaReport = {
  readonly refused: boolean
  readonly remaining: number | null
  readonly resetSeconds: number | null
}

/**
 * One quota of the provider, kept so that calls are not wasted on refusals: a bucket that the provider's reported
 * remainder fills. After a refusal it is shut until its reset.
 */
export function createQuota(clock: Clock) {
  let remaining = Number.POSITIVE_INFINITY
  let untilMs = 0
  let inFlight = 0

  /**
   * Takes one call; the returned function takes the report of the call, undefined without an answer. Throws Failure
   * `upstream_busy` with `meta.retryAfterSeconds` while the quota is used up.
   */
  function take(): (report?: QuotaReport) => void {
    const nowMs = clock.nowMs()
    // A reset further away than the longest there is can only mean that the clock went back.
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
    // The provider counted before it saw the calls that are still under way.
    remaining = refused ? 0 : Math.max(0, (left ?? 0) - inFlight)
    untilMs = clock.nowMs() + Math.min(seconds * 1000, MAX_MS)
  }

  return { take }
}

const MAX_MS = SWAP_LIMITS.quotaPauseMaxSeconds * 1000

function busy(waitMs: number): Failure {
  return new Failure('upstream_busy', { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) })
}
