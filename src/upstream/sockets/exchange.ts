import type { Method } from '../../contract/allowlist.ts'
import { after, guarded } from '../../core/loop/guarded.ts'
import { UpstreamError } from '../../core/ports.ts'

/** A call. All of it is sent byte for byte. */
export type Call = {
  /** The URL of the host. */
  readonly url: URL
  /** Path and query. */
  readonly target: string
  readonly method: Method
  /** Names are in lower case. Values have no leading or trailing spaces. */
  readonly headers: Readonly<Record<string, string>>
  /** Null without a body. */
  readonly body: Uint8Array<ArrayBuffer> | null
}

/** An answer with its head. The body is a stream, still compressed. A `Response` also has this type. */
export type StreamedResponse = {
  readonly status: number
  readonly headers: { readonly get: (name: string) => string | null }
  /** The whole body, if it arrived with the head. */
  readonly body: Uint8Array | StreamedBody | null
}

/** A body that is still arriving. Stopping the iteration before its end closes the connection, as `cancel` does. */
export type StreamedBody = AsyncIterable<Uint8Array> & { readonly cancel: () => Promise<void> }

/**
 * Sends a call on a connection. Follows no redirects and leaves bodies compressed. Throws the runtime's errors, which
 * `exchangeFault` classifies.
 */
export type Exchange = (call: Call, signal: CallAbortSignal) => Promise<StreamedResponse>

/** A signal that ends a call before its answer. An `AbortSignal` also has this type. */
export type CallAbortSignal = {
  readonly aborted: boolean
  readonly reason: unknown
  readonly addEventListener: (type: 'abort', listener: () => void) => void
  readonly removeEventListener: (type: 'abort', listener: () => void) => void
}

/** A signal that ends a call after a number of milliseconds, unless `clear` cancels the signal. */
type Deadline = CallAbortSignal & { readonly clear: () => void }

/** Creates a deadline. The runtime's own timeout signals are several times slower. */
export function deadlineIn(ms: number): Deadline {
  const listeners = new Set<() => void>()
  let aborted = false
  const timer = after('upstream', ms, () => {
    aborted = true
    for (const listener of listeners) listener()
  })
  return {
    get aborted() {
      return aborted
    },
    get reason() {
      return aborted ? new DOMException('the call took too long', 'TimeoutError') : undefined
    },
    addEventListener: (_type, listener) => void listeners.add(listener),
    removeEventListener: (_type, listener) => void listeners.delete(listener),
    clear: () => clearTimeout(timer),
  }
}

/** The same ending as an AbortSignal, which functions of the runtime need. */
export function toAbortSignal(ending: CallAbortSignal): AbortSignal {
  if (ending instanceof AbortSignal) return ending
  const controller = new AbortController()
  const abort = guarded('upstream', () => controller.abort(ending.reason))
  if (ending.aborted) abort()
  else ending.addEventListener('abort', abort)
  return controller.signal
}

/**
 * Error codes which prove that the request was not sent: the address is unknown, the connection failed, or the
 * certificate was refused. The code of a failed handshake is missing here, because a TLS record that breaks after the
 * venue has read the request gives the same code.
 */
const NEVER_SENT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // All file descriptors were in use, so no connection was opened.
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

/** The UpstreamError for a failed or aborted exchange. The call counts as sent unless the error proves the opposite. */
export function exchangeFault(error: unknown, signal?: CallAbortSignal): UpstreamError {
  if (error instanceof UpstreamError) return error
  const { name, code } = nameAndCode(error)
  const cause = { cause: error }
  if (name === 'TimeoutError' || signal?.aborted) return new UpstreamError('timeout', true, cause)
  if (NEVER_SENT.has(code)) return new UpstreamError('unreachable', false, cause)
  return new UpstreamError(isHandshake(code) ? 'unreachable' : 'reset', true, cause)
}

/** Whether a code means a TLS failure: EPROTO from fetch, or an OpenSSL code of the runtime. */
function isHandshake(code: unknown): boolean {
  return code === 'EPROTO' || (typeof code === 'string' && code.startsWith('ERR_SSL_'))
}

function nameAndCode(error: unknown): { readonly name?: unknown; readonly code?: unknown } {
  return typeof error === 'object' && error !== null ? error : {}
}

/** Whether a content type is JSON. */
export function isJsonType(contentType: string): boolean {
  return /^\s*(?:application\/(?:[^\s;/]+\+)?json|text\/json)\s*(?:;|$)/i.test(contentType)
}

/** Retry-After in seconds (RFC 9110, 10.2.3). A date is ignored, since it depends on the other machine's clock. */
export function parseRetryAfter(header: string | null): { readonly retryAfterSeconds?: number } {
  return /^\d{1,5}$/.test(header ?? '') ? { retryAfterSeconds: Number(header) } : {}
}

/** Joins bytes into one array; a single part is not copied. */
export function joinedBytes(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  return only && parts.length === 1 ? only : Buffer.concat(parts)
}
