import type { Meter } from '../core/observing/meter.ts'
import { METRICS, type MetricName, type MetricsOf } from '../spec/operator/metrics.ts'
import { NOTIFY_LIMITS, type Notice } from '../spec/operator/notify.ts'
import { CONDITIONS, type Condition, type Seen } from './conditions.ts'

/** Since when a condition that was sent holds, by its name. */
type Open = Map<string, number>

type Parts = {
  readonly meter: Pick<Meter, 'samples'>
  /** What is missing for readiness. */
  readonly missing: () => string | null
  /** The conditions that were notified and have not ended, also by an earlier process; each check changes them. */
  readonly open: Open
}

/** More time than this between two looks is a step of the clock. */
const PASSED_MAX_MS = 2 * NOTIFY_LIMITS.lookEveryMs

/** Judges all conditions: each call answers what has begun or ended since the call before. */
export function createWatch({ meter, missing, open }: Parts): (nowMs: number) => readonly Notice[] {
  const holding = new Map<string, { readonly sinceMs: number; readonly forMs: number }>()
  const seenOf = createSeen(meter)
  let lastMs: number | null = null
  let passedMs = 0

  return (nowMs) => {
    passedMs = Math.min(Math.max(nowMs - (lastMs ?? nowMs), 0), PASSED_MAX_MS)
    lastMs = nowMs
    const seen = seenOf(nowMs, missing())
    return Object.entries<Condition>(CONDITIONS).flatMap(([name, condition]) => {
      const holds = condition.holds(seen)
      if (holds === null) return []
      return holds ? held(name, condition, nowMs) : ended(name, condition)
    })
  }

  function held(name: string, condition: Condition, nowMs: number): Notice[] {
    const before = holding.get(name)
    const { sinceMs, forMs } = before
      ? { sinceMs: before.sinceMs, forMs: before.forMs + passedMs }
      : { sinceMs: nowMs, forMs: 0 }
    holding.set(name, { sinceMs, forMs })
    if (open.has(name) || forMs < condition.forMs) return []
    open.set(name, sinceMs)
    const state = condition.over === null ? 'happened' : 'begun'
    const { level, title, action } = condition
    return [{ name, state, level, title, action, sinceMs }]
  }

  function ended(name: string, { over, level }: Condition): Notice[] {
    holding.delete(name)
    const sinceMs = open.get(name)
    open.delete(name)
    if (sinceMs === undefined || over === null) return []
    return [{ name, state: 'over', level, title: over, action: '', sinceMs }]
  }
}

/** Reads what the conditions are judged by; counters are watched from call to call. */
export function createSeen(
  meter: Pick<Meter, 'samples'>,
): (nowMs: number, missing: string | null) => Seen {
  const growth = createGrowth(meter)
  const rise = createRise(meter)
  return (nowMs, missing) => ({
    nowMs,
    missing,
    gauge: (name) => lowest(meter, name),
    grew: (name, label) => growth(nowMs, name, label),
    rising: (name) => rise(nowMs, name),
  })
}

/** The lowest figure of a gauge's series: that of what is worst off. */
function lowest(meter: Parts['meter'], name: MetricName): number | null {
  const values = isFigure(name) ? meter.samples(name).map(({ value }) => value) : []
  return values.length === 0 ? null : Math.min(...values)
}

/** Whether counters have grown within the last hour; in a new process they begin at zero. */
function createGrowth(meter: Parts['meter']) {
  const last = new Map<string, { readonly value: number; readonly grewAtMs: number }>()
  return (nowMs: number, name: MetricName, label?: string): boolean => {
    const value = total(meter, name, label)
    const key = `${name} ${label ?? ''}`
    const before = last.get(key) ?? { value: 0, grewAtMs: Number.NEGATIVE_INFINITY }
    const grewAtMs = value > before.value ? nowMs : before.grewAtMs
    last.set(key, { value, grewAtMs })
    return nowMs - grewAtMs < NOTIFY_LIMITS.calmAfterMs
  }
}

/** Whether a counter grew, in the last minutes, many times as fast as in the hour before them; false without a before. */
function createRise(meter: Parts['meter']) {
  const kept = new Map<MetricName, readonly Reading[]>()
  const { recentMs, beforeMs, everyMs, minGrowth, factor } = NOTIFY_LIMITS.rise
  return (nowMs: number, name: MetricName): boolean => {
    const value = total(meter, name)
    const earlier = (kept.get(name) ?? []).filter(
      ({ atMs }) => atMs <= nowMs && nowMs - atMs <= recentMs + beforeMs,
    )
    const isDue = nowMs - (earlier.at(-1)?.atMs ?? 0) >= everyMs
    kept.set(name, isDue ? [...earlier, { atMs: nowMs, value }] : earlier)
    const [first] = earlier
    const middle = earlier.findLast(({ atMs }) => nowMs - atMs >= recentMs)
    if (!first || !middle || middle.atMs - first.atMs < recentMs) return false
    const usual = ((middle.value - first.value) / (middle.atMs - first.atMs)) * recentMs
    return value - middle.value >= Math.max(minGrowth, factor * usual)
  }
}

type Reading = { readonly atMs: number; readonly value: number }

/** The sum of a metric's series, or of those with a label value. */
function total(meter: Parts['meter'], name: MetricName, label?: string): number {
  const samples = isFigure(name) ? meter.samples(name) : []
  const own = samples.filter(({ labels }) => label === undefined || labels.includes(label))
  return own.reduce((sum, sample) => sum + sample.value, 0)
}

function isFigure(name: MetricName): name is MetricsOf<'counter' | 'gauge'> {
  return METRICS[name].type !== 'histogram'
}
