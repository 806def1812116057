import { detached } from '../../core/loop/guarded.ts'
import { type AgentOutcome, EVALUATION_LIMITS } from '../../spec/venue/evaluation.ts'
import type { RunningProgram } from '../command/command.ts'
import { actAsHttpProgram, actAtAddress } from './agent-http.ts'
import { runBaseline } from './baselines.ts'
import { createLocalAgent } from './caller.ts'
import type { Decision, DecisionWatch } from './decisions.ts'
import type { AgentChoice } from './evaluation.ts'
import { type AgentParts, outcomeOf, startedProgram, within } from './program.ts'

type Parts = AgentParts & {
  readonly agent: AgentChoice | { readonly replay: AsyncIterable<Decision> }
}

/** Lets an agent act until it ends, or time is over. Answers how it came to its end. */
export function startAgent(parts: Parts): Promise<AgentOutcome> {
  const { agent } = parts
  if ('address' in agent) return actAtAddress(parts, agent.address)
  if ('command' in agent)
    return agent.mcp === 'http'
      ? actAsHttpProgram(parts, agent.command)
      : actAsProgram(parts, agent.command)
  return actHere(parts, async (call) => {
    if ('baseline' in agent) return runBaseline(agent.baseline, { ...parts, call })
    for await (const { tool, arguments: given } of agent.replay) await call(tool, given)
  })
}

/** An agent of this process. */
async function actHere(
  parts: Parts,
  act: (call: ReturnType<typeof createLocalAgent>['call']) => Promise<void>,
): Promise<AgentOutcome> {
  const local = createLocalAgent()
  const acted = act(local.call).finally(local.end)
  await serve(parts, local.output, async (line) => local.read(line))
  await acted
  return parts.time.leftMs() > 0 ? 'done' : 'time_over'
}

/** A program, until it ends, time is over, or it has asked for nothing for too long. */
async function actAsProgram(parts: Parts, command: readonly string[]): Promise<AgentOutcome> {
  const { time, evaluation } = parts
  const program = startedProgram(parts, command)
  const silent = Promise.withResolvers<'silent'>()
  const stop = () => {
    silent.resolve('silent')
    program.kill()
  }
  const output = untilOver(parts, program, stop)
  await serve(parts, output, async (line) => {
    const given = program.write(line).then(() => true)
    if ((await within(given, evaluation.thinkMaxMs)) === null) stop()
  })
  program.closeInput()
  const exited = program.exited.then((exitCode) => outcomeOf(parts, exitCode))
  const outcome = await within(Promise.race([silent.promise, exited]), EVALUATION_LIMITS.endWaitMs)
  if (outcome !== null) return outcome
  program.kill()
  return time.leftMs() <= 0 ? 'time_over' : 'failed'
}

/** The output of a program, until time is over or it is silent for too long. */
async function* untilOver(
  { time, evaluation }: Parts,
  program: RunningProgram,
  stop: () => void,
): AsyncGenerator<Uint8Array> {
  const chunks = program.output[Symbol.asyncIterator]()
  let isOver = false
  let wake = (_none?: undefined) => {}
  const end = () => {
    isOver = true
    wake()
  }
  detached('process', time.over.then(end))
  while (!isOver) {
    // A promise keeps all that has raced it until it settles: that of the run would keep every chunk.
    const woken = Promise.withResolvers<undefined>()
    wake = woken.resolve
    const next = await within(Promise.race([chunks.next(), woken.promise]), evaluation.thinkMaxMs)
    if (next === null) stop()
    if (!next || next.done) return
    yield next.value
  }
}

/** Serves MCP to an agent, and shows its messages to the watch. */
function serve(
  { world, evaluation, transport, newWatch }: Parts,
  output: AsyncIterable<Uint8Array>,
  write: (line: string) => Promise<void>,
): Promise<void> {
  const watch = newWatch()
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
