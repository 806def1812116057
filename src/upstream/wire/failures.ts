import type { FailureCode, ReasonOf } from '../../contract/failures.ts'
import { Failure, type FailureMeta } from '../../core/failure.ts'
import { UpstreamError } from '../../core/ports.ts'

/** Whether a call is a read or a write. Repeating a write could do harm. */
export type CallKind = 'read' | 'write'

/** A refusal of the venue. Its text only selects the failure; it is never shown. */
export type UpstreamRefusal = {
  readonly httpStatus: number
  /** Absent if something other than the venue answered, such as a load balancer's HTML page. */
  readonly code?: number | string | undefined
  readonly message?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  /** Whether the call carried an account's signature. */
  readonly signed?: boolean | undefined
}

/**
 * The failure that the caller gets for a refusal of the venue. For a write, `upstream_busy` and `upstream_unavailable`
 * mean that the write certainly had no effect; if that is uncertain, the failure is `outcome_unknown`. `meta` is
 * `{retryAfterSeconds}` (upstream_busy), `{reason}` (unauthorized, invalid_request, price_out_of_range) or absent.
 * Source: the codes that the venue documents, and codes that were observed.
 */
export function toFailure(refusal: UpstreamRefusal, kind: CallKind): Failure {
  const code = String(refusal.code ?? '')
  if (refusal.httpStatus === 429 || VENUE_CODES.get(code) === 'upstream_busy') return busy(refusal)
  const wording = matchedWording(refusal, code)
  const isOpen = refusal.httpStatus >= 500 || code === ''
  if (kind === 'write' && (isOpen || (!wording && AMBIGUOUS_CODES.has(code)))) {
    return new Failure('outcome_unknown')
  }
  const unlisted = isOpen ? 'upstream_unavailable' : 'venue_rejected'
  const failure = wording?.failure ?? VENUE_CODES.get(code) ?? unlisted
  return new Failure(failure, failureMeta(failure, refusal, code))
}

function failureMeta(
  failure: FailureCode,
  refusal: UpstreamRefusal,
  code: string,
): FailureMeta | undefined {
  if (failure === 'unauthorized') return { reason: credentialReason(refusal) }
  if (code === PERCENTAGE_FILTER) return { reason: 'price_range' }
  if (failure !== 'invalid_request') return undefined
  const { message = '' } = refusal
  const row = INPUT_WORDINGS.find(({ codes, text }) => codes.includes(code) && text.test(message))
  return row && { reason: row.reason }
}

function busy({ retryAfterSeconds }: UpstreamRefusal): Failure {
  const meta: FailureMeta | undefined =
    retryAfterSeconds === undefined ? undefined : { retryAfterSeconds }
  return new Failure('upstream_busy', meta)
}

function matchedWording(
  { message = '', signed }: UpstreamRefusal,
  code: string,
): Wording | undefined {
  return WORDINGS.find(
    (row) => row.codes.includes(code) && row.text.test(message) && (!row.signed || signed === true),
  )
}

function credentialReason({ message = '' }: UpstreamRefusal): CredentialReason {
  const [only, ...others] = CREDENTIAL_WORDINGS.filter(({ text }) => text.test(message))
  return only && others.length === 0 ? only.reason : 'credentials'
}

/** The code for a price that is too far from the mark price. */
const PERCENTAGE_FILTER = '-1105'

/** The code that stands for a chart's error (`{"s":"error","errmsg"}`), since the venue sends it without a code. */
export const CHART_ERROR = 's:error'

/**
 * The failure for each code of the venue: numbers of its REST API, words of its public query API. An unlisted code is a
 * definite refusal, `venue_rejected`.
 */
export const VENUE_CODES: ReadonlyMap<string, FailureCode> = new Map([
  ['-1000', 'upstream_unavailable'],
  ['-1001', 'invalid_signature'],
  ['-1002', 'unauthorized'],
  ['-1003', 'upstream_busy'],
  ['-1004', 'invalid_request'],
  ['-1005', 'invalid_request'],
  ['-1006', 'not_found'],
  ['-1007', 'duplicate_request'],
  ['-1008', 'venue_rejected'],
  ['-1009', 'venue_rejected'],
  ['-1011', 'upstream_unavailable'],
  ['-1012', 'account_restricted'],
  ['-1101', 'insufficient_margin'],
  ['-1102', 'notional_too_small'],
  ['-1103', 'price_out_of_range'],
  ['-1104', 'size_out_of_range'],
  [PERCENTAGE_FILTER, 'price_out_of_range'],
  ['-1201', 'venue_rejected'],
  ['-1202', 'venue_rejected'],
  ['-1604', 'duplicate_request'],
  ['-1607', 'not_found'],
  ['9', 'invalid_signature'],
  ['15', 'invalid_signature'],
  ['UNKNOWN_TYPE', 'venue_rejected'],
  ['MISSING_PARAM', 'invalid_request'],
  ['INVALID_PARAM', 'invalid_request'],
  ['ADDRESS_NOT_FOUND', 'not_found'],
  ['ORDER_NOT_FOUND', 'not_found'],
  ['RATE_LIMIT_EXCEEDED', 'upstream_busy'],
  ['INTERNAL_ERROR', 'upstream_unavailable'],
  ['SERVICE_UNAVAILABLE', 'upstream_unavailable'],
  ['POSITION_CALC_TIMEOUT', 'upstream_timeout'],
])

