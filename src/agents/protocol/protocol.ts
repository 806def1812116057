import { LIMITS } from '../../contract/limits.ts'
import { isDeeper, isObject, parsedJson } from '../../core/json.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import { suggest } from '../../core/settings/suggest.ts'
import { invalidArgument } from '../refusal.ts'
import { failureResult, isExpected, type ToolResult, toToolResult } from '../results.ts'
import { type Tool, ToolFailure } from '../tool.ts'
import {
  errorBody,
  messageId,
  RPC_CODES,
  RpcError,
  type RpcRequest,
  readMessage,
} from './json-rpc.ts'
import { assertCredentials, assertNoSecretKey, type ToolSession } from './session.ts'
import {
  assertModern,
  CLIENT_CAPABILITIES,
  type HeaderReader,
  LEGACY_VERSIONS,
  MODERN_VERSIONS,
  negotiatedVersion,
  type ProtocolEra,
  requestEra,
  SERVER_INFO,
} from './versions.ts'

/** The server's name, version and instructions, as clients see them. */
export type ServerFacts = {
  readonly name: string
  readonly version: string
  readonly instructions: string
}

/** Everything that an answer depends on, apart from the message. */
export type McpExchange = ToolCalls & {
  readonly server: ServerFacts
  /** The tools in `tools/list`; a tool that is not listed may still be callable. */
  readonly listed: readonly Tool[]
  /** Null for a transport without headers. */
  readonly headers: HeaderReader | null
}

/** `body` is null for notifications and responses. `status` is the HTTP status. */
export type ProtocolReply = { readonly status: number; readonly body: object | null }

/** Whether a message is a tools/call request, even one with invalid params. */
export function isToolCall(value: unknown): boolean {
  try {
    const message = readMessage(value)
    return message.kind === 'request' && message.method === 'tools/call'
  } catch (error) {
    reportUnexpected('mcp', error, RpcError)
    return false
  }
}

/**
 * Answers one parsed JSON-RPC message. Each request follows the legacy rules (MCP revisions 2024-11-05 to 2025-11-25)
 * or the modern rules (2026-07-28). Keeps no state between messages. Never throws.
 */
export async function answer(value: unknown, exchange: McpExchange): Promise<ProtocolReply> {
  try {
    const message = readMessage(value)
    if (message.kind !== 'request') return { status: 202, body: null }
    const result = await resultFor(message, exchange)
    return { status: 200, body: { jsonrpc: '2.0', id: message.id, result } }
  } catch (error) {
    return failureReply(value, error, exchange)
  }
}

/** The reply to a message that breaks the protocol. */
export function errorReply(value: unknown, error: RpcError): ProtocolReply {
  return { status: error.status, body: errorBody(messageId(value), error) }
}

function failureReply(value: unknown, error: unknown, exchange: McpExchange): ProtocolReply {
  if (error instanceof RpcError) return errorReply(value, error)
  exchange.onCrash(error)
  return errorReply(value, new RpcError(RPC_CODES.internal, 'Something went wrong on our side.'))
}

type Method = {
  readonly eras: readonly ProtocolEra[]
  /** Whether clients may cache the answer, which is the same for every client. */
  readonly kept?: true
  readonly result: (exchange: McpExchange, params: RpcRequest['params']) => object | Promise<object>
}

const ALL_ERAS = ['legacy', 'modern'] as const
const CAPABILITIES = { tools: {}, resources: {}, prompts: {} } as const
const CACHE_HINTS = { ttlMs: 300_000, cacheScope: 'public' } as const

/** The supported methods. The error for an unknown method lists their names. */
const METHODS: Readonly<Record<string, Method>> = {
  initialize: { eras: ['legacy'], result: initialized },
  ping: { eras: ['legacy'], result: () => ({}) },
  'server/discover': { eras: ALL_ERAS, kept: true, result: discovered },
  'tools/list': {
    eras: ALL_ERAS,
    kept: true,
    result: ({ listed }) => ({ tools: listed.map(toolEntry) }),
  },
  'tools/call': { eras: ALL_ERAS, result: (exchange, params) => callTool(params, exchange) },
  'resources/list': { eras: ALL_ERAS, kept: true, result: () => ({ resources: [] }) },
  'resources/templates/list': {
    eras: ALL_ERAS,
    kept: true,
    result: () => ({ resourceTemplates: [] }),
  },
  'prompts/list': { eras: ALL_ERAS, kept: true, result: () => ({ prompts: [] }) },
}

async function resultFor(request: RpcRequest, exchange: McpExchange): Promise<object> {
  const era = requestEra(request, exchange.headers)
  if (era === 'modern') assertModern(request, exchange.headers)
  const method = Object.hasOwn(METHODS, request.method) ? METHODS[request.method] : undefined
  if (!method?.eras.includes(era)) throw unknownMethod(era)
  const result = await method.result(exchange, request.params)
  return era === 'modern' ? toModernResult(result, method, exchange) : result
}

function toModernResult(result: object, { kept }: Method, { server }: McpExchange): object {
  const { name, version } = server
  return {
    resultType: 'complete',
    ...result,
    ...(kept && CACHE_HINTS),
    _meta: { [SERVER_INFO]: { name, version } },
  }
}

function initialized({ server }: McpExchange, params: RpcRequest['params']): object {
  const { name, version, instructions } = server
  return {
    protocolVersion: negotiatedVersion(params['protocolVersion']),
    capabilities: CAPABILITIES,
    serverInfo: { name, version },
    instructions,
  }
}

