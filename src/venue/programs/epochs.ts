import { DAY_MS } from '../../spec/durations.ts'
import { spanStart, WEEK_MS } from '../market/price/spans.ts'

/** Epochs of the rewards, and batches of the pools, are weeks from Monday, numbered since 1970. */

/** The epoch that holds a time. */
export function epochOf(atMs: number): number {
  return Math.floor(spanStart(WEEK_MS, atMs) / WEEK_MS)
}

/** When an epoch begins; the one before it ends then. */
export function epochStartMs(epoch: number): number {
  return spanStart(WEEK_MS, (epoch + 1) * WEEK_MS)
}

/** The epoch of a UTC day, by the day's number. */
export function epochOfDay(day: number): number {
  return epochOf(day * DAY_MS)
}
