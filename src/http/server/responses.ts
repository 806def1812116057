import { FAILURES } from '../../contract/failures.ts'
import { LIMITS } from '../../contract/limits.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import { Failure, failureBody, type Refusal } from '../../core/failure.ts'
import type { Answer } from '../../gateway/cache/answer.ts'
import { RateLimited } from '../../gateway/limits/admission.ts'
import { rateHeaders } from '../../gateway/limits/verdict.ts'
import { REPLAY, Replayed } from '../../gateway/relay/write-ledger.ts'
import { compressedBytes, type Encoding, type Reply } from '../../gateway/scrub/reply.ts'
import { requestHeader } from './request.ts'

const JSON_TYPE = 'application/json'

type RequestHeaders = Pick<Headers, 'get'>

/** The failure of a request whose body was not read to its end. Its connection closes after the answer. */
export class UnreadBody extends Failure {}

/** A verb's answer as HTTP: 304 if the caller already has these bytes; compressed if the caller accepts compression. */
export function toResponse(
  { status, reply, headers }: Answer,
  requested: RequestHeaders,
): Response {
  const liked = reply.isPackable ? preferredEncoding(requested) : null
  if (headers['cache-control'] === 'no-store') return sentOnce({ status, reply, headers }, liked)
  const bytes = liked && reply.packed(liked)
  const all = cachedHeaders(reply, headers, bytes && liked)
  if (notModified(requested, reply.etag)) return new Response(null, { status: 304, headers: all })
  return new Response(bytes ?? reply.bytes, { status, headers: all })
}

function sentOnce({ status, reply, headers }: Answer, liked: Encoding | null): Response {
  const { bytes } = reply
  const isShort = bytes.byteLength <= LIMITS.packedOnceMaxBytes
  const shorter = liked && isShort ? compressedBytes(bytes, liked, 'one') : null
  const all = packedHeaders(reply, headers, shorter && liked)
  return new Response(shorter ?? bytes, { status, headers: all })
}

type Tagged = Pick<Reply, 'etag' | 'isPackable'>

/** The headers of a cacheable answer in one encoding, or uncompressed if `encoding` is null. */
export function cachedHeaders(
  reply: Tagged,
  headers: Readonly<Record<string, string>>,
  encoding: Encoding | null,
): Record<string, string> {
  const { etag } = reply
  if (etag === null) return packedHeaders(reply, headers, encoding)
  const tag = encoding ? packedTag(etag, encoding) : etag
  return packedHeaders(reply, { ...headers, etag: tag }, encoding)
}

// A short body is always sent uncompressed, so its answer needs no Vary header.
function packedHeaders(
  { isPackable }: Pick<Tagged, 'isPackable'>,
  headers: Readonly<Record<string, string>>,
  encoding: Encoding | null,
): Record<string, string> {
  if (!isPackable && !encoding) return { 'content-type': JSON_TYPE, ...headers }
  return {
    'content-type': JSON_TYPE,
    ...headers,
    ...(isPackable && { vary: 'accept-encoding' }),
    ...(encoding && { 'content-encoding': encoding }),
  }
}

/** The response to a failure. Any other error gives only `internal`. */
export function failureResponse(error: unknown): Response {
  const failure = error instanceof Failure ? error : new Failure('internal')
  const response = new Response(failureBody(failure), {
    status: FAILURES[failure.code].status,
    headers: { 'content-type': JSON_TYPE, 'cache-control': 'no-store', ...failureHeaders(failure) },
  })
  return recordFailureCode(response, failure.code)
}

const codes = new WeakMap<Response, string>()

/** Records a response's failure code for logs and metrics. Returns the same response. */
export function recordFailureCode(response: Response, code: string): Response {
  codes.set(response, code)
  return response
}

/** `ok`, or the failure code that was recorded for a response, otherwise `http_` and its status. */
export function responseCode(response: Response): string {
  if (response.status < 400) return 'ok'
  return codes.get(response) ?? `http_${response.status}`
}

