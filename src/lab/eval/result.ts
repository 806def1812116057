import { basename } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type Criterion, EVALUATION_LIMITS, FIGURE_NAMES } from '../../contract/venue/evaluation.ts'
import { keccak256 } from '../../core/crypto/keccak.ts'
import { parsedJson } from '../../core/json.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import { shellArgument } from '../../operator/shell/arguments.ts'
import type { AgentChoice } from './agent.ts'
import type { Evaluation } from './evaluation.ts'
import { runMeasures } from './figures.ts'
import type { AccountSample } from './ledger.ts'
import type { RunOutcome } from './run.ts'
import { type Distribution, mean, toDistribution } from './statistics.ts'

const Nullable = Type.Union([Type.Number(), Type.Null()])
const Interval = Type.Object({ value: Type.Number(), low: Type.Number(), high: Type.Number() })
const Numbers = Type.Array(Type.Number(), { maxItems: EVALUATION_LIMITS.shownPointsMax + 1 })

/** The file format of a run. Curves are in ms and USDC. */
const RunFile = Type.Object({
  evaluation: Type.String(),
  agent: Type.String(),
  seed: Type.Integer(),
  hash: Type.String(),
  /** A digest of the worlds' terms, equal for comparable runs. Absent in older results. */
  terms: Type.Optional(Type.String()),
  /** The agent's outcome. Absent in older results. */
  outcome: Type.Optional(Type.String()),
  figures: Type.Record(Type.String(), Nullable),
  intervals: Type.Record(Type.String(), Interval),
  curve: Type.Object({ atMs: Numbers, value: Numbers, gross: Numbers, net: Numbers }),
})
export type RunFile = Static<typeof RunFile>

/** The judgement of one criterion. */
type Judged = {
  readonly criterion: string
  readonly isMet: boolean
  /** Seeds that did not meet the criterion; empty for a criterion about the mean. */
  readonly missed: readonly number[]
}

/** All runs of an agent. */
export type EvaluationResult = {
  readonly evaluation: string
  readonly agent: string
  readonly runs: readonly RunFile[]
  /** The distribution over the seeds, for each figure that is known for all seeds. */
  readonly distributions: Readonly<Record<string, Distribution>>
  readonly criteria: readonly Judged[]
  readonly isPassed: boolean
  /** The secret from which hidden seeds were derived. */
  readonly secret?: string
}

/** The file of a run. */
export function toRunFile(ran: RunOutcome, evaluation: Evaluation, agent: AgentChoice): RunFile {
  const { seed, hash, outcome, ledger } = ran
  const shown = thinned(ledger.samples)
  const { figures, intervals } = runMeasures(ran, evaluation)
  const usdc = (micros: number) => micros / 1_000_000
  return {
    ...{ evaluation: evaluation.name, agent: agentName(agent), seed, hash, outcome },
    terms: termsDigest(evaluation),
    figures,
    intervals: { ...intervals },
    curve: {
      atMs: shown.map(({ atMs }) => atMs),
      value: shown.map(({ value }) => usdc(value)),
      gross: shown.map(({ gross }) => usdc(gross)),
      net: shown.map(({ net }) => usdc(net)),
    },
  }
}

