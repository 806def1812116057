import { isPracticeKind, type VenueKind } from '../../contract/venue/kind.ts'
import type { AgentJournal } from '../../core/agent-journal.ts'
import { wirePublicKey } from '../../core/crypto/signing.ts'
import type { Clock, Log, Random } from '../../core/ports.ts'
import type { AgentSettings } from '../../core/settings/settings.ts'
import { createAuditLog, writeJournal } from '../audit.ts'
import { type Credentials, createClient, type ServiceTransport } from '../client/client.ts'
import { narrowClient } from '../client/narrow.ts'
import { recordEach } from '../journal-shares.ts'
import { createFundingTotals } from '../limits/kept-funding.ts'
import { watchedVenue } from '../practice.ts'
import { type OpenCall, STDIO_WORDING, type ToolContext } from '../tool.ts'
import { createToolWaits, TIMERS } from '../tool-waits.ts'
import { instructionsFor } from './instructions.ts'
import { listedTools } from './listed-tools.ts'
import { clientProgram } from './program.ts'
import { answer, type McpExchange, type ProtocolReply } from './protocol.ts'
import type { ToolSession } from './session.ts'
import { type StdioOptions, serveLines } from './stdio.ts'

/** The settings of an agent with the secret key itself. */
type Agent = Omit<AgentSettings, 'secret'> & { readonly secret: Uint8Array | null }

type AgentServerOptions = {
  readonly agent: Agent
  readonly tools: McpExchange['tools']
  /** Whether the venue's time is virtual and only this agent's account advances it. */
  readonly ownsClock: boolean
  readonly serviceName: string
  readonly version: string
  /** The kind of venue behind the transport, if known before the first call. */
  readonly venue: VenueKind | 'unknown'
  readonly transport: ServiceTransport
  /** The base URL of the service, without a trailing slash. */
  readonly baseUrl: string
  readonly sentOrders: ToolContext['sentOrders']
  readonly spending: ToolContext['spending']
  readonly operatorLimits: ToolContext['operatorLimits']
  readonly agentJournal: Pick<AgentJournal, 'append'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** Answers the parsed messages of one agent; `headers` is null for a transport without headers. */
export type AnswerAgent = (
  message: unknown,
  call: OpenCall,
  headers: McpExchange['headers'],
) => Promise<ProtocolReply>

/**
 * Runs the agent server over standard streams. The server signs in this process, so the secret key never leaves the
 * process. Without credentials, or in read-only mode, it lists only the tools that read. Resolves when the input has
 * ended and every call has its answer.
 */
export function runAgent(
  parts: AgentServerOptions & Pick<StdioOptions, 'input' | 'write'>,
): Promise<void> {
  const answerAgent = openAgent(parts)
  return serveLines({ ...parts, answer: (message, call) => answerAgent(message, call, null) })
}

/** Opens the server of one agent for any transport. It signs in this process. */
export function openAgent(parts: AgentServerOptions): AnswerAgent {
  const { agent, tools, serviceName, version, venue, log } = parts
  let program: string | null = null
  const session = createSession(parts, () => program)
  const exchange: Omit<McpExchange, 'open' | 'headers'> = {
    tools,
    listed: listedTools(tools, agent.limits, session.context.credentials),
    server: { name: serviceName, version, instructions: instructionsFor(venue, parts.ownsClock) },
    onCrash: (error) => {
      log.error('crash', { error: error instanceof Error ? error.name : typeof error })
    },
  }
  return (message, openCall, headers) => {
    program = clientProgram(message) ?? program
    const open = () => ({ ...session, context: { ...session.context, openCall } })
    return answer(message, { ...exchange, headers, open })
  }
}

function createSession(parts: AgentServerOptions, program: () => string | null): ToolSession {
  const { agent, baseUrl, clock, random, log, venue } = parts
  const { nowMs } = clock
  const { transport, isPractice, venueClock } = watchedVenue(
    parts.transport,
    clock,
    isPracticeKind(venue),
  )
  return {
    absent: absentCredentials(agent),
    context: {
      client: narrowClient(createClient({ baseUrl, transport, nowMs, program })),
      credentials: agentCredentials(agent),
      limits: agent.limits,
      operatorLimits: parts.operatorLimits,
      wording: STDIO_WORDING,
      // Null for a service in this process: it serves the approvals page, but no trading page.
      pageOrigin: agent.apiUrl?.origin ?? null,
      clock,
      venueClock,
      random,
      sentOrders: parts.sentOrders,
      beginWait: createToolWaits(clock).of('stdio'),
      timers: TIMERS,
      ownsClock: parts.ownsClock,
      audit: createAuditLog(log),
      // A local user's journal has no share limit, because it fills only the user's own disk.
      journal: writeJournal({
        record: recordEach(parts.agentJournal, clock),
        isProven: async () => true,
      }),
      isPractice,
      spending: parts.spending,
      fundingTotals: createFundingTotals(),
    },
  }
}

function agentCredentials({ accountId, secret }: Agent): Credentials | null {
  return accountId && secret ? { accountId, key: wirePublicKey(secret), secret } : null
}

function absentCredentials({ accountId, secret }: Agent): readonly string[] {
  return [
    ...(accountId === null ? [STDIO_WORDING.accountId] : []),
    ...(secret === null ? [STDIO_WORDING.tradingKey] : []),
  ]
}
