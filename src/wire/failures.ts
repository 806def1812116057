import { Failure, type FailureMeta } from '../core/failure.ts'
import type { FailureCode } from '../spec/failures.ts'
import {
  AMBIGUOUS_CODES,
  CREDENTIAL_WORDINGS,
  type CredentialReason,
  INPUT_WORDINGS,
  VENUE_CODES,
  WORDINGS,
  type Wording,
} from './codes.ts'

/** Whether repeating the call could do harm. */
export type CallKind = 'read' | 'write'

/** A refusal as the venue gave it. Its words choose a failure; they never become part of one. */
export type Refusal = {
  readonly httpStatus: number
  /** Absent when the answer was no refusal of the venue's making: HTML, garbage, a balancer's page. */
  readonly code?: number | string | undefined
  readonly message?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  /** Whether the call carried an account's signature. */
  readonly signed?: boolean | undefined
}

/**
 * The failure a caller is given for a refusal of the venue. For a write, `upstream_busy` and `upstream_unavailable`
 * mean that it certainly did not happen; whatever leaves that open is `outcome_unknown`.
 * `meta` is at most `{retryAfterSeconds}` (upstream_busy) or `{reason}` (unauthorized, invalid_request).
 * Source: the venue's documented and observed codes.
 */
export function failureOf(refusal: Refusal, kind: CallKind): Failure {
  const code = String(refusal.code ?? '')
  if (refusal.httpStatus === 429 || VENUE_CODES.get(code) === 'upstream_busy') return busy(refusal)
  const wording = wordingOf(refusal, code)
  const isOpen = refusal.httpStatus >= 500 || code === ''
  if (kind === 'write' && (isOpen || (!wording && AMBIGUOUS_CODES.has(code)))) {
    return new Failure('outcome_unknown')
  }
  const unlisted = isOpen ? 'upstream_unavailable' : 'venue_rejected'
  const failure = wording?.failure ?? VENUE_CODES.get(code) ?? unlisted
  return new Failure(failure, metaOf(failure, refusal, code))
}

function metaOf(failure: FailureCode, refusal: Refusal, code: string): FailureMeta | undefined {
  if (failure === 'unauthorized') return { reason: reasonOf(refusal) }
  if (failure !== 'invalid_request') return undefined
  const { message = '' } = refusal
  const row = INPUT_WORDINGS.find(({ codes, text }) => codes.includes(code) && text.test(message))
  return row && { reason: row.reason }
}

function busy({ retryAfterSeconds }: Refusal): Failure {
  const meta: FailureMeta | undefined =
    retryAfterSeconds === undefined ? undefined : { retryAfterSeconds }
  return new Failure('upstream_busy', meta)
}

function wordingOf({ message = '', signed }: Refusal, code: string): Wording | undefined {
  return WORDINGS.find(
    (row) => row.codes.includes(code) && row.text.test(message) && (!row.signed || signed === true),
  )
}

function reasonOf({ message = '' }: Refusal): CredentialReason {
  const [only, ...others] = CREDENTIAL_WORDINGS.filter(({ text }) => text.test(message))
  return only && others.length === 0 ? only.reason : 'credentials'
}