/** A digest of the terms of an evaluation: its worlds, its task and its limits. */
function termsDigest(evaluation: Evaluation): string {
  const { task, markets, activity, startMs, lengthMs, stepMs, usdcMicros } = evaluation
  const { tape, scenario, latency, faults, limits } = evaluation
  const terms = [
    ...[task, markets, activity, startMs, lengthMs, stepMs, usdcMicros],
    ...[tape && [tape.firstMs, tape.lastMs], scenario && basename(scenario)],
    ...[latency, faults, limits],
  ]
  const text = JSON.stringify(terms, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
  return Buffer.from(keccak256(Buffer.from(text))).toString('hex')
}

/** The run in a file's text. Throws UsageError for anything else. */
export function readRun(text: string, path: string): RunFile {
  const value = parsedJson(text)
  if (!Value.Check(RunFile, value)) throw new UsageError(`${path} is no run of an evaluation`)
  return value
}

const ResultFile = Type.Object({
  evaluation: Type.String(),
  agent: Type.String(),
  runs: Type.Array(RunFile, { minItems: 1, maxItems: EVALUATION_LIMITS.seedsMax }),
  criteria: Type.Array(
    Type.Object({
      criterion: Type.String(),
      isMet: Type.Boolean(),
      missed: Type.Array(Type.Integer()),
    }),
  ),
})

/** The result in a file's text. Throws UsageError for anything else. */
export function readResultText(text: string, path: string): EvaluationResult {
  const value = parsedJson(text)
  if (!Value.Check(ResultFile, value)) throw new UsageError(`${path} is no result of an evaluation`)
  const { evaluation, agent, runs, criteria } = value
  const isPassed = criteria.every(({ isMet }) => isMet)
  return {
    ...toEvaluationResult({ name: evaluation, criteria: [] }, runs),
    agent,
    criteria,
    isPassed,
  }
}

/** The name of an agent in results: a baseline's, its address, or its program's command. */
function agentName(agent: AgentChoice): string {
  if ('address' in agent) return agent.address
  return 'baseline' in agent ? agent.baseline : agent.command.map(shellArgument).join(' ')
}

/** Combines all runs and judges them by the criteria. */
export function toEvaluationResult(
  { name, criteria }: Pick<Evaluation, 'name' | 'criteria'>,
  runs: readonly RunFile[],
): EvaluationResult {
  const judged = criteria.map((criterion) => judge(criterion, runs))
  return {
    evaluation: name,
    agent: runs[0]?.agent ?? '',
    runs,
    distributions: figureDistributions(runs),
    criteria: judged,
    isPassed: judged.every(({ isMet }) => isMet),
  }
}

function figureDistributions(runs: readonly RunFile[]): EvaluationResult['distributions'] {
  const entries = FIGURE_NAMES.flatMap((name) => {
    const values = runs.flatMap(({ figures }) => figures[name] ?? [])
    return values.length === runs.length && runs.length > 0 ? [[name, toDistribution(values)]] : []
  })
  return Object.fromEntries(entries)
}

/** Judges a criterion. An unknown figure fails it. */
function judge(criterion: Criterion, runs: readonly RunFile[]): Judged {
  const {
    figure,
    over = 'every',
    at_least = Number.NEGATIVE_INFINITY,
    at_most = Number.POSITIVE_INFINITY,
  } = criterion
  const isWithin = (value: number | null | undefined) =>
    value != null && value >= at_least && value <= at_most
  const line = criterionText(criterion)
  if (over === 'mean') {
    const values = runs.map(({ figures }) => figures[figure])
    const known = values.filter((value) => value != null)
    const isMet = known.length === runs.length && isWithin(mean(known))
    return { criterion: line, isMet, missed: [] }
  }
  const missed = runs.filter(({ figures }) => !isWithin(figures[figure])).map(({ seed }) => seed)
  return { criterion: line, isMet: missed.length === 0, missed }
}

function criterionText({ figure, over = 'every', at_least, at_most }: Criterion): string {
  const bounds = [
    ...(at_least === undefined ? [] : [`at least ${at_least}`]),
    ...(at_most === undefined ? [] : [`at most ${at_most}`]),
  ]
  return `${figure} ${bounds.join(' and ')}, ${over === 'mean' ? 'mean of the seeds' : 'every seed'}`
}

/** Thins samples to the maximum of a result; the last sample is kept. */
function thinned(samples: readonly AccountSample[]): readonly AccountSample[] {
  const every = Math.ceil(samples.length / EVALUATION_LIMITS.shownPointsMax)
  return samples.filter((_, at) => at % every === 0 || at === samples.length - 1)
}
