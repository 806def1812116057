import type { Answer } from '../../cache/answer.ts'
import { Failure, failureBody } from '../../core/failure.ts'
import type { Refusal } from '../../core/refusal.ts'
import { REPLAY } from '../../gateway/relay/relay.ts'
import { Replayed } from '../../gateway/relay/write-ledger.ts'
import { RateLimited } from '../../limits/admission.ts'
import { rateHeaders } from '../../limits/verdict.ts'
import { FAILURES } from '../../spec/failures.ts'
import { UnreadBody } from './body.ts'
import { headerOf } from './header.ts'

const JSON_TYPE = 'application/json'

type Wishes = Pick<Headers, 'get'>

/** A verb's answer as HTTP: 304 when the caller has these bytes, gzip when it may and it helps. */
export function toResponse({ status, reply, headers }: Answer, wishes: Wishes): Response {
  if (headers['cache-control'] === 'no-store') {
    return new Response(reply.bytes, { status, headers: { 'content-type': JSON_TYPE, ...headers } })
  }
  const gzip = acceptsGzip(wishes) ? reply.gzip() : null
  const all = cachedHeaders(reply.etag, headers, gzip !== null)
  if (notModified(wishes, reply.etag)) return new Response(null, { status: 304, headers: all })
  return new Response(gzip ?? reply.bytes, { status, headers: all })
}

/** The headers of an answer that may be kept, in one of its two encodings. */
export function cachedHeaders(
  etag: string,
  headers: Readonly<Record<string, string>>,
  gzip: boolean,
): Record<string, string> {
  return {
    'content-type': JSON_TYPE,
    ...headers,
    etag: gzip ? gzipTag(etag) : etag,
    vary: 'accept-encoding',
    ...(gzip && { 'content-encoding': 'gzip' }),
  }
}

/** A failure as HTTP; anything that is not a Failure is a bug and says nothing but `internal`. */
export function failureResponse(error: unknown): Response {
  const failure = error instanceof Failure ? error : new Failure('internal')
  const response = new Response(failureBody(failure), {
    status: FAILURES[failure.code].status,
    headers: { 'content-type': JSON_TYPE, 'cache-control': 'no-store', ...failureHeaders(failure) },
  })
  return coded(response, failure.code)
}

const codes = new WeakMap<Response, string>()

/** Notes which failure a response tells of, for the operator; the response is as it was. */
export function coded(response: Response, code: string): Response {
  codes.set(response, code)
  return response
}

/** `ok`, or the failure that a response tells of; one that nobody noted goes by its status. */
export function codeOf(response: Response): string {
  if (response.status < 400) return 'ok'
  return codes.get(response) ?? `http_${response.status}`
}

/** A refusal as HTTP: `{error}`, with what the failure behind it says about methods and waiting. */
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
  return coded(response, refusal)
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

// Two encodings of the same bytes need two strong tags (RFC 9110 8.8.1).
function gzipTag(etag: string): string {
  return `${etag.slice(0, -1)}-gzip"`
}

/** Whether the caller has these bytes already, in either encoding (RFC 9110 13.1.2). Throws invalid_request. */
export function notModified(wishes: Wishes, etag: string): boolean {
  const condition = headerOf(wishes, 'if-none-match')
  if (condition === null) return false
  if (condition === '*') return true
  const known = condition.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return known.includes(etag) || known.includes(gzipTag(etag))
}

/** Whether Accept-Encoding admits gzip (RFC 9110 12.5.3): listed or `*`, and not with q=0. Throws invalid_request. */
export function acceptsGzip(wishes: Wishes): boolean {
  return headerOf(wishes, 'accept-encoding')?.split(',').some(admitsGzip) ?? false
}

function admitsGzip(item: string): boolean {
  const [, weight = '1'] = /^(?:gzip|\*)\s*(?:;\s*q=([01](?:\.\d*)?))?$/i.exec(item.trim()) ?? [
    null,
    '0',
  ]
  return Number(weight) > 0
}

/** The failure of a known path asked with a method it does not have. */
export function methodNotAllowed(allow: string): Failure {
  return new Failure('method_not_allowed', { allow })
}
