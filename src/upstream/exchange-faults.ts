import { UpstreamError } from '../core/ports.ts'
import type { Ending } from './ending.ts'

/**
 * Error codes after which no byte of the request can have left: no address, no connection, or a certificate
 * refused before the request is written. A failed handshake is absent on purpose: a record that breaks after the
 * request was read has the same code.
 */
const NEVER_SENT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // No descriptor was left for a connection.
  'EMFILE',
  'ENFILE',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/**
 * What a failed exchange means, and one that its signal ended. Whatever is not known to have failed before sending
 * counts as sent.
 */
export function exchangeFault(error: unknown, signal?: Ending): UpstreamError {
  if (error instanceof UpstreamError) return error
  const { name, code } = wordsOf(error)
  const cause = { cause: error }
  if (name === 'TimeoutError' || signal?.aborted) return new UpstreamError('timeout', true, cause)
  if (NEVER_SENT.has(code)) return new UpstreamError('unreachable', false, cause)
  return new UpstreamError(isHandshake(code) ? 'unreachable' : 'reset', true, cause)
}

/** EPROTO of fetch, and the words of BoringSSL that node:https hands on. */
function isHandshake(code: unknown): boolean {
  return code === 'EPROTO' || (typeof code === 'string' && code.startsWith('ERR_SSL_'))
}

function wordsOf(error: unknown): { readonly name?: unknown; readonly code?: unknown } {
  return typeof error === 'object' && error !== null ? error : {}
}
