import { toHex } from '../../core/hex.ts'
import { after, expected, guarded } from '../../core/loop/guarded.ts'
import { UsageError } from '../../settings/usage-error.ts'
import { type AgentOutcome, EVALUATION_LIMITS } from '../../spec/venue/evaluation.ts'
import type { AgentListener } from '../command/command.ts'
import { type AgentParts, outcomeOf, startedProgram, within } from './program.ts'

/** Where an agent reaches its tools. */
type Tools = { readonly url: string; readonly token: string }

/** Settles when the agent has ended by itself. The signal aborts when it is no longer waited for. */
type Begin = (tools: Tools, stopped: AbortSignal) => Promise<AgentOutcome>

const TOKEN_BYTES = 32
const ACCEPTED = 202

/** An agent that runs already: it is asked at its address to begin, and has ended when it answers, or later when it says so. */
export function actAtAddress(parts: AgentParts, address: string): Promise<AgentOutcome> {
  const { outside, evaluation, seed, errorsPath } = parts
  const { task, markets, lengthMs, stepMs } = evaluation
  return actOverHttp(parts, async (tools, stopped) => {
    const terms = { ...tools, task, markets, seed, lengthMs, stepMs }
    try {
      const status = await outside.beginAgent(address, terms, stopped)
      if (status === ACCEPTED) return new Promise(() => undefined)
      if (status >= 200 && status < 300) return 'done'
      outside.disk.write(errorsPath, `${address} answered with status ${status}\n`)
      return 'refused'
    } catch (error) {
      // Whatever fetch throws before it is stopped here: the agent cannot be reached.
      const { name, code } = Object(error)
      const problem = `${address} cannot be reached: ${code ?? name}\n`
      if (!stopped.aborted) outside.disk.write(errorsPath, problem)
      return 'away'
    }
  })
}

/** A program that finds the URL and token of its tools in its environment. */
export function actAsHttpProgram(
  parts: AgentParts,
  command: readonly string[],
): Promise<AgentOutcome> {
  return actOverHttp(parts, async ({ url, token }, stopped) => {
    const variables = { PREPD_EVAL_MCP_URL: url, PREPD_EVAL_MCP_TOKEN: token }
    const program = startedProgram(parts, command, variables)
    stopped.addEventListener('abort', guarded('process', program.kill))
    program.closeInput()
    const drained = drain(program.output)
    const exitCode = await program.exited
    await drained
    return outcomeOf(parts, exitCode)
  })
}

async function drain(output: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of output);
}

/** Serves its tools to an agent over HTTP, until it ends, time is over, or it has called nothing for too long. */
async function actOverHttp(parts: AgentParts, begin: Begin): Promise<AgentOutcome> {
  const { outside, evaluation, time } = parts
  const token = toHex(outside.random.bytes(TOKEN_BYTES))
  const done = Promise.withResolvers<AgentOutcome>()
  const silence = createSilence(evaluation.thinkMaxMs)
  const stopping = new AbortController()
  const tools = listening(parts, token, silence, () => done.resolve('done'))
  silence.begin()
  try {
    const begun = begin({ url: tools.url, token }, stopping.signal)
    const over = time.over.then((): AgentOutcome => 'time_over')
    const ended = Promise.race([begun, done.promise])
    const outcome = await Promise.race([ended, over, silence.reached])
    await tools.close()
    // How an agent ends that has had all its time is its own affair.
    const waitMs = Math.min(EVALUATION_LIMITS.endWaitMs, evaluation.thinkMaxMs)
    if (outcome === 'time_over') await within(ended, waitMs)
    return outcome
  } finally {
    stopping.abort()
    await tools.stop()
    silence.end()
  }
}

function listening(
  { world, evaluation, transport, newWatch }: AgentParts,
  token: string,
  silence: Silence,
  ended: () => void,
): AgentListener {
  const { credentials } = world
  const { limits, port } = evaluation
  const asked = (text: string) => {
    const watch = newWatch()
    watch.asked(text)
    silence.asked()
    return (answer: string) => {
      // With the newline of a line over standard streams, so that equal calls count the same.
      watch.answered(`${answer}\n`)
      silence.answered()
    }
  }
  try {
    const agent = { credentials, limits, transport }
    return world.listenAgent(agent, { port, token, asked, ended })
  } catch (error) {
    expected('process', error, 'system')
    throw new UsageError(`agent.port ${port} cannot be opened: another program may have it`)
  }
}

type Silence = ReturnType<typeof createSilence>

/** A time without a call that is asked or under way. */
function createSilence(maxMs: number) {
  const { promise: reached, resolve } = Promise.withResolvers<'silent'>()
  let timer: NodeJS.Timeout | undefined
  let calls = 0
  const end = () => clearTimeout(timer)
  const begin = () => {
    timer = after('process', maxMs, () => resolve('silent'))
  }
  return {
    reached,
    begin,
    end,
    asked: () => {
      calls += 1
      end()
    },
    answered: () => {
      calls -= 1
      if (calls === 0) begin()
    },
  }
}
