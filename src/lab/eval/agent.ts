import {
  AGENT_DEFAULTS,
  AGENT_TRANSPORTS,
  type AgentTable,
  type AgentTransport,
  BASELINES,
  type BaselineName,
  EVALUATED_AGENT_LIMITS,
} from '../../contract/venue/evaluated-agent.ts'
import { isLoopbackUrl, parseHttpUrl } from '../../core/base-url.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import { shellArguments } from '../../operator/shell/arguments.ts'
import { parseDuration } from '../../simulator/control/values.ts'

/** The evaluated agent: a program, an agent that an HTTP request starts, or a built-in baseline. */
export type AgentChoice =
  | { readonly command: readonly string[]; readonly mcp: AgentTransport }
  | { readonly address: string }
  | { readonly baseline: BaselineName }

/** Units of work: messages to the tools, orders, or bytes that the agent writes. */
export type WorkUnit = 'calls' | 'orders' | 'bytes'

/** Limits that end an agent when exceeded. A decision is everything that the agent does at one venue time. */
export type WorkLimits = {
  /** Maximum real time per decision. */
  readonly thinkMaxMs: number
  /** Maximum real time of the whole run. */
  readonly runMaxMs: number
  readonly perDecision: Readonly<Record<WorkUnit, number>>
}

/** The terms of an agent that is not a baseline. */
export type AgentTerms = WorkLimits & {
  /** The port of the tools of an agent over HTTP; zero picks a free port. */
  readonly port: number
  /** Names of this process's variables that are passed to the agent's program. */
  readonly env: readonly string[]
}

/** The terms in the file's `agent` table, with defaults. A malformed duration becomes 0. */
export function agentTerms(table: AgentTable): AgentTerms {
  const { think_max, run_max, calls_max, orders_max, bytes_max } = { ...AGENT_DEFAULTS, ...table }
  return {
    port: table.port ?? 0,
    env: table.env ?? [],
    thinkMaxMs: parseDuration(think_max) ?? 0,
    runMaxMs: parseDuration(run_max) ?? 0,
    perDecision: { calls: calls_max, orders: orders_max, bytes: bytes_max },
  }
}

/** The agent in the file's `agent` table; null without such a table. */
export function agentChoice(table: AgentTable): AgentChoice | null {
  const { command, baseline, address, mcp = 'stdio' } = table
  if (command) return { command, mcp }
  if (address !== undefined) return { address }
  return baseline ? { baseline } : null
}

/** Contradictions in the file's `agent` table, one line each. */
export function agentProblems(
  { command, baseline, address, mcp }: AgentTable,
  { thinkMaxMs, runMaxMs }: AgentTerms,
): string[] {
  const given = [command, baseline, address].filter((each) => each !== undefined)
  return [
    ...(given.length > 1 ? ['agent: give one of command, baseline and address'] : []),
    ...(mcp && !command && given.length > 0 ? ['agent.mcp needs an agent with a command'] : []),
    ...(address !== undefined && !isAddress(address) ? [`agent.address must be ${ADDRESS}`] : []),
    ...(thinkMaxMs <= 0 || thinkMaxMs > EVALUATED_AGENT_LIMITS.thinkMaxMs
      ? ['agent.think_max must be from 1ms to 1d']
      : []),
    ...(runMaxMs <= 0 || runMaxMs > EVALUATED_AGENT_LIMITS.runMaxMs
      ? ['agent.run_max must be from 1ms to 30d']
      : []),
  ]
}

const ADDRESS = 'an https URL, or an http one to loopback, without credentials, query or fragment'

function isAddress(text: string): boolean {
  const url = parseHttpUrl(text)
  return url !== undefined && (url.protocol === 'https:' || isLoopbackUrl(url))
}

/**
 * The agent of a run: from the command line, otherwise from the file. `mcp` is a program's MCP transport. Throws
 * UsageError without an agent.
 */
export function chosenAgent(
  { named, mcp }: { readonly named?: string | undefined; readonly mcp?: string | undefined },
  agent: AgentChoice | null,
): AgentChoice {
  const transport = AGENT_TRANSPORTS.find((each) => each === mcp)
  if (mcp !== undefined && !transport) throw new UsageError('--mcp must be stdio or http')
  const chosen = named === undefined ? agent : namedAgent(named)
  if (!chosen) throw new UsageError('the file has no [agent]: name one with --agent')
  if (!transport) return chosen
  if ('command' in chosen) return { ...chosen, mcp: transport }
  throw new UsageError('--mcp needs an agent with a command')
}

/**
 * A baseline by name, an agent by address, or a program by path or shell command. Throws UsageError for anything else.
 */
function namedAgent(named: string): AgentChoice {
  const baseline = BASELINES.find((name) => name === named)
  if (baseline) return { baseline }
  if (/^https?:/.test(named)) {
    if (isAddress(named)) return { address: named }
    throw new UsageError(`--agent must be ${ADDRESS}`)
  }
  const command = shellArguments(named)
  if (command === null) throw new UsageError('--agent has a quote without its end')
  if (command.length > 1 || /[\s/\\'"]/.test(named)) return { command, mcp: 'stdio' }
  throw new UsageError(
    `--agent must be ${BASELINES.join(', ')}, a command such as "node agent.mjs", or an address such as http://localhost:9000/`,
  )
}
