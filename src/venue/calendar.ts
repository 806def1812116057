import { DAY_MS } from '../spec/durations.ts'
/** The UTC date of a time, as YYYY-MM-DD. */
export function dateOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10)
}

/** The first of the last `days` UTC dates; today's is one of them. */
export function firstDateOf(days: number, nowMs: number): string {
  return dateOf(nowMs - (days - 1) * DAY_MS)
}
