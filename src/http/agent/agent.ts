import { Elysia } from 'elysia'
import { createAuditLog, writeJournal } from '../../agents/audit.ts'
import { createClient, type ServiceTransport } from '../../agents/client/client.ts'
import { narrowClient } from '../../agents/client/narrow.ts'
import { createJournalShares } from '../../agents/journal-shares.ts'
import { createFundingTotals } from '../../agents/limits/kept-funding.ts'
import {
  messageId,
  parseMessage,
  RPC_CODES,
  RpcError,
  type RpcId,
} from '../../agents/protocol/json-rpc.ts'
import { clientProgram } from '../../agents/protocol/program.ts'
import {
  answer,
  errorReply,
  isToolCall,
  type McpExchange,
  type ProtocolReply,
  type ServerFacts,
} from '../../agents/protocol/protocol.ts'
import type { ToolSession } from '../../agents/protocol/session.ts'
import type { HeaderReader } from '../../agents/protocol/versions.ts'
import { HTTP_WORDING, type SentOrders, type ToolContext, ToolFailure } from '../../agents/tool.ts'
import { createToolWaits, TIMERS, type ToolWaits } from '../../agents/tool-waits.ts'
import { LIMIT_HEADERS } from '../../contract/agent-limits.ts'
import { FAILURES } from '../../contract/failures.ts'
import { ROUTES } from '../../contract/routes.ts'
import { isPracticeKind, type VenueKind } from '../../contract/venue/kind.ts'
import type { Cidr } from '../../core/client-address.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import type { Limits } from '../../core/mandate.ts'
import type { Store, World } from '../../core/ports.ts'
import { programName } from '../../core/program-name.ts'
import { NO_STORE } from '../../gateway/cache/answer.ts'
import { RateLimited } from '../../gateway/limits/admission.ts'
import type { RateVerdict } from '../../gateway/limits/verdict.ts'
import { readBytes } from '../server/body.ts'
import type { ConnectedCaller } from '../server/callers.ts'
import { type RouteAccess, UNPARSED_BODY } from '../server/endpoints.ts'
import { assertSameSite, requestOrigin, type SiteRules } from '../server/origin.ts'
import { requestHeader, requestTarget } from '../server/request.ts'
import { failureResponse, methodNotAllowed, recordFailureCode } from '../server/responses.ts'
import { isEncrypted, limitsOfHeaders, readCredentials } from './headers.ts'
import { assertNoMisspeltLimit } from './misspelt-limit.ts'

export type AgentRouteOptions = RouteAccess &
  Pick<World, 'clock' | 'random' | 'log'> & {
    readonly tools: McpExchange['tools']
    readonly venueClock: ToolContext['venueClock']
    readonly sentOrders: SentOrders
    readonly spending: ToolContext['spending']
    /** Limits that the operator sets for every agent. */
    readonly operatorLimits: Limits
    readonly store: Pick<Store, 'agentJournal' | 'proofs'>
    readonly server: ServerFacts
    readonly site: SiteRules
    readonly trusted: readonly Cidr[]
    /** Whether the listener itself speaks TLS. */
    readonly tls: boolean
    /** The kind of venue behind the gateway. */
    readonly venue: VenueKind
    /** Null if the trading page is not served. */
    readonly page: object | null
    readonly onCrash: (error: unknown) => void
    readonly called: (tool: string, code: string) => void
    /** The router. Tools call the router directly, so that their requests take the same path as all other requests. */
    readonly inside: ServiceTransport
  }

/**
 * The agent endpoint: one JSON-RPC message per request, one answer. Keeps counters of waiting calls, but no session.
 */
export const agent = (parts: AgentRouteOptions) => {
  const recordOf = createJournalShares(parts.store.agentJournal, parts.clock)
  const kept = { recordOf, fundingTotals: createFundingTotals() }
  const counting = { ...parts, ...kept, waits: createToolWaits(parts.clock) }
  return new Elysia({ name: 'routes.agent' })
    .post(
      ROUTES.agent.path,
      ({ request }) => respondToMessage((seen) => answerAgent(counting, request, seen)),
      UNPARSED_BODY,
    )
    .all(ROUTES.agent.path, () => rpcFailure(methodNotAllowed('POST'), null))
}

type Counting = AgentRouteOptions &
  Pick<ToolContext, 'fundingTotals'> & {
    readonly waits: ToolWaits
    readonly recordOf: ReturnType<typeof createJournalShares>
  }

/**
 * The HTTP response to a message. A Failure becomes a JSON-RPC error with the message's id, or with null if `work` had
 * not read the message.
 */
export async function respondToMessage(
  work: (seen: (message: unknown) => void) => Promise<ProtocolReply>,
): Promise<Response> {
  let id: RpcId | null = null
  const seen = (message: unknown) => {
    id = messageId(message)
  }
  try {
    const { status, body } = await work(seen)
    if (body === null) return new Response(null, { status, headers: NO_STORE })
    return Response.json(body, { status, headers: NO_STORE })
  } catch (error) {
    if (error instanceof Failure) return rpcFailure(error, id)
    throw error
  }
}

/**
 * The response to a message that was refused. It is a JSON-RPC error. Its code is the HTTP status, since negative codes
 * are reserved; its data is the service's failure. `id` is null if no message was read.
 */
