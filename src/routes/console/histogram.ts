const BUCKETS = 72
const FIRST_MS = 0.02
const GROWTH = 1.25
const LOG_GROWTH = Math.log(GROWTH)

/** Counts of durations in buckets that grow by a quarter, from 20 µs to about two minutes. */
export type Histogram = Uint32Array<ArrayBuffer>

export function newHistogram(): Histogram {
  return new Uint32Array(BUCKETS)
}

/** Counts one duration. */
export function countInto(histogram: Histogram, ms: number): void {
  const bucket = ms <= FIRST_MS ? 0 : Math.ceil(Math.log(ms / FIRST_MS) / LOG_GROWTH)
  const at = Math.min(bucket, BUCKETS - 1)
  histogram[at] = (histogram[at] ?? 0) + 1
}

export function addInto(sum: Histogram, other: Histogram): void {
  for (let at = 0; at < BUCKETS; at++) sum[at] = (sum[at] ?? 0) + (other[at] ?? 0)
}

/** How many durations were counted. */
export function countOf(histogram: Histogram): number {
  return histogram.reduce((sum, count) => sum + count, 0)
}

/** The duration that a share of all does not exceed, at most a quarter too long; null when there are none. */
export function percentile(histogram: Histogram, share: number): number | null {
  const rank = Math.ceil(countOf(histogram) * share)
  if (rank === 0) return null
  let seen = 0
  const bucket = histogram.findIndex((count) => {
    seen += count
    return seen >= rank
  })
  return FIRST_MS * GROWTH ** bucket
}
