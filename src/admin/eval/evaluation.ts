import { dirname, isAbsolute, join } from 'node:path'
import type { Limits } from '../../core/mandate.ts'
import { type Files, textOf } from '../../settings/files.ts'
import { readTomlAs } from '../../settings/toml-file.ts'
import { UsageError } from '../../settings/usage-error.ts'
import type { Activity } from '../../spec/venue/activity.ts'
import {
  BASELINES,
  type BaselineName,
  type Criterion,
  EVALUATION_LIMITS,
  EvaluationFile,
  type LimitsTable,
} from '../../spec/venue/evaluation.ts'
import { scenarioProblems } from '../../venue/control/scenario/parse.ts'
import { durationOf } from '../../venue/control/values.ts'
import { marketProblems } from '../../venue/world-choices.ts'

/** Who is measured: a program that speaks MCP over its standard streams, or an agent that prepd brings. */
export type AgentChoice =
  | { readonly command: readonly string[] }
  | { readonly baseline: BaselineName }

/** What is run, and what counts as passed. Times in ms, money in micro-USDC. */
export type Evaluation = {
  readonly name: string
  readonly task: string
  readonly seeds: readonly number[]
  readonly markets: readonly string[]
  readonly activity: Activity
  readonly startMs: number
  readonly lengthMs: number
  readonly stepMs: number
  readonly usdcMicros: bigint
  /** The path of a scenario; null for none. */
  readonly scenario: string | null
  /** Null where the file names none. */
  readonly agent: AgentChoice | null
  readonly limits: Limits
  readonly criteria: readonly Criterion[]
}

const DEFAULTS = { start: '2026-01-01T00:00:00Z', usdc: 10_000, activity: 'normal' } as const
const MICROS = 1_000_000

/** Reads the file of an evaluation. Throws UsageError with one line for each problem. */
export function readEvaluation(path: string, files: Files): Evaluation {
  const text = textOf(files, path)
  if (text === null) throw new UsageError(`${path} cannot be read, or is larger than 1 MiB`)
  const file = readTomlAs(EvaluationFile, text)
  const evaluation = evaluationOf(file, path)
  const problems = problemsOf(evaluation, file, files)
  if (problems.length > 0) throw new UsageError(...problems)
  return evaluation
}

function evaluationOf(file: EvaluationFile, path: string): Evaluation {
  const { name, task, seeds, markets, activity = DEFAULTS.activity, scenario } = file
  return {
    name,
    task,
    seeds,
    markets,
    activity,
    startMs: Date.parse(file.start ?? DEFAULTS.start),
    lengthMs: durationOf(file.length) ?? 0,
    stepMs: durationOf(file.step) ?? 0,
    usdcMicros: microsOf(file.usdc ?? DEFAULTS.usdc),
    scenario: scenario === undefined ? null : besideOf(path, scenario),
    agent: choiceOf(file.agent ?? {}),
    limits: limitsOf(file.limits ?? {}),
    criteria: file.criteria ?? [],
  }
}

function problemsOf(evaluation: Evaluation, file: EvaluationFile, files: Files): string[] {
  const { lengthMs, stepMs, startMs, markets, scenario, criteria } = evaluation
  const { lengthMaxMs, stepsMax } = EVALUATION_LIMITS
  const unlimited = criteria.findIndex(
    (each) => each.at_least === undefined && each.at_most === undefined,
  )
  return [
    ...(Number.isNaN(startMs) ? ['start must be a time of the calendar'] : []),
    ...(lengthMs <= 0 || lengthMs > lengthMaxMs ? ['length must be from 1ms to 360d'] : []),
    ...(stepMs <= 0 || stepMs > lengthMs ? ['step must be from 1ms to the length'] : []),
    ...(stepMs > 0 && lengthMs / stepMs > stepsMax
      ? [`step must be longer: at most ${stepsMax} steps are in the length`]
      : []),
    ...(file.agent?.command && file.agent.baseline ? ['agent: give command or baseline'] : []),
    ...(unlimited >= 0 ? [`criteria[${unlimited}] must have at_least or at_most`] : []),
    ...marketProblems(markets, 'markets'),
    ...scenarioProblems(scenario, (path) => textOf(files, path), 'scenario'),
  ]
}

/** The agent of a run: the one that the command line names, else the one of the file. Throws UsageError without one. */
export function chosenAgent(named: string | undefined, { agent }: Evaluation): AgentChoice {
  const chosen = named === undefined ? agent : namedAgent(named)
  if (!chosen) throw new UsageError('the file has no [agent]: name one with --agent')
  return chosen
}

/** A baseline by its name, or a program by its path or its words. Throws UsageError for anything else. */
function namedAgent(named: string): AgentChoice {
  const baseline = BASELINES.find((name) => name === named)
  if (baseline) return { baseline }
  if (/[^ ] [^ ]|[/\\]/.test(named)) return { command: named.split(' ').filter(Boolean) }
  throw new UsageError(
    `--agent must be ${BASELINES.join(', ')}, or a command such as "node agent.mjs"`,
  )
}

function choiceOf({ command, baseline }: NonNullable<EvaluationFile['agent']>): AgentChoice | null {
  if (command) return { command }
  return baseline ? { baseline } : null
}

/** A path in a file is beside that file. */
function besideOf(path: string, name: string): string {
  return isAbsolute(name) ? name : join(dirname(path), name)
}

function microsOf(usdc: number): bigint {
  return BigInt(Math.round(usdc * MICROS))
}

function limitsOf(table: LimitsTable): Limits {
  const amount = (usdc: number | undefined) => (usdc === undefined ? undefined : microsOf(usdc))
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
