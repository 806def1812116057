import { dirname, isAbsolute, join } from 'node:path'
import type { Activity } from '../../contract/venue/activity.ts'
import {
  type Criterion,
  EVALUATION_LIMITS,
  EvaluationFile,
  type LimitsTable,
} from '../../contract/venue/evaluation.ts'
import type { VenueLatency } from '../../contract/venue/latency.ts'
import { Failure } from '../../core/failure.ts'
import type { Limits } from '../../core/mandate.ts'
import { type Files, readTextFile } from '../../core/settings/files.ts'
import { readTomlAs } from '../../core/settings/toml-file.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import { VENUE_KINDS } from '../../core/settings/venue-kinds.ts'
import { readCommand } from '../../simulator/control/commands.ts'
import { scenarioProblems } from '../../simulator/control/scenario/parse.ts'
import { parseDuration } from '../../simulator/control/values.ts'
import { marketProblems } from '../../simulator/world-choices.ts'
import {
  type AgentChoice,
  type AgentTerms,
  agentChoice,
  agentProblems,
  agentTerms,
} from './agent.ts'
import {
  type EvaluationTape,
  readEvaluationPrices,
  readEvaluationTape,
  tapeConflicts,
} from './tape-world.ts'

/** The terms and criteria of an evaluation. Times in ms, money in micro-USDC. */
export type Evaluation = {
  readonly name: string
  readonly task: string
  /** The seeds of the worlds. With hidden seeds: the numbers of the worlds, from 1. */
  readonly seeds: readonly number[]
  /** Whether seeds are derived from a secret of the run and hidden from the agent. */
  readonly isHidden: boolean
  readonly markets: readonly string[]
  readonly activity: Activity
  readonly startMs: number
  readonly lengthMs: number
  readonly stepMs: number
  readonly usdcMicros: bigint
  /** The recorded market that the worlds replay; null for a simulated market. */
  readonly tape: EvaluationTape | null
  /** The recorded candles that the worlds' index price follows; null without such a file. */
  readonly prices: EvaluationTape | null
  /** The path of a scenario; null without a scenario. */
  readonly scenario: string | null
  /** Latency of calls and live messages; null means no latency. */
  readonly latency: VenueLatency | null
  /** The faults of the venue's wire, as command parameters. They are injected when the agent begins. */
  readonly faults: readonly Readonly<Record<string, string | number>>[]
  /** Null if the file names no agent. */
  readonly agent: AgentChoice | null
  readonly agentTerms: AgentTerms
  readonly limits: Limits
  readonly criteria: readonly Criterion[]
}

const DEFAULTS = {
  start: '2026-01-01T00:00:00Z',
  usdc: 10_000,
  worlds: 5,
  activity: 'normal',
} as const
const MICROS = 1_000_000

/** Parses the file of an evaluation. Throws UsageError with one line per problem. */
export function readEvaluation(path: string, files: Files): Evaluation {
  const text = readTextFile(files, path)
  if (text === null) throw new UsageError(`${path} cannot be read, or is larger than 1 MiB`)
  const file = readTomlAs(EvaluationFile, text)
  const evaluation = toEvaluation(file, path, files)
  const problems = evaluationProblems(evaluation, file, files)
  if (problems.length > 0) throw new UsageError(...problems)
  return evaluation
}

function toEvaluation(file: EvaluationFile, path: string, files: Files): Evaluation {
  const { name, task, markets, activity = DEFAULTS.activity, scenario } = file
  return {
    name,
    task,
    ...seedsIn(file),
    markets,
    activity,
    ...marketSource(file, path, files),
    lengthMs: parseDuration(file.length) ?? 0,
    stepMs: parseDuration(file.step) ?? 0,
    usdcMicros: roundedMicros(file.usdc ?? DEFAULTS.usdc),
    scenario: scenario === undefined ? null : resolveBeside(path, scenario),
    latency: VENUE_KINDS.latency.parse(file.latency ?? 'off') ?? null,
    faults: file.faults ?? [],
    agent: agentChoice(file.agent ?? {}),
    agentTerms: agentTerms(file.agent ?? {}),
    limits: toLimits(file.limits ?? {}),
    criteria: file.criteria ?? [],
  }
}

