import type { Transport } from '../../client/client.ts'
import { after, codeOf, expected } from '../../core/loop/guarded.ts'
import { printable, UsageError } from '../../settings/usage-error.ts'
import type { CommandWorld, RunningProgram } from '../command/command.ts'
import type { DecisionWatch } from './decisions.ts'
import type { Evaluation } from './evaluation.ts'
import type { RunTime } from './time.ts'
import type { EvaluationWorld } from './world.ts'

/** What an agent acts in. */
export type AgentParts = {
  readonly outside: Pick<CommandWorld, 'startProgram' | 'beginAgent' | 'random' | 'disk'>
  readonly world: EvaluationWorld
  readonly evaluation: Evaluation
  readonly seed: number
  /** A watch of messages whose ids are their own. */
  readonly newWatch: () => DecisionWatch
  readonly time: RunTime
  readonly transport: Transport
  readonly errorsPath: string
}

/** Starts the program of an agent, with its task and further variables in its environment. Throws UsageError when there is none. */
export function startedProgram(
  { outside, evaluation, seed, errorsPath }: AgentParts,
  command: readonly string[],
  further: Readonly<Record<string, string>> = {},
): RunningProgram {
  const variables = {
    PREPD_EVAL_TASK: evaluation.task,
    PREPD_EVAL_MARKETS: evaluation.markets.join(','),
    PREPD_EVAL_SEED: String(seed),
    PREPD_EVAL_LENGTH_MS: String(evaluation.lengthMs),
    PREPD_EVAL_STEP_MS: String(evaluation.stepMs),
    ...further,
  }
  try {
    return outside.startProgram(command, variables, errorsPath)
  } catch (error) {
    expected('process', error, 'system')
    const program = printable(command[0] ?? '')
    const reason = REASONS[codeOf(error)] ?? `cannot be started (${codeOf(error)})`
    throw new UsageError(`the agent's program ${program} ${reason}`)
  }
}

/** What the system's codes for a program that cannot be started mean. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'was not found',
  ENOTDIR: 'was not found',
  EACCES: 'is no file that this user may execute',
  EPERM: 'is no file that this user may execute',
  ENOEXEC: 'is no program, nor a script that begins with #! and the path of its interpreter',
}

/** How a program came to its end. One that failed without a word gets its exit code as its errors. */
export function outcomeOf(
  { outside: { disk }, errorsPath }: AgentParts,
  exitCode: number,
): 'done' | 'failed' {
  if (exitCode === 0) return 'done'
  if (disk.isEmpty(errorsPath))
    disk.write(errorsPath, `the program ended with exit code ${exitCode} and printed no errors\n`)
  return 'failed'
}

/** The result of a promise; null when it takes longer. */
export async function within<Value>(awaited: Promise<Value>, ms: number): Promise<Value | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>()
  const timer = after('process', ms, () => resolve(null))
  try {
    return await Promise.race([awaited, late])
  } finally {
    clearTimeout(timer)
  }
}
