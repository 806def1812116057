/** Counts of values per bucket: one bucket per upper bound in ascending order, and a last bucket for larger values. */
type Counts = Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>

/** The bucket of a value: the first bucket whose bound is at least the value. */
export function bucketIndex(bounds: readonly number[], value: number): number {
  let at = 0
  while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1
  return at
}

/** The number of counted values. */
export function totalCount(counts: Counts): number {
  let total = 0
  for (const some of counts) total += some
  return total
}

/** The lowest bound that covers a share of all values; the last bound if it covers less. Null without values. */
export function quantileBound(
  bounds: readonly number[],
  counts: Counts,
  share: number,
): number | null {
  const rank = share * totalCount(counts)
  if (rank === 0) return null
  let seen = 0
  const at = counts.findIndex((some) => {
    seen += some
    return seen >= rank
  })
  return bounds[at] ?? bounds.at(-1) ?? null
}

/** Durations counted in buckets. */
export type Histogram = {
  readonly observe: (seconds: number) => void
  /** Counts the last duration again, because reading a clock costs more than some of the measured calls. */
  readonly again: () => void
}

export type BucketSeries = Histogram & {
  /** The number of values up to each bound, in the order of the bounds, and the total. */
  readonly upTo: () => readonly number[]
  readonly count: () => number
  readonly sum: () => number
  /** The lowest bound that covers a share of all values; the last bound if it covers less. Null without values. */
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
      last = { at: bucketIndex(bounds, seconds), seconds }
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
    within: (share) => quantileBound(bounds, counts, share),
    count: () => totalCount(counts),
    sum: () => sum,
  }
}