function seedsIn({ seeds, worlds = DEFAULTS.worlds }: EvaluationFile) {
  if (seeds !== 'hidden') return { seeds, isHidden: false }
  return { seeds: Array.from({ length: worlds }, (_, at) => at + 1), isHidden: true }
}

/**
 * The tape or the prices of an evaluation, and the start time. Default start: the beginning of the tape or of the
 * prices.
 */
function marketSource(file: EvaluationFile, path: string, files: Files) {
  const { start, markets } = file
  const tape = file.tape === undefined ? null : readEvaluationTape(resolveBeside(path, file.tape))
  const prices =
    file.prices === undefined
      ? null
      : readEvaluationPrices(resolveBeside(path, file.prices), files, markets)
  const begun = (tape ?? prices)?.firstMs
  const startMs =
    start === undefined && begun !== undefined && Number.isFinite(begun)
      ? begun
      : Date.parse(start ?? DEFAULTS.start)
  return { tape, prices, startMs }
}

function evaluationProblems(evaluation: Evaluation, file: EvaluationFile, files: Files): string[] {
  const { lengthMs, stepMs, startMs, markets, scenario, criteria } = evaluation
  const { lengthMaxMs, stepsMax } = EVALUATION_LIMITS
  const unlimited = criteria.findIndex(
    (each) => each.at_least === undefined && each.at_most === undefined,
  )
  return [
    ...(Number.isNaN(startMs) ? ['start must be a time of the calendar'] : []),
    ...(lengthMs <= 0 || lengthMs > lengthMaxMs ? ['length must be from 1ms to 366d'] : []),
    ...(stepMs <= 0 || stepMs > lengthMs ? ['step must be from 1ms to the length'] : []),
    ...(stepMs > 0 && lengthMs / stepMs > stepsMax
      ? [`step must be longer: at most ${stepsMax} steps are in the length`]
      : []),
    ...worldsProblems(file),
    ...agentProblems(file.agent ?? {}, evaluation.agentTerms),
    ...(unlimited >= 0 ? [`criteria[${unlimited}] must have at_least or at_most`] : []),
    ...marketProblems(markets, 'markets'),
    ...tapeConflicts(evaluation, file),
    ...scenarioProblems(scenario, (path) => readTextFile(files, path), 'scenario'),
    ...latencyProblems(file.latency ?? 'off'),
    ...(file.faults ?? []).flatMap(faultProblems),
  ]
}

function worldsProblems({ worlds, seeds }: EvaluationFile): string[] {
  const isMisplaced = worlds !== undefined && seeds !== 'hidden'
  return isMisplaced ? ['worlds is that of seeds = "hidden"'] : []
}

function latencyProblems(text: string): string[] {
  const { parse, expects } = VENUE_KINDS.latency
  return parse(text) === undefined ? [`latency must be ${expects}`] : []
}

function faultProblems(fault: Evaluation['faults'][number], at: number): string[] {
  const texts = Object.entries(fault).map(([parameter, value]) => [parameter, String(value)])
  try {
    readCommand('faults add', Object.fromEntries(texts))
    return []
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { parameter, expected } = error.meta ?? {}
    return [`faults[${at}]: ${parameter} must be ${expected}`]
  }
}

/** Resolves a path in a file relative to that file. */
function resolveBeside(path: string, name: string): string {
  return isAbsolute(name) ? name : join(dirname(path), name)
}

function roundedMicros(usdc: number): bigint {
  return BigInt(Math.round(usdc * MICROS))
}

function toLimits(table: LimitsTable): Limits {
  const amount = (usdc: number | undefined) =>
    usdc === undefined ? undefined : roundedMicros(usdc)
  const given: Limits = {
    maxOrderUsdc: amount(table.max_order_usdc),
    maxDailyUsdc: amount(table.max_daily_usdc),
    maxPositionUsdc: amount(table.max_position_usdc),
    maxLossUsdc: amount(table.max_loss_usdc),
    maxLeverage: table.max_leverage,
    maxOrdersPerMinute: table.max_orders_per_minute,
    reduceOnly: table.reduce_only,
    readOnly: table.read_only,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
