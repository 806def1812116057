import type { Transport } from '../../agents/client/client.ts'
import { AGENT_LIMITS } from '../../contract/venue/evaluated-agent.ts'
import { after, codeOf, detached, expected } from '../../core/loop/guarded.ts'
import { printable, UsageError } from '../../core/settings/usage-error.ts'
import type { CommandWorld, RunningProgram } from '../../operator/command/command.ts'
import type { DecisionWatch } from './decisions.ts'
import { agentEnvironment } from './environment.ts'
import type { Evaluation } from './evaluation.ts'
import type { RunTime } from './time.ts'
import type { AgentWork } from './work.ts'
import type { EvaluationWorld } from './world.ts'
import { writingTo } from './writing.ts'

/** What an agent acts in. */
export type AgentParts = {
  readonly outside: Pick<CommandWorld, 'startProgram' | 'beginAgent' | 'random' | 'disk' | 'user'>
  readonly world: EvaluationWorld
  readonly evaluation: Evaluation
  readonly seed: number
  /** A watch of messages whose ids are their own. */
  readonly newWatch: () => DecisionWatch
  readonly time: RunTime
  readonly work: AgentWork
  readonly transport: Transport
  readonly errorsPath: string
}

/** The program of an agent that runs. */
export type StartedProgram = Omit<RunningProgram, 'exited' | 'errors'> & {
  /** How it came to its end by itself. One that failed without a word gets its exit code as its errors. */
  readonly ended: Promise<'done' | 'failed'>
}

/**
 * Starts the program of an agent in an environment of its own, with its task and further variables. Throws UsageError when
 * there is none.
 */
export function startedProgram(
  parts: AgentParts,
  command: readonly string[],
  further: Readonly<Record<string, string>> = {},
): StartedProgram {
  const { outside, evaluation, seed } = parts
  const variables = {
    ...agentEnvironment(outside.user.variables, evaluation.agentTerms.env),
    PREPD_EVAL_TASK: evaluation.task,
    PREPD_EVAL_MARKETS: evaluation.markets.join(','),
    ...(!evaluation.isHidden && { PREPD_EVAL_SEED: String(seed) }),
    PREPD_EVAL_LENGTH_MS: String(evaluation.lengthMs),
    PREPD_EVAL_STEP_MS: String(evaluation.stepMs),
    ...further,
  }
  try {
    const { exited, errors, ...program } = outside.startProgram(command, variables)
    return { ...program, ended: outcomeOf(parts, exited, keepErrors(parts, errors)) }
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

/** Writes what a program prints as errors to their file, up to a limit. */
async function keepErrors(
  { outside: { disk }, work, errorsPath }: AgentParts,
  errors: AsyncIterable<Uint8Array>,
): Promise<void> {
  const file = disk.writer(errorsPath)
  const decoder = new TextDecoder()
  let leftBytes = AGENT_LIMITS.errorsMaxBytes
  for await (const chunk of errors) {
    work.spend('bytes', chunk.length)
    if (leftBytes > 0) file.write(decoder.decode(chunk.subarray(0, leftBytes), { stream: true }))
    leftBytes -= chunk.length
  }
  if (leftBytes < 0) file.write(`\n[cut at ${AGENT_LIMITS.errorsMaxBytes} bytes]\n`)
  writingTo(errorsPath, file.end)
}

async function outcomeOf(
  { outside: { disk }, work, errorsPath }: AgentParts,
  exited: Promise<number>,
  kept: Promise<void>,
): Promise<'done' | 'failed'> {
  const exitCode = await exited
  // A program that has left the group may hold the stream open.
  await within(kept, AGENT_LIMITS.endWaitMs)
  if (exitCode === 0) return 'done'
  if (disk.isEmpty(errorsPath) && !work.isPassed())
    disk.write(errorsPath, `the program ended with exit code ${exitCode} and printed no errors\n`)
  return 'failed'
}

/**
 * A function that waits for work, at most until `end` settles: then it answers undefined, and begins no further work. `end`
 * gets one reaction, since a promise keeps the reactions of all that has raced it until it settles.
 */
export function waitsUntil(end: Promise<unknown>) {
  const wakes = new Set<(none?: undefined) => void>()
  let isOver = false
  const over = () => {
    isOver = true
    for (const wake of wakes) wake()
  }
  detached('process', end.then(over))
  return async <Value>(work: () => Promise<Value>): Promise<Value | undefined> => {
    if (isOver) return undefined
    const { promise, resolve } = Promise.withResolvers<undefined>()
    wakes.add(resolve)
    try {
      return await Promise.race([work(), promise])
    } finally {
      wakes.delete(resolve)
    }
  }
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