function discovered({ server }: McpExchange): object {
  const { name, version, instructions } = server
  return {
    resultType: 'complete',
    supportedVersions: [...MODERN_VERSIONS, ...LEGACY_VERSIONS],
    capabilities: CAPABILITIES,
    instructions,
    ...CACHE_HINTS,
    _meta: { [SERVER_INFO]: { name, version } },
  }
}

function toolEntry({
  name,
  title,
  description,
  arguments: inputSchema,
  annotations,
}: Tool): object {
  // The title is among the annotations, because clients of every revision read it there.
  return { name, description, inputSchema, annotations: { title, ...annotations } }
}

// Legacy SDKs turn a 404 into a transport error without its message, so legacy requests get status 200. The modern
// revision requires 404.
function unknownMethod(era: ProtocolEra): RpcError {
  const names = Object.keys(METHODS).filter((name) => METHODS[name]?.eras.includes(era))
  const message = `Unknown method. These exist: ${names.join(', ')}.`
  return new RpcError(RPC_CODES.methodNotFound, message, { status: era === 'modern' ? 404 : 200 })
}

type ToolCalls = {
  /** The tools that can be called. */
  readonly tools: readonly Tool[]
  /** Opens a session per call. Throws if the caller is over its rate limit or its credentials are unusable. */
  readonly open: () => ToolSession
  /** Called with an unexpected error of a tool. */
  readonly onCrash: (error: unknown) => void
  /** Called after every call of an existing tool, with `ok` or the failure code. */
  readonly called?: (tool: string, code: string) => void
}

/**
 * Runs one tool. A failure of the tool becomes a result, or a question to the client's user. Throws RpcError -32602 for
 * a missing or unknown tool name, for arguments that are not an object, and for an altered `requestState`.
 */
async function callTool(
  params: Readonly<Record<string, unknown>>,
  calls: ToolCalls,
): Promise<ToolResult | object> {
  const tool = findTool(params['name'], calls.tools)
  if (!isObject(params['arguments'] ?? {})) {
    throw new RpcError(RPC_CODES.invalidParams, 'The arguments must be an object.', { status: 200 })
  }
  const given = Object(callArguments(params))
  try {
    const session = calls.open()
    if (isDeeper(given, LIMITS.httpBodyDepthMax)) {
      throw invalidArgument('arguments', 'too_deep')
    }
    assertCredentials(tool, session)
    assertNoSecretKey(given, session)
    const result = toToolResult(await tool.run(session.context, given))
    calls.called?.(tool.name, 'ok')
    return result
  } catch (error) {
    if (!isExpected(error)) calls.onCrash(error)
    calls.called?.(tool.name, isExpected(error) ? error.code : 'internal')
    return linkRequired(error, params) ?? failureResult(error)
  }
}

/** Names that an error may repeat: their length and characters exclude secrets and terminal escape sequences. */
const SAFE_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,47}$/

function findTool(name: unknown, tools: readonly Tool[]): Tool {
  if (typeof name !== 'string') throw unknownTool('The name of a tool is missing.')
  const tool = tools.find((known) => known.name === name)
  if (tool) return tool
  const sentence = SAFE_NAME.test(name) ? `Unknown tool: ${name}.` : 'Unknown tool.'
  const names = tools.map((known) => known.name)
  const near = SAFE_NAME.test(name) ? suggest(name, names) : undefined
  throw unknownTool(`${sentence} ${near ? `Did you mean ${near}?` : 'tools/list names them all.'}`)
}

function unknownTool(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, message, { status: 200 })
}

/** The key of the question that the client shows its user. */
const APPROVAL_QUESTION = 'approval'

type Params = RpcRequest['params']

/**
 * The arguments of a call. After a question, the client repeats the call with `requestState`, which has the arguments
 * of the same call; the answer to the question itself is ignored. Throws RpcError -32602 for a state that this tool did
 * not issue.
 */
function callArguments(params: Params): unknown {
  const { requestState, name } = params
  if (requestState === undefined) return params['arguments'] ?? {}
  const isText = typeof requestState === 'string' && requestState.length <= LIMITS.httpBodyMaxBytes
  const state = isText ? parsedJson(requestState) : null
  if (isObject(state) && state['tool'] === name && isObject(state['again'])) return state['again']
  throw new RpcError(RPC_CODES.invalidParams, 'requestState is none that this tool gave.', {
    status: 200,
  })
}

/**
 * The result that makes a client show its user the approval link (MCP 2026-07-28, URL elicitation). Null for other
 * failures, for a client that cannot open links, and after the user has declined.
 */
function linkRequired(failure: unknown, params: Params): object | null {
  if (!(failure instanceof ToolFailure) || failure.code !== 'approval_required') return null
  const { link, again, order, state } = failure.meta
  if (typeof link !== 'string' || state !== 'waiting') return null
  if (!opensLinks(params) || hasDeclined(params)) return null
  const lines = Array.isArray(order) ? order.map(String) : []
  const message = ['The owner of the account has to approve this:', ...lines].join('\n')
  return {
    resultType: 'input_required',
    inputRequests: {
      [APPROVAL_QUESTION]: {
        method: 'elicitation/create',
        params: { mode: 'url', message, url: link },
      },
    },
    requestState: JSON.stringify({ tool: params['name'], again }),
  }
}

function opensLinks({ _meta: meta }: Params): boolean {
  const capabilities = isObject(meta) ? meta[CLIENT_CAPABILITIES] : undefined
  const elicitation = isObject(capabilities) ? capabilities['elicitation'] : undefined
  return isObject(elicitation) && isObject(elicitation['url'])
}

function hasDeclined({ inputResponses }: Params): boolean {
  const answer = isObject(inputResponses) ? inputResponses[APPROVAL_QUESTION] : undefined
  return isObject(answer) && answer['action'] !== 'accept'
}
