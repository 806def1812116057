import type { World } from '../core/ports.ts'

/** Wall time that may be forgotten by, in whole ms; null while the wall clock has not run steadily for long enough. */
type SteadyTime = () => number | null

type Parts = Pick<World, 'clock' | 'monotonicMs'> & {
  /** How long the wall clock must run without a jump before it is believed. */
  readonly holdMs: number
}

/** How far the wall clock may drift from the monotonic one before it counts as a jump. */
const DRIFT_MAX_MS = 1000

/**
 * Follows the wall clock, except over its jumps: after one, time goes on at the monotonic pace until the new time has
 * held for `holdMs`. Ask it regularly: a jump is seen when it is asked.
 */
export function createSteadyTime({ clock, monotonicMs, holdMs }: Parts): SteadyTime {
  let believedOffsetMs: number | null = null
  let offsetMs = Number.NaN
  let steadySinceMs = 0
  return () => {
    const passedMs = monotonicMs()
    const nowMs = clock.nowMs()
    if (!(Math.abs(nowMs - passedMs - offsetMs) <= DRIFT_MAX_MS)) {
      offsetMs = nowMs - passedMs
      steadySinceMs = passedMs
    }
    if (passedMs - steadySinceMs >= holdMs) believedOffsetMs = offsetMs
    if (believedOffsetMs === null) return null
    // The monotonic clock has fractions, which PostgreSQL's integer columns refuse.
    return Math.floor(Math.min(nowMs, passedMs + believedOffsetMs))
  }
}
