import { boundOf, bucketOf, countOf } from '../../core/observing/histogram.ts'
import { CONSOLE_LIMITS, type Latency } from '../../spec/console/figures.ts'
import { MINUTE_MS } from '../../spec/durations.ts'

/** Upper bounds in milliseconds that grow by a quarter, from 20 µs to about two minutes. */
const BOUNDS_MS = Array.from({ length: 72 }, (_, at) => 0.02 * 1.25 ** at)

/** Counts of durations by these bounds. */
export type Durations = Uint32Array<ArrayBuffer>

export function newDurations(): Durations {
  return new Uint32Array(BOUNDS_MS.length + 1)
}

/** Counts one duration. */
export function countInto(durations: Durations, ms: number): void {
  const at = bucketOf(BOUNDS_MS, ms)
  durations[at] = (durations[at] ?? 0) + 1
}

/** The duration that a share of all does not exceed, at most a quarter too long; null when there are none. */
export function percentile(durations: Durations, share: number): number | null {
  return boundOf(BOUNDS_MS, durations, share)
}

function addInto(sum: Durations, other: Durations): void {
  for (const [at, count] of other.entries()) sum[at] = (sum[at] ?? 0) + count
}

type Slot = { minute: number; readonly histogram: Durations }

/** Durations of the last hour, by the minute: what is older gives its place to what is new. */
export type Minutes = {
  readonly add: (ms: number, nowMs: number) => void
  readonly latency: (nowMs: number) => Latency
}

export function createMinutes(): Minutes {
  const slots: Slot[] = []

  function add(ms: number, nowMs: number): void {
    const minute = Math.floor(nowMs / MINUTE_MS)
    const at = minute % CONSOLE_LIMITS.minutesKept
    const slot = slots[at] ?? { minute, histogram: newDurations() }
    slots[at] = slot
    if (slot.minute !== minute) {
      slot.minute = minute
      slot.histogram.fill(0)
    }
    countInto(slot.histogram, ms)
  }

  function latency(nowMs: number): Latency {
    const oldest = Math.floor(nowMs / MINUTE_MS) - CONSOLE_LIMITS.minutesKept
    const sum = newDurations()
    for (const slot of slots) if (slot && slot.minute > oldest) addInto(sum, slot.histogram)
    return {
      count: countOf(sum),
      p50Ms: percentile(sum, 0.5),
      p95Ms: percentile(sum, 0.95),
      p99Ms: percentile(sum, 0.99),
    }
  }

  return { add, latency }
}
