import { FIGURE_NAMES, FIGURES, type FigureName } from '../../contract/venue/evaluation.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import { aligned } from '../../operator/command/tables.ts'
import { next, rngOf } from '../../simulator/base/rng.ts'
import type { Result } from './result.ts'
import { type Estimate, mean, pairedTest } from './statistics.ts'

/** How one figure of two agents differs over the same seeds. */
type Difference = {
  readonly figure: string
  readonly one: number
  readonly other: number
  /** Mean of the differences, the other minus the one. */
  readonly difference: number
  /** Two-sided, of a randomisation test over the pairs. */
  readonly p: number
}

export type Comparison = {
  readonly evaluation: string
  readonly agents: readonly [string, string]
  /** Seeds that both were run with. */
  readonly pairs: number
  readonly differences: readonly Difference[]
}

const SIGNIFICANT = 0.05

/** Compares two agents seed by seed. Throws UsageError for results of two evaluations or two versions of one, or without a common seed. */
export function compare(one: Result, other: Result): Comparison {
  if (one.evaluation !== other.evaluation)
    throw new UsageError(`${one.evaluation} and ${other.evaluation} are two evaluations`)
  const pairs = one.runs.flatMap((run) => {
    const pair = other.runs.find(({ seed }) => seed === run.seed)
    if (pair?.terms !== undefined && run.terms !== undefined && pair.terms !== run.terms)
      throw new UsageError(`${one.evaluation} was changed between the two: run one of them again`)
    return pair ? [[run.figures, pair.figures] as const] : []
  })
  if (pairs.length === 0) throw new UsageError('the two have no seed in common')
  const differences = FIGURE_NAMES.flatMap((figure) => {
    const known = pairs.flatMap(([a, b]) => {
      const [first, second] = [a[figure], b[figure]]
      return first == null || second == null ? [] : [[first, second] as const]
    })
    return known.length === pairs.length ? [differenceOf(figure, known)] : []
  })
  return {
    evaluation: one.evaluation,
    agents: [one.agent, other.agent],
    pairs: pairs.length,
    differences,
  }
}

function differenceOf(figure: string, pairs: readonly (readonly [number, number])[]): Difference {
  const rng = rngOf(pairs.length, 'paired-test', figure)
  const between = pairs.map(([first, second]) => second - first)
  return {
    figure,
    one: mean(pairs.map(([first]) => first)),
    other: mean(pairs.map(([, second]) => second)),
    difference: mean(between),
    p: pairedTest(between, () => next(rng)),
  }
}

/** A comparison for people; a mark stands behind differences that chance explains in less than 5 % of cases. */
export function comparisonLines({ agents, pairs, differences }: Comparison): readonly string[] {
  const rows = differences.map(({ figure, one, other, difference, p }) => [
    figure,
    ...[one, other, difference].map(shownNumber),
    `${p.toFixed(3)}${p < SIGNIFICANT ? ' *' : ''}`,
  ])
  return [
    `${pairs} pairs; * less than 5 % by chance, of one figure looked at alone`,
    '',
    ...aligned([['FIGURE', ...agents, 'DIFFERENCE', 'P'], ...rows]),
  ]
}

/** A figure with as many digits as a person reads. */
export function shownNumber(value: number | null | undefined): string {
  if (value == null) return 'unknown'
  return Number.isInteger(value) ? String(value) : Number(value.toPrecision(6)).toString()
}

/** The figures that are shown of some runs: one that needs a day only where it is known. */
export function shownFigures(runs: Result['runs']): readonly FigureName[] {
  const isKnown = (name: FigureName) => runs.some(({ figures }) => figures[name] != null)
  return FIGURE_NAMES.filter((name) => !needsDay(FIGURES[name]) || isKnown(name))
}

function needsDay(row: object): boolean {
  return 'needsDay' in row
}

/** The kind of the intervals beside the ratios of a run. */
export const INTERVAL_NAME = '95 % bootstrap interval'

/** The bounds of an interval. */
export function intervalText(interval: Estimate | undefined): string {
  return interval ? `${shownNumber(interval.low)} to ${shownNumber(interval.high)}` : 'unknown'
}