function rpcFailure(failure: Failure, id: RpcId | null): Response {
  const { code, meta } = failure
  const { status, error, retryable } = FAILURES[code]
  const data = { code, error, retryable, ...(meta && { meta }) }
  const body = { jsonrpc: '2.0', id, error: { code: status, message: error, data } }
  const { headers } = failureResponse(failure)
  return recordFailureCode(new Response(JSON.stringify(body), { status, headers }), code)
}

/** Request headers that the endpoint reads. */
const HEADERS = [
  ...['authorization', 'forwarded', 'x-forwarded-proto'],
  ...['mcp-method', 'mcp-name', 'mcp-protocol-version', 'x-account-id', 'x-trading-key'],
  ...LIMIT_HEADERS,
]

async function answerAgent(
  parts: Counting,
  request: Request,
  seen: (message: unknown) => void,
): Promise<ProtocolReply> {
  assertSameSite(request, parts.site)
  assertPlainUrl(request)
  assertDeclared(request)
  for (const name of HEADERS) requestHeader(request.headers, name)
  const caller = parts.callers.of(request)
  const message = await readRpcMessage(request, caller.limitKey)
  seen(message)
  const verdict = await parts.limiter.take('mcp', caller.limitKey)
  if (message instanceof RpcError) return errorReply(null, message)
  if (!verdict.allowed && !isToolCall(message)) throw new RateLimited(verdict)
  const headers: HeaderReader = (name) => request.headers.get(name)
  const opened: ToolSession[] = []
  try {
    const origin = requestOrigin(request, caller, parts)
    const program = clientProgram(message) ?? programName(headers('user-agent'))
    return await answer(message, {
      tools: parts.tools,
      listed: parts.tools,
      server: parts.server,
      headers,
      open: () => {
        const session = openSession(parts, headers, { ...caller, origin, program }, verdict)
        opened.push(session)
        assertNoMisspeltLimit(request.headers.keys())
        return session
      },
      onCrash: parts.onCrash,
      called: parts.called,
    })
  } finally {
    for (const { context } of opened) context.credentials?.secret.fill(0)
  }
}

type AgentCaller = ConnectedCaller & {
  readonly origin: string
  /** The program's name, as its agent states it. */
  readonly program: string | null
}

function openSession(
  { callers, inside, trusted, tls, venue, waits, recordOf, page, ...parts }: Counting,
  headers: HeaderReader,
  { origin, program, ...caller }: AgentCaller,
  verdict: RateVerdict,
): ToolSession {
  if (!verdict.allowed) throw new RateLimited(verdict)
  const { clock, venueClock, random, log, sentOrders, spending, operatorLimits, store } = parts
  const limits = limitsOfHeaders(headers)
  const given = tryReadCredentials(headers, isEncrypted(headers, { ...caller, tls }, trusted))
  const { credentials } = given
  const transport: ServiceTransport = (request) => {
    callers.set(request, caller)
    return inside(request)
  }
  const { nowMs } = clock
  const client = createClient({ baseUrl: origin, transport, nowMs, program: () => program })
  return {
    ...given,
    context: {
      client: narrowClient(client),
      credentials,
      limits,
      operatorLimits,
      wording: HTTP_WORDING,
      pageOrigin: page === null ? null : origin,
      clock,
      venueClock,
      random,
      sentOrders,
      spending,
      fundingTotals: parts.fundingTotals,
      beginWait: waits.of(caller.limitKey),
      timers: TIMERS,
      ownsClock: false,
      audit: createAuditLog(log),
      journal: writeJournal({
        record: recordOf(credentials?.accountId.toLowerCase() ?? ''),
        isProven: async () =>
          credentials !== null && store.proofs.has(credentials.accountId, credentials.key),
      }),
      isPractice: () => isPracticeKind(venue),
    },
  }
}

// Invalid credentials must not fail a tool that works without credentials.
function tryReadCredentials(headers: HeaderReader, encrypted: boolean) {
  try {
    return readCredentials(headers, encrypted)
  } catch (error) {
    if (error instanceof ToolFailure) return { credentials: null, absent: [], unusable: error }
    throw error
  }
}

// Refuses a URL that contains a trading key, since proxies log URLs.
function assertPlainUrl(request: Request): void {
  if (/[0-9a-f]{64}/i.test(requestTarget(request.url))) throw invalidParameter('url', 'holds_key')
}

// Browsers let pages send other content types to any origin without a preflight, so a page must send JSON.
function assertDeclared({ headers }: Request): void {
  if (requestHeader(headers, 'origin') === null) return
  const type = requestHeader(headers, 'content-type') ?? ''
  if (!/^application\/json\s*(;|$)/i.test(type)) throw new Failure('unsupported_media_type')
}

/** The message in a request's body, or an RpcError if the body is not JSON. Throws Failure payload_too_large. */
export async function readRpcMessage(request: Request, limitKey: string): Promise<unknown> {
  const bytes = await readBytes(request, limitKey)
  try {
    return parseMessage(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    reportUnexpected('mcp', error, RpcError, TypeError)
    return new RpcError(RPC_CODES.parse, 'This is not JSON.')
  }
}