/** A refusal as `{error}`, with its failure's `allow` and `retry-after` headers. */
export function refusalResponse(
  { refusal, status, error, retryAfterSeconds }: Refusal,
  cause: unknown,
): Response {
  const headers = cause instanceof Failure ? failureHeaders(cause) : {}
  const retry = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  const response = new Response(JSON.stringify({ error }), {
    status,
    headers: { 'content-type': JSON_TYPE, 'cache-control': 'no-store', ...headers, ...retry },
  })
  return recordFailureCode(response, refusal)
}

function failureHeaders(failure: Failure): Record<string, string> {
  if (failure instanceof RateLimited) return rateHeaders(failure.verdict)
  if (failure instanceof Replayed) return REPLAY
  const closing = failure instanceof UnreadBody ? { connection: 'close' } : {}
  const seconds = failure.meta?.['retryAfterSeconds']
  if (typeof seconds === 'number') return { 'retry-after': String(seconds), ...closing }
  const allow = failure.meta?.['allow']
  return typeof allow === 'string' ? { allow } : closing
}

// Each encoding of the same content needs its own strong ETag (RFC 9110, 8.8.1).
function packedTag(etag: string, encoding: Encoding): string {
  return `${etag.slice(0, -1)}-${encoding}"`
}

/**
 * Whether the caller already has these bytes in any encoding (RFC 9110, 13.1.2); false for bytes without an ETag.
 * Throws invalid_request.
 */
export function notModified(requested: RequestHeaders, etag: string | null): boolean {
  if (etag === null) return false
  const condition = requestHeader(requested, 'if-none-match')
  if (condition === null) return false
  if (condition === '*') return true
  const encodingByHeader = condition.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return [etag, packedTag(etag, 'gzip'), packedTag(etag, 'zstd')].some((tag) =>
    encodingByHeader.includes(tag),
  )
}

/** The failure of a known path that does not support the method. */
export function methodNotAllowed(allow: string): Failure {
  return new Failure('method_not_allowed', { allow })
}

/** Encodings by Accept-Encoding header. The header has few values, and parsing it costs more than a small answer. */
const encodingByHeader = createBoundedMap<string, Encoding | null>(LIMITS.encodingsKnownMax)

/**
 * The response encoding by Accept-Encoding (RFC 9110, 12.5.3): zstd unless gzip is preferred; null if neither is
 * accepted. Throws invalid_request.
 */
export function preferredEncoding(requested: RequestHeaders): Encoding | null {
  const header = requestHeader(requested, 'accept-encoding')
  if (header === null) return null
  const found = encodingByHeader.get(header)
  if (found !== undefined) return found
  const liked = likedBest(header)
  encodingByHeader.put(header, liked)
  return liked
}

function likedBest(header: string): Encoding | null {
  const [zstd, gzip] = [codingWeight(header, ZSTD), codingWeight(header, GZIP)]
  if (zstd > 0 && zstd >= gzip) return 'zstd'
  return gzip > 0 ? 'gzip' : null
}

/** Whether Accept-Encoding allows gzip, by name or by `*`, and not with q=0. Throws invalid_request. */
export function acceptsGzip(requested: RequestHeaders): boolean {
  return codingWeight(requestHeader(requested, 'accept-encoding') ?? '', GZIP) > 0
}

const GZIP = /^(?:gzip|\*)\s*(?:;\s*q=([01](?:\.\d*)?))?$/i
/** `*` selects gzip only, since a caller that sends `*` may not support zstd. */
const ZSTD = /^zstd\s*(?:;\s*q=([01](?:\.\d*)?))?$/i

function codingWeight(header: string, pattern: RegExp): number {
  const weights = header.split(',').map((item) => pattern.exec(item.trim()))
  return Math.max(0, ...weights.map((match) => (match ? Number(match[1] ?? 1) : 0)))
}
