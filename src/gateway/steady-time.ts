import type { World } from '../core/ports.ts'

/**
 * Returns the time by which expired rows may be deleted, in whole ms; null until the wall clock has run steadily for
 * long enough.
 */
type SteadyTime = () => number | null

type SteadyTimeOptions = Pick<World, 'clock' | 'monotonicMs'> & {
  /** How long the wall clock must run without a jump before it is trusted. */
  readonly holdMs: number
}

/** A larger difference between the wall clock's and the monotonic clock's progress counts as a jump. */
const DRIFT_MAX_MS = 1000

/**
 * Follows the wall clock, except across jumps. After a jump, time continues by the monotonic clock until the wall clock
 * has run steadily for `holdMs`. Must be called regularly, because a jump is only noticed in a call.
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
    // Floors the fractions of the monotonic clock, which PostgreSQL's integer columns reject.
    return Math.floor(Math.min(nowMs, passedMs + believedOffsetMs))
  }
}
