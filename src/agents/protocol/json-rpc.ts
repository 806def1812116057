import { isObject } from '../../core/json.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'

/** Error codes of JSON-RPC 2.0 (section 5.1) and MCP 2026-07-28. */
export const RPC_CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const

export type RpcId = string | number

export type RpcRequest = {
  readonly kind: 'request'
  readonly id: RpcId
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

type RpcNotification = Omit<RpcRequest, 'kind' | 'id'> & { readonly kind: 'notification' }

type RpcMessage = RpcRequest | RpcNotification | { readonly kind: 'response' }

/** A protocol error. `status` is the HTTP status of its reply. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly status: number
  readonly details: Readonly<Record<string, unknown>> | undefined
  constructor(
    code: number,
    message: string,
    parts: { readonly status?: number; readonly details?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message)
    this.code = code
    this.status = parts.status ?? 400
    this.details = parts.details
  }
}

/** Parses a text as JSON. Throws RpcError -32700. */
export function parseMessage(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    reportUnexpected('mcp', error, SyntaxError)
    throw new RpcError(RPC_CODES.parse, 'This is not JSON.')
  }
}

/** Reads one JSON-RPC 2.0 message. Batches are not supported (MCP 2025-06-18 and later). Throws RpcError -32600. */
export function readMessage(value: unknown): RpcMessage {
  if (Array.isArray(value))
    throw invalidMessage('Send one message at a time: batches are not supported.')
  if (!isObject(value) || value['jsonrpc'] !== '2.0')
    throw invalidMessage('This is not a JSON-RPC 2.0 message.')
  const { method, params = {}, id } = value
  if (method === undefined && ('result' in value || 'error' in value)) return { kind: 'response' }
  if (typeof method !== 'string') throw invalidMessage('The method must be a text.')
  if (!isObject(params)) throw invalidMessage('The params must be an object.')
  if (!('id' in value)) return { kind: 'notification', method, params }
  if (!isId(id)) throw invalidMessage('The id must be a text or a whole number.')
  return { kind: 'request', id, method, params }
}

/** The id of a message, for an error reply; null without a valid id. */
export function messageId(value: unknown): RpcId | null {
  return isObject(value) && isId(value['id']) ? value['id'] : null
}

/** The wire shape of a protocol error. */
export function errorBody(id: RpcId | null, { code, message, details }: RpcError): object {
  return { jsonrpc: '2.0', id, error: { code, message, ...(details && { data: details }) } }
}

function isId(id: unknown): id is RpcId {
  return typeof id === 'string' || Number.isSafeInteger(id)
}

function invalidMessage(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidRequest, message)
}
