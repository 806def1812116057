import { isObject } from '../../core/json.ts'
import { RPC_CODES, RpcError, type RpcRequest } from './json-rpc.ts'

/** Revisions without a handshake, newest first. */
export const MODERN_VERSIONS = ['2026-07-28'] as const

/** Revisions that begin with `initialize`, newest first. 2025-03-26 is not among them: it demands batches. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2024-11-05'] as const

/** A revision that is not negotiated, but that a client without a handshake may name. */
const WITH_BATCHES = '2025-03-26'

export type Era = 'legacy' | 'modern'

/** A header by its lower-case name; null when it is absent. */
export type HeaderReader = (name: string) => string | null

/** The key of a request's `_meta` under which a client says what it can do. */
export const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: CLIENT_CAPABILITIES,
} as const

/** The key of a result's `_meta` under which a server names itself. */
export const SERVER_INFO = 'io.modelcontextprotocol/serverInfo'

/**
 * The set of rules that a request follows. A request is modern when its `_meta` names a version, or its header names a
 * version that is not a legacy one. Every other request is legacy, such as a bare one without headers. `initialize`
 * negotiates by its body, before any header counts.
 */
export function requestEra({ method, params }: RpcRequest, headers: HeaderReader | null): Era {
  if (requestMeta(params)[META.version] !== undefined) return 'modern'
  if (method === 'initialize') return 'legacy'
  const named = headers?.('mcp-protocol-version') ?? null
  return named === null || isLegacy(named) ? 'legacy' : 'modern'
}

/**
 * Checks what a modern request must carry, in this order: required `_meta` fields, the version's header, the version,
 * the method's header, the tool's header. The header checks are skipped for a transport without headers (stdio). Throws
 * RpcError -32602, -32020 or -32022.
 */
export function assertModern(request: RpcRequest, headers: HeaderReader | null): void {
  const requested = requiredVersion(request.params)
  if (headers) assertHeader(headers, 'MCP-Protocol-Version', requested)
  if (!MODERN_VERSIONS.some((version) => version === requested)) throw unsupported(requested)
  if (!headers) return
  assertHeader(headers, 'Mcp-Method', request.method)
  if (request.method === 'tools/call') assertHeader(headers, 'Mcp-Name', request.params['name'])
}

/** The version that `initialize` answers: the newest that is not newer than the requested one, else the newest of all. */
export function negotiated(requested: unknown): string {
  const isVersion = typeof requested === 'string' && VERSION.test(requested)
  const found = isVersion && LEGACY_VERSIONS.find((version) => version <= requested)
  return found || LEGACY_VERSIONS[0]
}

/** Versions are dates, so that their order is that of their texts. */
const VERSION = /^\d{4}-\d{2}-\d{2}$/

function isLegacy(version: string): boolean {
  return version === WITH_BATCHES || LEGACY_VERSIONS.some((known) => known === version)
}

function requestMeta(params: RpcRequest['params']): Readonly<Record<string, unknown>> {
  return isObject(params['_meta']) ? params['_meta'] : {}
}

function requiredVersion(params: RpcRequest['params']): string {
  const meta = requestMeta(params)
  const version = meta[META.version]
  if (typeof version !== 'string') throw missing(META.version)
  if (!isObject(meta[META.capabilities])) throw missing(META.capabilities)
  return version
}

function missing(field: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, `Missing or malformed: params._meta["${field}"].`)
}

function assertHeader(headers: HeaderReader, name: string, expected: unknown): void {
  const value = headers(name.toLowerCase())
  if (value !== null && decoded(value.trim()) === expected) return
  const reason = value === null ? 'is missing' : 'does not match the body'
  throw new RpcError(RPC_CODES.headerMismatch, `The header ${name} ${reason}.`)
}

/** A value that is no plain ASCII travels as `=?base64?…?=`. Null when that cannot be decoded. */
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
