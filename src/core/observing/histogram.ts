/** Counts of values by bucket: one for each upper bound, in ascending order, and a last one beyond them all. */
type Counts = Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>

/** The bucket of a value: the first whose bound it does not exceed. */
export function bucketOf(bounds: readonly number[], value: number): number {
  let at = 0
  while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1
  return at
}

/** How many values were counted. */
export function countOf(counts: Counts): number {
  let total = 0
  for (const some of counts) total += some
  return total
}

/** The least bound that a share of all does not exceed, or the last bound where some did; null when there are none. */
export function boundOf(bounds: readonly number[], counts: Counts, share: number): number | null {
  const rank = share * countOf(counts)
  if (rank === 0) return null
  let seen = 0
  const at = counts.findIndex((some) => {
    seen += some
    return seen >= rank
  })
  return bounds[at] ?? bounds.at(-1) ?? null
}

/** Durations, sorted into buckets as they come. */
export type Histogram = {
  readonly observe: (seconds: number) => void
  /** One more that took as long as the last: reading a clock for each would cost more than some of them take. */
  readonly again: () => void
}

export type BucketSeries = Histogram & {
  /** How many were at most each bound, in the order of the bounds, and how many there were at all. */
  readonly upTo: () => readonly number[]
  readonly count: () => number
  readonly sum: () => number
  /** The least bound that such a share of all did not exceed, or the last bound where some did; null where there is none. */
  readonly within: (share: number) => number | null
}

/** Empty buckets with these upper bounds, in ascending order. */
export function createBuckets(bounds: readonly number[]): BucketSeries {
  const counts = new Float64Array(bounds.length + 1)
  let sum = 0
  let last = { at: 0, seconds: 0 }

  function again(): void {
    counts[last.at] = (counts[last.at] ?? 0) + 1
    sum += last.seconds
  }

  return {
    observe: (seconds) => {
      last = { at: bucketOf(bounds, seconds), seconds }
      again()
    },
    again,
    upTo: () => {
      let total = 0
      return bounds.map((_, at) => {
        total += counts[at] ?? 0
        return total
      })
    },
    within: (share) => boundOf(bounds, counts, share),
    count: () => countOf(counts),
    sum: () => sum,
  }
}
