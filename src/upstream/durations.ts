/** How long the last calls took. */
export type Durations = {
  readonly note: (tookMs: number) => void
  /** Of the fastest of them; 0 before the first. */
  readonly fastestMs: () => number
  /** Of the slowest of them; Infinity before the first. */
  readonly slowestMs: () => number
}

/** So many calls are looked back on: more than one stall of the loop slows down. */
const REMEMBERED = 512

export function createDurations(): Durations {
  const last: number[] = []
  let next = 0
  return {
    note: (tookMs) => {
      last[next] = tookMs
      next = (next + 1) % REMEMBERED
    },
    fastestMs: () => (last.length === 0 ? 0 : Math.min(...last)),
    slowestMs: () => (last.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...last)),
  }
}
