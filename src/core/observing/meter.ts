import {
  type LabelsOf,
  METRIC_SERIES_MAX,
  METRICS,
  type MetricName,
  type MetricsOf,
} from '../../contract/operator/metrics.ts'
import { type BucketSeries, createBuckets, type Histogram } from './histogram.ts'

/** A figure with its label values, in the order of the metric's labels. */
export type MetricSample = { readonly labels: readonly string[]; readonly value: number }

/** The metrics of this process. A series is created on its first use. */
export type Meter = {
  /** Monotonic milliseconds with fractions, to measure durations. */
  readonly elapsedMs: () => number
  /** The value of `elapsedMs` at the last `tick`: cheaper, for frequent callers. */
  readonly coarseMs: () => number
  readonly tick: () => void
  readonly counter: <Name extends MetricsOf<'counter'>>(
    name: Name,
    ...labels: LabelsOf<Name>
  ) => Counter
  readonly histogram: <Name extends MetricsOf<'histogram'>>(
    name: Name,
    ...labels: LabelsOf<Name>
  ) => Histogram
  /** Registers a figure that is read for each report; null means no value. */
  readonly reading: <Name extends MetricsOf<'counter' | 'gauge'>>(
    name: Name,
    read: () => number | null,
    ...labels: LabelsOf<Name>
  ) => void
  /** The figures of a counter or gauge now. */
  readonly samples: (name: MetricsOf<'counter' | 'gauge'>) => readonly MetricSample[]
  /** The current values of one series of a histogram; null for an unknown series. */
  readonly durations: <Name extends MetricsOf<'histogram'>>(
    name: Name,
    ...labels: LabelsOf<Name>
  ) => Pick<BucketSeries, 'count' | 'within'> | null
  /** Everything in the Prometheus text exposition format, version 0.0.4. */
  readonly text: () => string
}

type Value = { readonly value: () => number | null }

/** An empty meter over the table of metrics. */
export function createMeter(elapsedMs: () => number): Meter {
  let coarseMs = elapsedMs()
  const figures = new Map<MetricName, Family<Counter & Value>>()
  const readings = new Map<MetricName, [readonly string[], () => number | null][]>()
  const histograms = new Map<MetricName, Family<BucketSeries>>()

  function samples(name: MetricName): MetricSample[] {
    const counted = [...(figures.get(name)?.all() ?? [])]
    const all = [
      ...counted.map(([labels, { value }]) => ({ labels, value: value() })),
      ...(readings.get(name) ?? []).map(([labels, read]) => ({ labels, value: read() })),
    ]
    return all.flatMap(({ labels, value }) => (value === null ? [] : [{ labels, value }]))
  }

  function printed(name: MetricName): string[] {
    const row = METRICS[name]
    const { type, help } = row
    const lines =
      row.type === 'histogram'
        ? [...(histograms.get(name)?.all() ?? [])].flatMap(([labels, series]) =>
            printBuckets(name, row, labels, series),
          )
        : samples(name).map(({ labels, value }) => sampleLine(name, row.labels, labels, value))
    if (lines.length === 0) return []
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines]
  }

  return {
    elapsedMs,
    coarseMs: () => coarseMs,
    tick: () => {
      coarseMs = elapsedMs()
    },
    counter: (name, ...labels) =>
      getOrAdd(figures, name, () => createFamily(createCount)).of(labels),
    histogram: (name, ...labels) => {
      const { buckets } = METRICS[name]
      return getOrAdd(histograms, name, () => createFamily(() => createBuckets(buckets))).of(labels)
    },
    reading: (name, read, ...labels) =>
      void getOrAdd(readings, name, () => []).push([labels, read]),
    samples,
    durations: (name, ...labels) => {
      const known = [...(histograms.get(name)?.all() ?? [])]
      return known.find(([own]) => own.join('\n') === labels.join('\n'))?.[1] ?? null
    },
    text: () => `${metricNames().flatMap(printed).join('\n')}\n`,
  }
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}

function metricNames(): MetricName[] {
  return Object.keys(METRICS).filter((name): name is MetricName => Object.hasOwn(METRICS, name))
}

type Bucketed = { readonly labels: readonly string[]; readonly buckets: readonly number[] }

function printBuckets(
  name: MetricName,
  { labels: named, buckets }: Bucketed,
  labels: readonly string[],
  series: BucketSeries,
): string[] {
  const counts = [...series.upTo(), series.count()]
  const bounds = [...buckets.map(String), '+Inf']
  const bucketLines = counts.map((count, at) =>
    sampleLine(`${name}_bucket`, [...named, 'le'], [...labels, bounds[at] ?? ''], count),
  )
  return [
    ...bucketLines,
    sampleLine(`${name}_sum`, named, labels, series.sum()),
    sampleLine(`${name}_count`, named, labels, series.count()),
  ]
}

function sampleLine(
  name: string,
  labels: readonly string[],
  values: readonly string[],
  figure: number,
): string {
  const pairs = labels.map((label, at) => `${label}="${escaped(values[at] ?? '')}"`)
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${figure}`
}

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (mark) => (mark === '\n' ? '\\n' : `\\${mark}`))
}

/** A count that only grows. */
export type Counter = { readonly add: (by?: number) => void }

/** The series of one metric by their label values. */
type Family<Series> = {
  /**
   * The series of some label values, created on first use. Above the maximum number of series, all new label values
   * share the series `other`.
   */
  readonly of: (labels: readonly string[]) => Series
  readonly all: () => Iterable<readonly [labels: readonly string[], series: Series]>
}

/** A family without series. */
function createFamily<Series>(make: () => Series): Family<Series> {
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

/** A counter at zero. */
function createCount(): Counter & { readonly value: () => number } {
  let value = 0
  return {
    add: (by = 1) => {
      value += by
    },
    value: () => value,
  }
}
