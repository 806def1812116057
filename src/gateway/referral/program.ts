import type { FailureCode } from '../../contract/failures.ts'
import type { CodeRefusal, RateRefusal } from '../../contract/referral.ts'
import { Failure } from '../../core/failure.ts'
import { type Store, UpstreamError } from '../../core/ports.ts'
import {
  type Affiliate,
  affiliatePath,
  codeExists,
  codePath,
  findAffiliate,
} from '../../upstream/wire/affiliate.ts'
import { openEnvelope } from '../../upstream/wire/envelope.ts'
import { failureOfUpstreamError } from '../../upstream/wire/failures.ts'
import { type Answer, privateAnswer } from '../cache/answer.ts'
import type { Scrub } from '../scrub/scrub.ts'
import {
  OF_THE_KEY,
  type Operator,
  type OperatorCallAccess,
  readAsOperator,
  signedByOperator,
  toOperatorFailure,
  type VenueKey,
} from '../venue/operator-call.ts'
import { noneIfNotFound, parsePayload, readPayload, type VenueAccess } from '../venue/read.ts'
import { type AccountQueue, createAccountQueue } from './account-queue.ts'

/** Asks the venue whether a code is taken. Throws Failure. */
export async function isCodeHeld(deps: VenueAccess, code: string): Promise<boolean> {
  const exists = codeExists(await readPayload(deps, { path: codePath(code) }))
  if (exists === undefined) throw new Failure('upstream_unavailable')
  return exists
}

/** The account's code and rate, read with the operator's key; null when it has no code. Throws Failure. */
export async function readAffiliate(
  deps: OperatorCallAccess,
  key: VenueKey,
  accountId: string,
): Promise<Affiliate | null> {
  const read = async () => {
    const text = await readAsOperator(deps, key, affiliatePath(accountId))
    return findAffiliate(parsePayload(text), accountId)
  }
  return read().catch(noneIfNotFound)
}

/** The outcome of a write with the operator's key. `failed`: the key or an outage prevented it, and nothing was changed. */
type ProgramWrite =
  | { readonly kind: 'done' | 'refused' | 'unknown' }
  | { readonly kind: 'failed'; readonly failure: unknown }

/** Sends a write with the operator's key, once. Never throws a Failure: the result states the outcome. */
export async function writeProgram(
  deps: OperatorCallAccess,
  key: VenueKey,
  path: string,
  body: string,
): Promise<ProgramWrite> {
  try {
    const response = await deps.upstream.send(
      signedByOperator(deps, key, { method: 'POST', path, body }),
    )
    openEnvelope(response, 'data', 'write', { signed: true })
    return { kind: 'done' }
  } catch (error) {
    const failure = error instanceof UpstreamError ? failureOfUpstreamError(error, 'write') : error
    if (!(failure instanceof Failure)) throw failure
    if (failure.code === 'outcome_unknown') return { kind: 'unknown' }
    if (!NO_VERDICT.has(failure.code)) return { kind: 'refused' }
    return { kind: 'failed', failure: toOperatorFailure(deps, failure) }
  }
}

const NO_VERDICT: ReadonlySet<FailureCode> = new Set([
  ...OF_THE_KEY,
  'upstream_busy',
  'upstream_unavailable',
  'upstream_timeout',
])

/**
 * Access for referral writes: the program with its queues, claims, and the service's name, which is a reserved code.
 */
export type ReferralAccess = OperatorCallAccess & {
  readonly store: Pick<Store, 'once'>
  readonly scrub: Scrub
  readonly operator: Pick<Operator, 'serviceName'>
  readonly referral: ReferralProgram
}

export type CodeOutcome =
  | { readonly created: true; readonly code: string; readonly maxRebateRate: number }
  | { readonly created: false; readonly reason: CodeRefusal }

/** A finished claim: its code and outcome. */
export type CodeClaim = { readonly code: string; readonly outcome: CodeOutcome }

export type RateOutcome =
  | { readonly updated: true; readonly rate: number }
  /** `rate`: the unchanged rate, with reason `already_set`. */
  | { readonly updated: false; readonly reason: RateRefusal; readonly rate?: number }

/** Makes an account of the embedded venue a first-level affiliate. */
export type Promote = (accountId: string) => Promise<'promoted' | 'already' | 'no_account'>

/** The state of the referral verbs: the operator's key, the rate of new affiliates, and the queues of calls per account. */
export type ReferralProgram = {
  /** Null without an operator's key; writes are then refused. */
  readonly key: VenueKey | null
  /** 0 to 1. */
  readonly rate: number
  /** Null with a live venue: its operator promotes affiliates at the venue. */
  readonly promote: Promote | null
  readonly codes: AccountQueue<CodeClaim>
  readonly rates: AccountQueue<RateOutcome>
}

/** The program with empty queues. */
export function openReferralProgram(
  parts: Pick<ReferralProgram, 'key' | 'rate' | 'promote'>,
): ReferralProgram {
  return { ...parts, codes: createAccountQueue(), rates: createAccountQueue() }
}

/**
 * Makes an account of the embedded venue a first-level affiliate, which can then get a code: `{promoted: true}`, or
 * `{promoted: false}` if the account already is an affiliate. Operator only. Throws Failure not_found for an unknown
 * account, and always with a live venue.
 */
export async function promoteAffiliate(
  deps: Pick<ReferralAccess, 'referral' | 'scrub'>,
  body: { readonly accountId: string },
): Promise<Answer> {
  const result = (await deps.referral.promote?.(body.accountId.toLowerCase())) ?? 'no_account'
  if (result === 'no_account') throw new Failure('not_found')
  return privateAnswer(deps, { promoted: result === 'promoted' })
}