/**
 * Codes that leave the outcome unknown. -1011 is a broken connection inside the venue, so the write may have taken
 * effect.
 */
const AMBIGUOUS_CODES: ReadonlySet<string> = new Set([
  '-1000',
  '-1011',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
  'POSITION_CALC_TIMEOUT',
])

/** A text of the venue that is more specific than its code. */
type Wording = {
  readonly codes: readonly string[]
  readonly text: RegExp
  readonly failure: FailureCode
  /** Present if the text counts only for calls with an account's signature. */
  readonly signed?: true
}

const UNKNOWN_SYMBOL =
  /(?:unknown|invalid|unsupported)[ _]symbol|symbol\b[^,.;]{0,60}\b(?:not (?:found|exist|supported)|invalid|unknown)/i

/** The first matching row replaces the code's failure. */
const WORDINGS: readonly Wording[] = [
  { codes: ['-1000'], text: /path not found|does not exist/i, failure: 'not_found' },
  { codes: ['-1004'], text: /key error/i, failure: 'unauthorized', signed: true },
  {
    codes: ['-1005', 'INVALID_PARAM', CHART_ERROR],
    text: UNKNOWN_SYMBOL,
    failure: 'not_found',
  },
  // The venue also uses the code of the price filter for dates of reports, and the code of the size filter for a paused
  // settlement.
  { codes: ['-1103'], text: /(?:^|[\s_])date\b/i, failure: 'invalid_request' },
  { codes: ['-1104'], text: /\bminutes?\b/i, failure: 'venue_rejected' },
]

type CredentialReason = ReasonOf<'unauthorized'>

/**
 * The reason by the wording of an authorization refusal. A sentence that matches no row or several rows gives
 * `credentials`.
 */
const CREDENTIAL_WORDINGS: readonly {
  readonly reason: CredentialReason
  readonly text: RegExp
}[] = [
  { reason: 'key_expired', text: /expired/i },
  {
    reason: 'key_unknown',
    text: /revoked|removed|key error|key\b.{0,60}\b(?:unknown|not (?:found|exist))/i,
  },
  { reason: 'scope', text: /\bscope\b|permission/i },
]

/**
 * The fault in the input of an `invalid_request`. -1004 counts only with the word "param", since the venue also uses it
 * for accounts and keys.
 */
const INPUT_WORDINGS: readonly {
  readonly codes: readonly string[]
  readonly text: RegExp
  readonly reason: ReasonOf<'invalid_request'>
}[] = [
  { codes: ['-1004'], text: /param/i, reason: 'unknown_argument' },
  { codes: ['-1005', 'INVALID_PARAM'], text: /(?:)/, reason: 'malformed' },
  { codes: ['MISSING_PARAM'], text: /(?:)/, reason: 'missing' },
]

/** The failure for a call that got no usable answer. A write that may have arrived is `outcome_unknown`. */
export function failureOfUpstreamError(error: UpstreamError, kind: CallKind): Failure {
  const cause = { cause: error }
  if (error.sent && kind === 'write') return new Failure('outcome_unknown', undefined, cause)
  if (error.fault === 'saturated') return new Failure('upstream_busy', undefined, cause)
  if (error.fault === 'timeout') return new Failure('upstream_timeout', undefined, cause)
  return new Failure('upstream_unavailable', undefined, cause)
}

/**
 * Whether a write with this error certainly had no effect, so that it may be sent again. Either the write was never
 * sent, or the venue refused it unprocessed (429, maintenance).
 */
export function certainlyNotDone(error: unknown): boolean {
  if (error instanceof UpstreamError) return !error.sent
  if (!(error instanceof Failure)) return false
  return error.code === 'upstream_busy' || error.code === 'upstream_unavailable'
}
