import { METRIC_SERIES_MAX } from '../../spec/operator/metrics.ts'

/** A count that only grows. */
export type Counter = { readonly add: (by?: number) => void }

/** Durations, sorted into buckets as they come. */
export type Histogram = {
  readonly observe: (seconds: number) => void
  /** One more that took as long as the last: reading a clock for each would cost more than some of them take. */
  readonly again: () => void
}

export type CountSeries = Counter & { readonly value: () => number }

export type BucketSeries = Histogram & {
  /** How many were at most each bound, in the order of the bounds, and how many there were at all. */
  readonly upTo: () => readonly number[]
  readonly count: () => number
  readonly sum: () => number
  /** The least bound that such a part of all did not pass, or the last bound where some did; null where there is none. */
  readonly within: (part: number) => number | null
}

/** The series of one metric by their label values. */
export type Family<Series> = {
  /** The series of these label values, made when it is new. Beyond the bound all newcomers share one: `other`. */
  readonly of: (labels: readonly string[]) => Series
  readonly all: () => Iterable<readonly [labels: readonly string[], series: Series]>
}

/** A family without series. */
export function createFamily<Series>(make: () => Series): Family<Series> {
  const known = new Map<string, readonly [readonly string[], Series]>()

  function of(labels: readonly string[]): Series {
    const found = known.get(labels.join('\n'))
    if (found) return found[1]
    const own = known.size < METRIC_SERIES_MAX ? labels : labels.map(() => 'other')
    const key = own.join('\n')
    const row = known.get(key) ?? ([own, make()] as const)
    known.set(key, row)
    return row[1]
  }

  return { of, all: () => known.values() }
}

/** A count of nothing yet. */
export function createCount(): CountSeries {
  let value = 0
  return {
    add: (by = 1) => {
      value += by
    },
    value: () => value,
  }
}

/** Empty buckets with these upper bounds, in ascending order. */
export function createBuckets(bounds: readonly number[]): BucketSeries {
  const counts = new Float64Array(bounds.length + 1)
  let sum = 0
  let last = { at: 0, seconds: 0 }

  function observe(seconds: number): void {
    let at = 0
    while (at < bounds.length && seconds > (bounds[at] ?? 0)) at += 1
    last = { at, seconds }
    again()
  }

  function again(): void {
    counts[last.at] = (counts[last.at] ?? 0) + 1
    sum += last.seconds
  }

  function upTo(): number[] {
    let total = 0
    return bounds.map((_, at) => {
      total += counts[at] ?? 0
      return total
    })
  }

  const count = () => counts.reduce((total, some) => total + some, 0)

  function within(part: number): number | null {
    const all = count()
    if (all === 0) return null
    const at = upTo().findIndex((total) => total >= part * all)
    return bounds.at(at) ?? null
  }

  return {
    observe,
    again,
    upTo,
    within,
    count,
    sum: () => sum,
  }
}
