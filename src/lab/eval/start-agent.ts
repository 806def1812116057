import { type AgentOutcome, EVALUATED_AGENT_LIMITS } from '../../contract/venue/evaluated-agent.ts'
import { detached } from '../../core/loop/guarded.ts'
import type { AgentChoice } from './agent.ts'
import { actAsHttpProgram, actAtAddress } from './agent-http.ts'
import { runBaseline } from './baselines.ts'
import { createLocalAgent } from './caller.ts'
import type { DecisionWatch, LoggedDecision } from './decisions.ts'
import {
  type AgentEnvironment,
  createWaitUntil,
  resultWithin,
  startAgentProgram,
} from './program.ts'

/** The agent of a run, or the recorded calls of an earlier run to replay. */
export type RunAgent =
  | AgentChoice
  | { readonly replay: AsyncIterable<LoggedDecision>; readonly isEndedByOrders: boolean }

type StartOptions = AgentEnvironment & { readonly agent: RunAgent }

/** Runs an agent until it ends or the time is over. Returns its outcome. */
export function startAgent(parts: StartOptions): Promise<AgentOutcome> {
  const { agent } = parts
  if ('address' in agent) return actAtAddress(parts, agent.address)
  if ('command' in agent)
    return agent.mcp === 'http'
      ? actAsHttpProgram(parts, agent.command)
      : runAsProgram(parts, agent.command)
  return runInProcess(parts, async (call) => {
    if ('baseline' in agent) return runBaseline(agent.baseline, { ...parts, call })
    if (agent.isEndedByOrders) parts.work.begin()
    for await (const { tool, arguments: given } of agent.replay) await call(tool, given)
  })
}

/** Runs an agent in this process. */
async function runInProcess(
  parts: StartOptions,
  act: (call: ReturnType<typeof createLocalAgent>['call']) => Promise<void>,
): Promise<AgentOutcome> {
  const local = createLocalAgent()
  const acted = act(local.call).finally(local.end)
  await serve(parts, local.output, async (line) => local.read(line))
  await acted
  return parts.time.leftMs() > 0 ? 'done' : 'time_over'
}

/** Runs a program until it ends, the time is over, or a limit is exceeded. */
async function runAsProgram(
  parts: StartOptions,
  command: readonly string[],
): Promise<AgentOutcome> {
  const { time, work } = parts
  const program = startAgentProgram(parts, command)
  work.begin()
  detached('process', work.passed.then(program.kill))
  const untilPassed = createWaitUntil(work.passed)
  await serve(parts, outputUntilOver(parts, program.output), async (line) => {
    await untilPassed(() => program.write(line))
  })
  program.closeInput()
  const ended = Promise.race([work.passed, program.ended])
  const outcome = await resultWithin(ended, EVALUATED_AGENT_LIMITS.endWaitMs)
  if (outcome !== null) return outcome
  program.kill()
  return time.leftMs() <= 0 ? 'time_over' : 'failed'
}

/** Yields a program's output until the time is over or a limit is exceeded. */
async function* outputUntilOver(
  { time, work }: StartOptions,
  output: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const chunks = output[Symbol.asyncIterator]()
  const untilEnd = createWaitUntil(Promise.race([time.over, work.passed]))
  for (;;) {
    const next = await untilEnd(() => chunks.next())
    if (!next || next.done) return
    work.spend('bytes', next.value.length)
    yield next.value
  }
}

/** Serves MCP to an agent, and passes its messages to the watch. */
function serve(
  parts: StartOptions,
  output: AsyncIterable<Uint8Array>,
  write: (line: string) => Promise<void>,
): Promise<void> {
  const { world, evaluation, transport, newWatch } = parts
  const watch = newWatch()
  return world.serveAgent({
    credentials: world.credentials,
    limits: evaluation.limits,
    transport,
    input: watchedOutput(parts, output, watch),
    write: async (line) => {
      watch.answered(line)
      await write(line)
    },
    unsent: (answer) => watch.answered(`${answer}\n`),
  })
}

/**
 * Yields an agent's output until the run exceeds a limit of its work. A replay continues, because the original run may
 * have begun further calls before it reached the limit. Orders of these calls are refused.
 */
async function* watchedOutput(
  { agent, work }: StartOptions,
  output: AsyncIterable<Uint8Array>,
  watch: DecisionWatch,
): AsyncGenerator<Uint8Array> {
  const isOver = () => work.isPassed() && !('replay' in agent)
  const decoder = new TextDecoder()
  let line = ''
  const see = (part: Uint8Array) => {
    line = (line + decoder.decode(part, { stream: true })).slice(
      -EVALUATED_AGENT_LIMITS.lineMaxChars,
    )
    if (part.at(-1) !== NEWLINE) return
    work.spend('calls', 1)
    if (!isOver()) watch.asked(line.slice(0, -1))
    line = ''
  }
  for await (const chunk of output)
    for (const part of lineParts(chunk)) {
      see(part)
      if (isOver()) return
      yield part
    }
}

const NEWLINE = 10

/** Splits a chunk after each newline. */
function* lineParts(chunk: Uint8Array): Generator<Uint8Array> {
  let from = 0
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
    yield chunk.subarray(from, at + 1)
    from = at + 1
  }
  if (from < chunk.length) yield chunk.subarray(from)
}
