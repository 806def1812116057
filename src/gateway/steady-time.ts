import type { World } from '../core/ports.ts'

/**
 * The wall time by which rows may be deleted, in whole ms; null until the wall clock has run steadily for long enough.
 */
type SteadyTime = () => number | null

type SteadyTimeOptions = Pick<World, 'clock' | 'monotonicMs'> & {
  /** How long the wall clock must run without a jump before it is believed. */
  readonly holdMs: number
}

/** Maximum drift of the wall clock from the monotonic one before it counts as a jump. */
const DRIFT_MAX_MS = 1000

/**
 * Follows the wall clock, except over its jumps. After a jump, time continues by the monotonic clock until the new time
 * has held for `holdMs`. Ask it regularly: a jump is seen when it is asked.
 */
export function createSteadyTime({ clock, monotonicMs, holdMs }: SteadyTimeOptions): SteadyTime {
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
