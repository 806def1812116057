import type { Method } from '../../contract/allowlist.ts'
import { after, guarded } from '../../core/loop/guarded.ts'
import { UpstreamError } from '../../core/ports.ts'

/** A call as it goes out, byte for byte. */
export type Call = {
  /** The host that it goes to. */
  readonly url: URL
  /** Path and query there. */
  readonly target: string
  readonly method: Method
  /** Names in lower case, values without spaces around them. */
  readonly headers: Readonly<Record<string, string>>
  /** Null for no body. */
  readonly body: Uint8Array<ArrayBuffer> | null
}

/** An answer: its head, and its body as it arrives, packed as it was sent. A `Response` is one. */
export type Answered = {
  readonly status: number
  readonly headers: { readonly get: (name: string) => string | null }
  /** All of it, where it came with the head. */
  readonly body: Uint8Array | Flowing | null
}

/** A body that comes in. Leaving it before its end closes the connection, as `cancel` does. */
export type Flowing = AsyncIterable<Uint8Array> & { readonly cancel: () => Promise<void> }

/**
 * Sends a call on a connection; no redirect is followed and nothing unpacked. Throws what the runtime throws:
 * `exchangeFault` knows what it means.
 */
export type Exchange = (call: Call, signal: Ending) => Promise<Answered>

/** How a call is ended before its answer came. An `AbortSignal` is one. */
export type Ending = {
  readonly aborted: boolean
  readonly reason: unknown
  readonly addEventListener: (type: 'abort', listener: () => void) => void
  readonly removeEventListener: (type: 'abort', listener: () => void) => void
}

/** The ending of a call whose time is over after so many milliseconds; `clear` when it is over sooner. */
type Deadline = Ending & { readonly clear: () => void }

/** A deadline. Those of the runtime's own signals cost a call several times as much. */
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

/** The same ending as the runtime's own functions take one. */
export function signalOf(ending: Ending): AbortSignal {
  if (ending instanceof AbortSignal) return ending
  const controller = new AbortController()
  const abort = guarded('upstream', () => controller.abort(ending.reason))
  if (ending.aborted) abort()
  else ending.addEventListener('abort', abort)
  return controller.signal
}

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
  const { name, code } = nameAndCode(error)
  const cause = { cause: error }
  if (name === 'TimeoutError' || signal?.aborted) return new UpstreamError('timeout', true, cause)
  if (NEVER_SENT.has(code)) return new UpstreamError('unreachable', false, cause)
  return new UpstreamError(isHandshake(code) ? 'unreachable' : 'reset', true, cause)
}

/** EPROTO of fetch, and the words of BoringSSL that node:https hands on. */
function isHandshake(code: unknown): boolean {
  return code === 'EPROTO' || (typeof code === 'string' && code.startsWith('ERR_SSL_'))
}

function nameAndCode(error: unknown): { readonly name?: unknown; readonly code?: unknown } {
  return typeof error === 'object' && error !== null ? error : {}
}

/** Whether a content type says that a body is JSON. */
export function isJsonType(contentType: string): boolean {
  return /^\s*(?:application\/(?:[^\s;/]+\+)?json|text\/json)\s*(?:;|$)/i.test(contentType)
}

/** RFC 9110 10.2.3, the seconds form; a date is not worth trusting another machine's clock for. */
export function retryAfterOf(header: string | null): { readonly retryAfterSeconds?: number } {
  return /^\d{1,5}$/.test(header ?? '') ? { retryAfterSeconds: Number(header) } : {}
}

/** Bytes as one piece; those that are in one are not copied. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  return only && parts.length === 1 ? only : Buffer.concat(parts)
}
