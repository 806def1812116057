import type { ServiceTransport } from '../../agents/client/client.ts'
import { EVALUATED_AGENT_LIMITS } from '../../contract/venue/evaluated-agent.ts'
import { after, detached, reportUnexpected, systemErrorCode } from '../../core/loop/guarded.ts'
import { printable, UsageError } from '../../core/settings/usage-error.ts'
import type { CommandWorld, RunningProgram } from '../../operator/command/command.ts'
import type { DecisionWatch } from './decisions.ts'
import { agentEnvironment } from './environment.ts'
import type { Evaluation } from './evaluation.ts'
import { runFileWrite } from './file-write.ts'
import type { RunTime } from './time.ts'
import type { AgentWork } from './work.ts'
import type { EvaluationWorld } from './world.ts'

/** Everything that an agent's run uses. */
export type AgentEnvironment = {
  readonly outside: Pick<CommandWorld, 'startProgram' | 'beginAgent' | 'random' | 'disk' | 'user'>
  readonly world: EvaluationWorld
  readonly evaluation: Evaluation
  readonly seed: number
  /** Creates a watch for one MCP connection, whose message ids are independent of other connections. */
  readonly newWatch: () => DecisionWatch
  readonly time: RunTime
  readonly work: AgentWork
  readonly transport: ServiceTransport
  readonly errorsPath: string
}

/** The running program of an agent. */
export type StartedProgram = Omit<RunningProgram, 'exited' | 'errors'> & {
  /**
   * The outcome once the program ends. If the program failed without error output, the file of errors gets its exit
   * code.
   */
  readonly ended: Promise<'done' | 'failed'>
}

/** Starts an agent's program with its task and only the allowed variables. Throws UsageError if the program cannot be started. */
export function startAgentProgram(
  parts: AgentEnvironment,
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
    return { ...program, ended: awaitRunOutcome(parts, exited, keepErrors(parts, errors)) }
  } catch (error) {
    reportUnexpected('process', error, 'system')
    const program = printable(command[0] ?? '')
    const reason =
      REASONS[systemErrorCode(error)] ?? `cannot be started (${systemErrorCode(error)})`
    throw new UsageError(`the agent's program ${program} ${reason}`)
  }
}

/** The meanings of the system's codes for a failed start of a program. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'was not found',
  ENOTDIR: 'was not found',
  EACCES: 'is no file that this user may execute',
  EPERM: 'is no file that this user may execute',
  ENOEXEC: 'is no program, nor a script that begins with #! and the path of its interpreter',
}

/** Writes a program's error output to its file, up to a limit. */
async function keepErrors(
  { outside: { disk }, work, errorsPath }: AgentEnvironment,
  errors: AsyncIterable<Uint8Array>,
): Promise<void> {
  const file = disk.writer(errorsPath)
  const decoder = new TextDecoder()
  let leftBytes = EVALUATED_AGENT_LIMITS.errorsMaxBytes
  for await (const chunk of errors) {
    work.spend('bytes', chunk.length)
    if (leftBytes > 0) file.write(decoder.decode(chunk.subarray(0, leftBytes), { stream: true }))
    leftBytes -= chunk.length
  }
  if (leftBytes < 0) file.write(`\n[cut at ${EVALUATED_AGENT_LIMITS.errorsMaxBytes} bytes]\n`)
  runFileWrite(errorsPath, file.end)
}

async function awaitRunOutcome(
  { outside: { disk }, work, errorsPath }: AgentEnvironment,
  exited: Promise<number>,
  kept: Promise<void>,
): Promise<'done' | 'failed'> {
  const exitCode = await exited
  // Waits with a timeout, because a child outside the process group may keep the stream open.
  await resultWithin(kept, EVALUATED_AGENT_LIMITS.endWaitMs)
  if (exitCode === 0) return 'done'
  if (disk.isEmpty(errorsPath) && !work.isPassed())
    disk.write(errorsPath, `the program ended with exit code ${exitCode} and printed no errors\n`)
  return 'failed'
}

/**
 * Returns a function that awaits work until `end` settles. After that, the function returns undefined and starts no
 * work. It adds only one reaction to `end`. Repeated Promise.race calls would add many, which a pending promise keeps
 * in memory.
 */
export function createWaitUntil(end: Promise<unknown>) {
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

/** The result of a promise; null after the timeout. */
export async function resultWithin<Value>(
  awaited: Promise<Value>,
  ms: number,
): Promise<Value | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>()
  const timer = after('process', ms, () => resolve(null))
  try {
    return await Promise.race([awaited, late])
  } finally {
    clearTimeout(timer)
  }
}
