import { CONSOLE_LIMITS, type Latency } from '../../spec/console/figures.ts'
import {
  addInto,
  countInto,
  countOf,
  type Histogram,
  newHistogram,
  percentile,
} from './histogram.ts'

const MINUTE_MS = 60_000

type Slot = { minute: number; readonly histogram: Histogram }

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
    const slot = slots[at] ?? { minute, histogram: newHistogram() }
    slots[at] = slot
    if (slot.minute !== minute) {
      slot.minute = minute
      slot.histogram.fill(0)
    }
    countInto(slot.histogram, ms)
  }

  function latency(nowMs: number): Latency {
    const oldest = Math.floor(nowMs / MINUTE_MS) - CONSOLE_LIMITS.minutesKept
    const sum = newHistogram()
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
