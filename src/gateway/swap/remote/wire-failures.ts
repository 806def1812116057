import type { FailureCode } from '../../../contract/failures.ts'
import type { NoRouteReason } from '../../../contract/swap.ts'
import { Failure, type FailureMeta } from '../../../core/failure.ts'
import { isObject } from '../../../core/json.ts'
import { noRoute } from '../refusal.ts'
import type { SwapReply } from './http.ts'
import { type WireRow, wireRows } from './wire.ts'

/** Converts a refusal of a quote to a failure. The wire’s text selects the failure and is never part of it. */
export function quoteFailure(reply: SwapReply): Failure {
  const { status } = reply
  const body = isObject(reply.body) ? reply.body : {}
  const { code } = body
  if (isBusy(reply)) return busyFailure(reply)
  if (code === CODES.timeout) return new Failure('upstream_timeout')
  if (code === CODES.validation || code === CODES.malformedSchema) return parameterFailure(body)
  if (code === CODES.notFound) return parameterFailure(body, 'unsupported_token')
  if (code === CODES.slippage || status === 409) return noRoute('slippage_too_low')
  if (code === CODES.noQuote) return noQuoteFailure(body)
  if (code === CODES.unbuildable || code === CODES.unprocessable) return noRoute('no_path')
  return new Failure('upstream_unavailable')
}

/** Converts a refusal of any other read, which is never the caller's fault. */
export function listFailure(reply: SwapReply): Failure {
  if (isBusy(reply)) return busyFailure(reply)
  const code = isObject(reply.body) ? reply.body['code'] : undefined
  return new Failure(code === CODES.timeout ? 'upstream_timeout' : 'upstream_unavailable')
}

/** Whether the operator’s API key was refused, which only the operator can fix. */
export function isKeyRefused({ status, body }: SwapReply): boolean {
  return status === 401 || status === 403 || (isObject(body) && body['code'] === CODES.unauthorized)
}

/** Whether a refusal means that the requested object does not exist. */
export function isUnknown({ status, body }: SwapReply): boolean {
  return status === 404 || (isObject(body) && body['code'] === CODES.notFound)
}

const CODES = {
  unbuildable: 1001,
  noQuote: 1002,
  notFound: 1003,
  unprocessable: 1004,
  rateLimited: 1005,
  slippage: 1007,
  timeout: 1009,
  unauthorized: 1010,
  validation: 1011,
  malformedSchema: 1013,
} as const

function isBusy({ status, body }: SwapReply): boolean {
  return status === 429 || (isObject(body) && body['code'] === CODES.rateLimited)
}

function busyFailure({ retryAfterSeconds }: SwapReply): Failure {
  return new Failure(
    'upstream_busy',
    retryAfterSeconds === null ? undefined : { retryAfterSeconds },
  )
}

/** The wire’s parameters with this service's names, and the failure for a well-formed parameter that the wire refuses. */
const PARAMETERS: readonly {
  readonly wire: string
  readonly own: string
  readonly failure: FailureCode
}[] = [
  { wire: 'fromToken', own: 'fromToken', failure: 'unsupported_token' },
  { wire: 'toToken', own: 'toToken', failure: 'unsupported_token' },
  { wire: 'fromChain', own: 'fromChain', failure: 'unsupported_chain' },
  { wire: 'toChain', own: 'toChain', failure: 'unsupported_chain' },
  { wire: 'fromAddress', own: 'fromAddress', failure: 'invalid_address' },
  { wire: 'toAddress', own: 'toAddress', failure: 'invalid_address' },
  { wire: 'fromAmount', own: 'fromAmount', failure: 'invalid_request' },
  { wire: 'slippage', own: 'slippageBps', failure: 'invalid_request' },
  { wire: 'order', own: 'order', failure: 'invalid_request' },
]

/**
 * The failure of the parameter that a message names. If the message names no parameter, returns a failure with the code
 * `otherwise`. Its parameter is `toToken` for unsupported_token, and the query for any other code.
 */
function parameterFailure(
  { message }: WireRow,
  otherwise: FailureCode = 'invalid_request',
): Failure {
  const text = typeof message === 'string' ? message : ''
  const row = PARAMETERS.find(({ wire }) => new RegExp(`\\b${wire}\\b`).test(text))
  if (row) return new Failure(row.failure, { parameter: row.own })
  return new Failure(otherwise, {
    parameter: otherwise === 'unsupported_token' ? 'toToken' : 'query',
  })
}

/**
 * Sets of tool errors with a special failure, which applies if every tool error is in the set. Otherwise the failure is
 * no_route.
 */
// biome-ignore format: one verdict a row
const SPECIAL_FAILURES: readonly { readonly all: ReadonlySet<unknown>; readonly failure: FailureCode; readonly meta?: FailureMeta }[] = [
  { all: new Set(['AMOUNT_TOO_LOW', 'FEES_HIGHER_THAN_AMOUNT']), failure: 'amount_too_low', meta: { parameter: 'fromAmount' } },
  { all: new Set(['AMOUNT_TOO_HIGH']), failure: 'amount_too_high', meta: { parameter: 'fromAmount' } },
  { all: new Set(['TOOL_TIMEOUT', 'RPC_ERROR', 'RATE_LIMIT_EXCEEDED', 'TOOL_SPECIFIC_ERROR']), failure: 'upstream_unavailable' },
]

/** Reasons by tool error, the most specific first. */
const REASONS: readonly (readonly [code: string, reason: NoRouteReason])[] = [
  ['INSUFFICIENT_LIQUIDITY', 'insufficient_liquidity'],
  ['CANNOT_GUARANTEE_MIN_AMOUNT', 'slippage_too_low'],
  ['DIFFERENT_RECIPIENT_NOT_SUPPORTED', 'recipient_not_supported'],
]

const ERRORS_MAX = 1000

/**
 * The failure if every tool failed to quote. `errors.failed` has each tool's error; `filteredOut` has routes that were
 * dropped because of their price.
 */
function noQuoteFailure({ errors }: WireRow): Failure {
  const { failed, filteredOut } = isObject(errors) ? errors : {}
  const codes = toolCodes(failed)
  const verdict = SPECIAL_FAILURES.find(
    ({ all }) => codes.length > 0 && codes.every((code) => all.has(code)),
  )
  if (verdict) return new Failure(verdict.failure, verdict.meta)
  const [, reason] = REASONS.find(([code]) => codes.includes(code)) ?? []
  if (reason) return noRoute(reason)
  const isTooDear = wireRows(filteredOut, ERRORS_MAX).some((row) =>
    /price impact/i.test(String(row['reason'] ?? '')),
  )
  return noRoute(isTooDear ? 'price_impact' : 'no_path')
}

function toolCodes(failed: unknown): readonly unknown[] {
  return wireRows(failed, ERRORS_MAX).flatMap(({ subpaths }) =>
    Object.values(isObject(subpaths) ? subpaths : {}).flatMap((errors) =>
      wireRows(errors, ERRORS_MAX).map(({ code }) => code),
    ),
  )
}
