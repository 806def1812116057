import { METRICS, type MetricName, type MetricsOf } from '../../contract/operator/metrics.ts'
import { NOTIFY_LIMITS } from '../../contract/operator/notify.ts'
import { isPracticeKind, type VenueKind } from '../../contract/venue/kind.ts'
import type { Meter } from '../../core/observing/meter.ts'
import type { Clock } from '../../core/ports.ts'
import {
  type ConditionInputs,
  type ConditionName,
  END_MARGIN,
  NOTICE_CONDITIONS,
  type NoticeCondition,
  type RecentFigures,
  type TroubledPart,
  type UnknownWrite,
} from './conditions.ts'

type EvaluatorOptions = {
  readonly meter: Pick<Meter, 'samples'>
  readonly venue: VenueKind
  readonly lately: () => RecentFigures
  readonly unknownWrites: UnknownWrites['newest']
}

/** The current state of a condition. */
type Verdict = {
  readonly name: ConditionName
  readonly condition: NoticeCondition
  /** Whether the condition holds; null if unknown. */
  readonly holds: boolean | null
  /** Whether the condition's notice ends. False while the figure is still close to the threshold. */
  readonly isOver: boolean
  /** The measured figure as a sentence; '' without a figure, or if the condition does not hold. */
  readonly figure: string
  /** The command that the operator should run next. */
  readonly command: string
}

/** Evaluates all conditions of the table for notices, the console and /readyz. */
export type Judge = {
  /**
   * Evaluates the conditions. `missing` says why the server is not ready. Must be called regularly, since each call
   * reads how far counters have grown.
   */
  readonly look: (nowMs: number, missing: string | null) => readonly Verdict[]
  /** Registers a function that describes a part's trouble as a sentence, or returns null. */
  readonly explain: (part: TroubledPart, read: () => string | null) => void
}

export function createJudge({ meter, venue, lately, unknownWrites }: EvaluatorOptions): Judge {
  const growth = createGrowthTest(meter)
  const rise = createRiseTest(meter)
  const troubles = new Map<TroubledPart, () => string | null>()
  const rows = Object.entries<NoticeCondition>(NOTICE_CONDITIONS).filter(isNamed)
  // Leaves out the condition of old backups for a simulated venue, whose records need no backup.
  const own = rows.filter(([name]) => !isPracticeKind(venue) || name !== 'backup_old')

  const seenNow = (nowMs: number, missing: string | null): ConditionInputs => ({
    ...{ nowMs, missing, lately: lately(), unknownWrites: unknownWrites() },
    trouble: (part) => troubles.get(part)?.() ?? null,
    gauge: (name) => orNull(figures(meter, name), Math.min),
    peak: (name) => orNull(figures(meter, name), Math.max),
    grew: (name, label) => growth(nowMs, name, label),
    rising: (name, margin) => rise(nowMs, name, margin),
  })

  return {
    explain: (part, read) => void troubles.set(part, read),
    look: (nowMs, missing) => {
      const seen = seenNow(nowMs, missing)
      return own.map(([name, condition]) => {
        const holds = condition.holds(seen, 1)
        const isOver = holds === false && condition.holds(seen, END_MARGIN) === false
        const figure = (holds && condition.figure?.(seen)) || ''
        return { name, condition, holds, isOver, figure, command: nextCommand(condition, seen) }
      })
    },
  }
}

function nextCommand(
  { command = 'prepd --mode admin doctor' }: NoticeCondition,
  seen: ConditionInputs,
): string {
  return typeof command === 'string' ? command : command(seen)
}

function isNamed(row: readonly [string, NoticeCondition]): row is [ConditionName, NoticeCondition] {
  return Object.hasOwn(NOTICE_CONDITIONS, row[0])
}

function orNull(
  values: readonly number[] | null,
  chosen: (...values: readonly number[]) => number,
): number | null {
  return values && chosen(...values)
}

/** The values of a metric's series; null if there are no series or it is a histogram. */
function figures(
  meter: EvaluatorOptions['meter'],
  name: MetricName,
): readonly [number, ...number[]] | null {
  const [first, ...others] = isFigure(name) ? meter.samples(name).map(({ value }) => value) : []
  return first === undefined ? null : [first, ...others]
}

/** Tests whether a counter grew within the last hour. In a new process, counters start at 0. */
function createGrowthTest(meter: EvaluatorOptions['meter']) {
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

/** Tests whether a counter grew much faster in the last minutes than in the hour before. */
function createRiseTest(meter: EvaluatorOptions['meter']) {
  const kept = new Map<MetricName, readonly Reading[]>()
  const { recentMs, beforeMs, everyMs, minGrowth, factor } = NOTIFY_LIMITS.rise
  return (nowMs: number, name: MetricName, margin: number): boolean => {
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
    return value - middle.value >= Math.max(minGrowth, factor * usual) * margin
  }
}

type Reading = { readonly atMs: number; readonly value: number }

/** The sum over a metric's series; with a label value, over the series that have it. */
function total(meter: EvaluatorOptions['meter'], name: MetricName, label?: string): number {
  const samples = isFigure(name) ? meter.samples(name) : []
  const own = samples.filter(({ labels }) => label === undefined || labels.includes(label))
  return own.reduce((sum, sample) => sum + sample.value, 0)
}

function isFigure(name: MetricName): name is MetricsOf<'counter' | 'gauge'> {
  return METRICS[name].type !== 'histogram'
}

/** The newest relayed writes with an unknown outcome. The list is bounded. */
export type UnknownWrites = {
  readonly note: (accountId: string) => void
  /**
   * The writes of the last hour, newest first. Lists only the first write of each account, since replays of that write
   * are unknown too.
   */
  readonly newest: () => readonly UnknownWrite[]
}

/** Creates the list. `tagOf` returns an account's tag in the log. */
export function createUnknownWrites(
  clock: Clock,
  tagOf: (accountId: string) => string,
): UnknownWrites {
  let rows: readonly UnknownWrite[] = []
  const newest = () => rows.filter(({ atMs }) => clock.nowMs() - atMs < NOTIFY_LIMITS.calmAfterMs)
  return {
    note: (accountId) => {
      const row = { tag: tagOf(accountId), atMs: clock.nowMs() }
      if (newest().some(({ tag }) => tag === row.tag)) return
      rows = [row, ...newest()].slice(0, NOTIFY_LIMITS.unknownWritesMax)
    },
    newest,
  }
}
