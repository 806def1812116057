import { FIGURE_NAMES, FIGURES, type FigureName } from '../../contract/venue/evaluation.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import { aligned } from '../../operator/command/tables.ts'
import { createRng, nextRandom } from '../../simulator/base/rng.ts'
import type { EvaluationResult } from './result.ts'
import { type Estimate, mean, pairedTest } from './statistics.ts'

/** A figure of two agents over the same seeds, and the difference. */
type Difference = {
  readonly figure: string
  readonly one: number
  readonly other: number
  /** Mean of the differences: second agent minus first. */
  readonly difference: number
  /** Two-sided p-value of a randomisation test over the pairs. */
  readonly p: number
}

export type Comparison = {
  readonly evaluation: string
  readonly agents: readonly [string, string]
  /** The number of common seeds. */
  readonly pairs: number
  readonly differences: readonly Difference[]
}

const SIGNIFICANT = 0.05

/**
 * Compares two agents seed by seed. Throws UsageError for results of different evaluations or versions, or without a
 * common seed.
 */
export function compare(one: EvaluationResult, other: EvaluationResult): Comparison {
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
    return known.length === pairs.length ? [pairedDifference(figure, known)] : []
  })
  return {
    evaluation: one.evaluation,
    agents: [one.agent, other.agent],
    pairs: pairs.length,
    differences,
  }
}

function pairedDifference(
  figure: string,
  pairs: readonly (readonly [number, number])[],
): Difference {
  const rng = createRng(pairs.length, 'paired-test', figure)
  const between = pairs.map(([first, second]) => second - first)
  return {
    figure,
    one: mean(pairs.map(([first]) => first)),
    other: mean(pairs.map(([, second]) => second)),
    difference: mean(between),
    p: pairedTest(between, () => nextRandom(rng)),
  }
}

/** A comparison as text. A mark follows differences with a p-value below 5 %. */
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

/** A figure with few digits, for display. */
export function shownNumber(value: number | null | undefined): string {
  if (value == null) return 'unknown'
  return Number.isInteger(value) ? String(value) : Number(value.toPrecision(6)).toString()
}

/** The figures to show for some runs. Figures that need a day are shown only if they are known. */
export function shownFigures(runs: EvaluationResult['runs']): readonly FigureName[] {
  const isKnown = (name: FigureName) => runs.some(({ figures }) => figures[name] != null)
  return FIGURE_NAMES.filter((name) => !needsDay(FIGURES[name]) || isKnown(name))
}

function needsDay(row: object): boolean {
  return 'needsDay' in row
}

/** The displayed name of the intervals of ratios. */
export const INTERVAL_NAME = '95 % bootstrap interval'

/** The bounds of an interval. */
export function intervalText(interval: Estimate | undefined): string {
  return interval ? `${shownNumber(interval.low)} to ${shownNumber(interval.high)}` : 'unknown'
}
