import type { Minute, Sample } from '../../contract/console/figures.ts'
import { CONSOLE_LIMITS } from '../../contract/console/limits.ts'
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts'

/** The time ranges that the plots can show. */
const RANGES = { hour: HOUR_MS, day: DAY_MS } as const

export type Range = keyof typeof RANGES

/** Maximum gap within a line, because a busy machine takes samples late. */
const LATE_MS = 2 * CONSOLE_LIMITS.sampleEveryMs

/** A point of a plot's line; null where nothing was recorded. */
export type Plotted = readonly [atMs: number, point: Point | null]

/**
 * The points of a range that ends at the last point. The line has gaps where nothing was recorded. A day always has its
 * full width.
 */
export function plottedPoints(
  range: Range,
  minutes: readonly Minute[],
  samples: readonly Sample[],
): readonly Plotted[] {
  const recent = samples.map(pointOfSample)
  const stored = minutes.map(pointOfMinute)
  const points = joined(stored, recent, range === 'hour' ? recent[0] : stored.at(-1))
  const fromMs = (points.at(-1)?.atMs ?? 0) - RANGES[range]
  const plotted = withGaps(points.filter(({ atMs }) => atMs > fromMs))
  return range === 'day' && plotted.length > 0 ? [[fromMs, null], ...plotted] : plotted
}

/** Stored minutes up to the time of `border`, and samples after that time. */
function joined(
  stored: readonly Point[],
  recent: readonly Point[],
  border: Point | undefined,
): readonly Point[] {
  if (!border) return [...stored, ...recent]
  const before = stored.filter(({ atMs }) => atMs <= border.atMs)
  const lastMs = before.at(-1)?.atMs ?? 0
  return [...before, ...recent.filter(({ atMs }) => atMs > lastMs)]
}

/** Breaks the line at a gap. After the gap, the line starts at the beginning of the next recorded period. */
function withGaps(points: readonly Point[]): readonly Plotted[] {
  return points.flatMap((point, at): Plotted[] => {
    const before = points[at - 1]
    const beganMs = point.atMs - point.spanMs
    const place: Plotted = [point.atMs, point]
    if (before && beganMs <= before.atMs + LATE_MS) return [place]
    return [...(before ? [[before.atMs + 1, null] as const] : []), [beganMs, point], place]
  })
}

function pointOfSample([atMs, requests, failed, p99Ms, loopDelayMs, residentBytes]: Sample): Point {
  const spanMs = CONSOLE_LIMITS.sampleEveryMs
  return pointOfMinute([atMs, spanMs, requests, failed, p99Ms, loopDelayMs, residentBytes])
}

/** The plotted figures of a period that ends at `atMs`. */
export type Point = Readonly<ReturnType<typeof pointOfMinute>>

function pointOfMinute([atMs, spanMs, requests, failed, ...measured]: Minute) {
  const [p99Ms, loopDelayMs, residentBytes] = measured
  const perSecond = 1000 / Math.max(1, spanMs)
  return {
    ...{ atMs, spanMs, loopDelayMs, residentBytes },
    requestsPerSecond: requests * perSecond,
    failedPerSecond: failed * perSecond,
    // A minute without requests has a latency of zero, as in samples.
    p99Ms: p99Ms ?? 0,
  }
}

/** The totals of the minutes of the last day. */
export function minuteTotals(minutes: readonly Minute[]) {
  const sum = (at: 1 | 2 | 3) => minutes.reduce((total, minute) => total + minute[at], 0)
  return { knownMs: sum(1), requests: sum(2), failed: sum(3) }
}
