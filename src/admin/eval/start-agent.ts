import type { Transport } from '../../client/client.ts'
import { after, expected } from '../../core/loop/guarded.ts'
import { printable, UsageError } from '../../settings/usage-error.ts'
import { EVALUATION_LIMITS } from '../../spec/venue/evaluation.ts'
import type { CommandWorld, RunningProgram } from '../command/command.ts'
import { runBaseline } from './baselines.ts'
import { createLocalAgent } from './caller.ts'
import type { Decision, DecisionWatch } from './decisions.ts'
import type { AgentChoice, Evaluation } from './evaluation.ts'
import type { RunTime } from './time.ts'
import type { EvaluationWorld } from './world.ts'

type Parts = Pick<CommandWorld, 'startProgram'> & {
  readonly world: EvaluationWorld
  readonly evaluation: Evaluation
  readonly agent: AgentChoice | { readonly replay: AsyncIterable<Decision> }
  readonly seed: number
  readonly watch: DecisionWatch
  readonly time: RunTime
  readonly transport: Transport
  readonly errorsPath: string
}

/** Lets an agent act until it ends, or time is over. Answers whether it ended without an error. */
export function startAgent(parts: Parts): Promise<boolean> {
  const { agent } = parts
  if ('command' in agent) return actAsProgram(parts, agent.command)
  return actHere(parts, async (call) => {
    if ('baseline' in agent) return runBaseline(agent.baseline, { ...parts, call })
    for await (const { tool, arguments: given } of agent.replay) await call(tool, given)
  })
}

/** An agent of this process. */
async function actHere(
  parts: Parts,
  act: (call: ReturnType<typeof createLocalAgent>['call']) => Promise<void>,
): Promise<boolean> {
  const local = createLocalAgent()
  const acted = act(local.call).finally(local.end)
  await serve(parts, local.output, async (line) => local.read(line))
  await acted
  return true
}

/** A program, until it ends, time is over, or it has asked for nothing for too long. */
async function actAsProgram(parts: Parts, command: readonly string[]): Promise<boolean> {
  const { time } = parts
  const program = startedProgram(parts, command)
  await serve(parts, untilOver(program, time), (line) => givenTo(program, line))
  program.closeInput()
  const exitCode = await within(program.exited, EVALUATION_LIMITS.endWaitMs)
  if (exitCode === null) program.kill()
  return exitCode === 0 || (exitCode === null && time.leftMs() <= 0)
}

function startedProgram(parts: Parts, command: readonly string[]): RunningProgram {
  const { startProgram, evaluation, seed, errorsPath } = parts
  const variables = {
    PREPD_EVAL_TASK: evaluation.task,
    PREPD_EVAL_MARKETS: evaluation.markets.join(','),
    PREPD_EVAL_SEED: String(seed),
    PREPD_EVAL_LENGTH_MS: String(evaluation.lengthMs),
    PREPD_EVAL_STEP_MS: String(evaluation.stepMs),
  }
  try {
    return startProgram(command, variables, errorsPath)
  } catch (error) {
    expected('process', error, 'system')
    throw new UsageError(`agent.command cannot be started: ${printable(command[0] ?? '')}`)
  }
}

/** What a program prints, until time is over or it is silent for too long. */
async function* untilOver(program: RunningProgram, time: RunTime): AsyncGenerator<Uint8Array> {
  const chunks = program.output[Symbol.asyncIterator]()
  for (;;) {
    const more = Promise.race([chunks.next(), time.over])
    const next = await within(more, EVALUATION_LIMITS.thinkMaxMs)
    if (next === null) program.kill()
    if (!next || next.done) return
    yield next.value
  }
}

/** Gives a program a line; one that reads nothing for too long is stopped. */
async function givenTo(program: RunningProgram, line: string): Promise<void> {
  const given = program.write(line).then(() => true)
  if ((await within(given, EVALUATION_LIMITS.thinkMaxMs)) === null) program.kill()
}

/** What is awaited; null when it takes longer. */
async function within<Value>(awaited: Promise<Value>, ms: number): Promise<Value | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>()
  const timer = after('process', ms, () => resolve(null))
  try {
    return await Promise.race([awaited, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Serves MCP to an agent, and shows its messages to the watch. */
function serve(
  { world, evaluation, transport, watch }: Parts,
  output: AsyncIterable<Uint8Array>,
  write: (line: string) => Promise<void>,
): Promise<void> {
  return world.serveAgent({
    credentials: world.credentials,
    limits: evaluation.limits,
    transport,
    input: watched(output, watch),
    write: async (line) => {
      watch.answered(line)
      await write(line)
    },
  })
}

async function* watched(
  output: AsyncIterable<Uint8Array>,
  watch: DecisionWatch,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of output) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = (lines.pop() ?? '').slice(-EVALUATION_LIMITS.logLineMaxChars)
    for (const line of lines) watch.asked(line)
    yield chunk
  }
}
