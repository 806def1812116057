import { isObject } from '../../core/json.ts'
import { RPC_CODES, RpcError, type RpcRequest } from './json-rpc.ts'

/** MCP revisions without a handshake, newest first. */
export const MODERN_VERSIONS = ['2026-07-28'] as const

/** MCP revisions that begin with `initialize`, newest first. 2025-03-26 is left out, because it requires batches. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2024-11-05'] as const

/** A revision that is never negotiated, but that a client may name without a handshake. */
const BATCH_VERSION = '2025-03-26'

export type ProtocolEra = 'legacy' | 'modern'

/** Returns a header by its lower-case name; null if absent. */
export type HeaderReader = (name: string) => string | null

/** The key of a request's `_meta` under which a client says what it can do. */
export const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

const META_KEYS = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: CLIENT_CAPABILITIES,
} as const

/** The key in a result's `_meta` with the server's name and version. */
export const SERVER_INFO = 'io.modelcontextprotocol/serverInfo'

/**
 * The set of protocol rules that a request follows. A request is modern if its `_meta` names a version, or its header
 * names a version that is not legacy. Every other request is legacy. `initialize` is always legacy, because it
 * negotiates the version in its body.
 */
export function requestEra(
  { method, params }: RpcRequest,
  headers: HeaderReader | null,
): ProtocolEra {
  if (requestMeta(params)[META_KEYS.version] !== undefined) return 'modern'
  if (method === 'initialize') return 'legacy'
  const named = headers?.('mcp-protocol-version') ?? null
  return named === null || isLegacy(named) ? 'legacy' : 'modern'
}

/**
 * Checks the required parts of a modern request in this order: `_meta` fields, version header, version, method header,
 * tool header. A transport without headers (stdio) skips the header checks. Throws RpcError -32602, -32020 or -32022.
 */
export function assertModern(request: RpcRequest, headers: HeaderReader | null): void {
  const requested = requiredVersion(request.params)
  if (headers) assertHeader(headers, 'MCP-Protocol-Version', requested)
  if (!MODERN_VERSIONS.some((version) => version === requested)) throw unsupported(requested)
  if (!headers) return
  assertHeader(headers, 'Mcp-Method', request.method)
  if (request.method === 'tools/call') assertHeader(headers, 'Mcp-Name', request.params['name'])
}

/**
 * The version that `initialize` answers: the newest version up to the requested version, else the newest version of
 * all.
 */
export function negotiatedVersion(requested: unknown): string {
  const isVersion = typeof requested === 'string' && VERSION.test(requested)
  const found = isVersion && LEGACY_VERSIONS.find((version) => version <= requested)
  return found || LEGACY_VERSIONS[0]
}

/** Versions are ISO dates, so string comparison gives their order. */
const VERSION = /^\d{4}-\d{2}-\d{2}$/

function isLegacy(version: string): boolean {
  return version === BATCH_VERSION || LEGACY_VERSIONS.some((known) => known === version)
}

function requestMeta(params: RpcRequest['params']): Readonly<Record<string, unknown>> {
  return isObject(params['_meta']) ? params['_meta'] : {}
}

function requiredVersion(params: RpcRequest['params']): string {
  const meta = requestMeta(params)
  const version = meta[META_KEYS.version]
  if (typeof version !== 'string') throw missingMetaError(META_KEYS.version)
  if (!isObject(meta[META_KEYS.capabilities])) throw missingMetaError(META_KEYS.capabilities)
  return version
}

function missingMetaError(field: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, `Missing or malformed: params._meta["${field}"].`)
}

function assertHeader(headers: HeaderReader, name: string, expected: unknown): void {
  const value = headers(name.toLowerCase())
  if (value !== null && decoded(value.trim()) === expected) return
  const reason = value === null ? 'is missing' : 'does not match the body'
  throw new RpcError(RPC_CODES.headerMismatch, `The header ${name} ${reason}.`)
}

/** Decodes a header value: a non-ASCII value is sent as `=?base64?…?=`. Null if it cannot be decoded. */
function decoded(value: string): string | null {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1]
  if (encoded === undefined) return value
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.toString('base64') === encoded ? bytes.toString('utf8') : null
}

function unsupported(requested: string): RpcError {
  return new RpcError(RPC_CODES.unsupportedVersion, 'This protocol version is not supported.', {
    details: { supported: MODERN_VERSIONS, requested: requested.slice(0, 32) },
  })
}
