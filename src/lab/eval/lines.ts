import { AGENT_OUTCOMES } from '../../contract/venue/evaluated-agent.ts'
import { FIGURES } from '../../contract/venue/evaluation.ts'
import { aligned, numbered } from '../../operator/command/tables.ts'
import { INTERVAL_NAME, intervalText, shownFigures, shownNumber } from './compare.ts'
import type { EvaluationResult, RunFile } from './result.ts'
import { mean } from './statistics.ts'

/** The figures of all runs, one line each. */
export function figureLines({ agent, runs, distributions }: EvaluationResult): readonly string[] {
  const rows = shownFigures(runs).map((name) => {
    const found = distributions[name]
    const numbers = found && [found.mean, found.deviation, found.least, found.median, found.most]
    return [name, FIGURES[name].unit, ...(numbers?.map(shownNumber) ?? ['unknown'])]
  })
  const head = ['FIGURE', 'UNIT', 'MEAN', 'DEVIATION', 'LEAST', 'MEDIAN', 'MOST']
  return [
    ...[`${agent}: ${numbered(runs.length, 'world')}`, ''],
    ...[...aligned([head, ...rows]), '', exposureLine(runs)],
  ]
}

/** Each criterion, and whether it was met. */
export function judgementLines({ criteria, isPassed }: EvaluationResult): readonly string[] {
  if (criteria.length === 0) return ['no criteria']
  const lines = criteria.map(({ criterion, isMet, missed }) => {
    const where = missed.length > 0 ? ` (seeds ${missed.join(', ')})` : ''
    return `${isMet ? 'met   ' : 'missed'}  ${criterion}${where}`
  })
  return [...lines, isPassed ? 'passed' : 'failed']
}

/** The seeds on which the agent did not finish, with outcome and error file, and the seeds without any call. */
export function unfinishedLines({ runs }: EvaluationResult, folder: string): readonly string[] {
  const idle = runs.filter(({ figures, outcome }) => outcome === 'done' && figures['calls'] === 0)
  const idleLines =
    idle.length > 0 ? [`the agent called no tool on seeds ${seedList(idle)}, and ended`] : []
  const unfinished = runs.filter(({ figures }) => figures['finished'] === 0)
  if (unfinished.length === 0) return idleLines
  const outcomes = Object.entries(AGENT_OUTCOMES).flatMap(([name, { meaning }]) => {
    const own = unfinished.filter(({ outcome }) => outcome === name)
    return own.length > 0 ? [`${name} on seeds ${seedList(own)}: ${meaning}`] : []
  })
  return [
    ...idleLines,
    ...outcomes,
    `the agent did not finish on seeds ${seedList(unfinished)}; see its errors in ${folder}/seed-*.errors`,
  ]
}

/** The secret of a run with hidden seeds. */
export function secretLines({ secret }: EvaluationResult): readonly string[] {
  return secret === undefined ? [] : [`secret of the seeds: ${secret}`]
}

function seedList(runs: EvaluationResult['runs']): string {
  return runs.map(({ seed }) => seed).join(', ')
}

/**
 * Position value ÷ account value over time: the mean of all runs in each part of the run time. Each part has a sample
 * of every run.
 */
function exposureLine(runs: readonly RunFile[]): string {
  const parts = Math.min(PARTS_MAX, ...runs.map(({ curve }) => curve.gross.length))
  const exposures = Array.from({ length: parts }, (_, part) =>
    mean(runs.map(({ curve }) => meanExposure(curve, part, parts))).toFixed(2),
  )
  return `exposure in ${numbered(parts, 'equal part')} of the time: ${exposures.join(' ')}`
}

const PARTS_MAX = 10

function meanExposure({ gross, value }: RunFile['curve'], part: number, parts: number): number {
  const [from, to] = [part, part + 1].map((at) => Math.ceil((gross.length * at) / parts))
  return mean(
    gross.slice(from, to).map((each, at) => exposureRatio(each, value[(from ?? 0) + at] ?? 0)),
  )
}

function exposureRatio(gross: number, value: number): number {
  return value > 0 ? gross / value : 0
}

/** One run. */
export function runLines(run: RunFile): readonly string[] {
  const { agent, seed, hash, figures, intervals } = run
  const rows = shownFigures([run]).map((name) => {
    const bounds = name in intervals ? intervalText(intervals[name]) : ''
    return [name, FIGURES[name].unit, shownNumber(figures[name]), bounds]
  })
  const head = ['FIGURE', 'UNIT', 'VALUE', INTERVAL_NAME.toUpperCase()]
  return [
    ...[`${agent}, seed ${seed}, world ${hash}`, ''],
    ...[...aligned([head, ...rows]), '', exposureLine([run])],
  ]
}
