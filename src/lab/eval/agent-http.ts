import { type AgentOutcome, EVALUATED_AGENT_LIMITS } from '../../contract/venue/evaluated-agent.ts'
import { toHex } from '../../core/hex.ts'
import { detached, guarded, reportUnexpected } from '../../core/loop/guarded.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import type { AgentListener } from '../../operator/command/command.ts'
import { type AgentEnvironment, resultWithin, startAgentProgram } from './program.ts'

/** The address and the token of an agent's tools. */
type Tools = { readonly url: string; readonly token: string }

/** Starts an agent. The promise settles when the agent has ended by itself; the signal aborts the wait. */
type BeginAgent = (tools: Tools, stopped: AbortSignal) => Promise<AgentOutcome>

const TOKEN_BYTES = 32
const HTTP_ACCEPTED = 202
const TIME_OVER_MESSAGE = 'The time of this evaluation is over.'

/**
 * Runs an agent that already listens at an address. A request starts the agent. Its run ends when it answers the
 * request, or later if it reports the end separately.
 */
export function actAtAddress(parts: AgentEnvironment, address: string): Promise<AgentOutcome> {
  const { outside, evaluation, seed, errorsPath } = parts
  const { task, markets, isHidden, lengthMs, stepMs } = evaluation
  return actOverHttp(parts, async (tools, stopped) => {
    const terms = { ...tools, task, markets, ...(!isHidden && { seed }), lengthMs, stepMs }
    try {
      const status = await outside.beginAgent(address, terms, stopped)
      if (status === HTTP_ACCEPTED) return new Promise(() => undefined)
      if (status >= 200 && status < 300) return 'done'
      outside.disk.write(errorsPath, `${address} answered with status ${status}\n`)
      return 'refused'
    } catch (error) {
      // An error of fetch before the stop means that the agent is unreachable.
      const { name, code } = Object(error)
      const problem = `${address} cannot be reached: ${code ?? name}\n`
      if (!stopped.aborted) outside.disk.write(errorsPath, problem)
      return 'away'
    }
  })
}

/** Runs a program, which finds the URL and token of its tools in its environment. */
export function actAsHttpProgram(
  parts: AgentEnvironment,
  command: readonly string[],
): Promise<AgentOutcome> {
  return actOverHttp(parts, async ({ url, token }, stopped) => {
    const variables = { PREPD_EVAL_MCP_URL: url, PREPD_EVAL_MCP_TOKEN: token }
    const program = startAgentProgram(parts, command, variables)
    stopped.addEventListener('abort', guarded('process', program.kill))
    program.closeInput()
    detached('process', count(parts, program.output))
    return program.ended
  })
}

/** Reads an output and charges its bytes to the agent's limit. */
async function count({ work }: AgentEnvironment, output: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of output) work.spend('bytes', chunk.length)
}

/** Serves the tools to an agent over HTTP until the agent ends, the time is over, or a limit is exceeded. */
async function actOverHttp(parts: AgentEnvironment, begin: BeginAgent): Promise<AgentOutcome> {
  const { outside, evaluation, time, work } = parts
  const token = toHex(outside.random.bytes(TOKEN_BYTES))
  const done = Promise.withResolvers<AgentOutcome>()
  const stopping = new AbortController()
  const tools = listening(parts, token, () => done.resolve('done'))
  work.begin()
  try {
    const begun = begin({ url: tools.url, token }, stopping.signal)
    const over = time.over.then((): AgentOutcome => 'time_over')
    const ended = Promise.race([begun, done.promise])
    const outcome = await Promise.race([work.passed, ended, over])
    await tools.close(
      outcome === 'time_over' ? TIME_OVER_MESSAGE : `This evaluation has ended: ${outcome}.`,
    )
    // After the end of its time, or after exceeding a limit, the agent has a grace period to end.
    const waitMs = Math.min(EVALUATED_AGENT_LIMITS.endWaitMs, evaluation.agentTerms.thinkMaxMs)
    if (outcome === 'time_over' || work.isPassed()) await resultWithin(ended, waitMs)
    return outcome
  } finally {
    stopping.abort()
    await tools.stop()
  }
}

function listening(
  { world, evaluation, transport, work, newWatch }: AgentEnvironment,
  token: string,
  ended: () => void,
): AgentListener {
  const { credentials } = world
  const { limits, agentTerms } = evaluation
  const { port } = agentTerms
  const asked = (text: string) => {
    const watch = newWatch()
    work.spend('bytes', Buffer.byteLength(text))
    work.spend('calls', 1)
    if (work.isPassed()) return null
    watch.asked(text)
    return (answer: string) => {
      // Adds the newline of the stdio transport, so that equal calls have equal sizes.
      watch.answered(`${answer}\n`)
    }
  }
  try {
    const agent = { credentials, limits, transport }
    return world.listenAgent(agent, { port, token, asked, ended })
  } catch (error) {
    reportUnexpected('process', error, 'system')
    throw new UsageError(`agent.port ${port} cannot be opened: another program may have it`)
  }
}
