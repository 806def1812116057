import { LIMITS } from '../../contract/limits.ts'
import type { CodeRefusal, ReferralCodeBody } from '../../contract/referral.ts'
import { ROUTES } from '../../contract/routes.ts'
import { sha256Hex } from '../../core/digest.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import { type Query, requiredValue } from '../../core/query.ts'
import { AFFILIATE_PATHS, creationBody } from '../../upstream/wire/affiliate.ts'
import { type Answer, privateAnswer } from '../cache/answer.ts'
import {
  answerFromCache,
  cachePolicyWith,
  type MarketAccess,
  publicReply,
} from '../market/cached-answers.ts'
import type { VenueKey } from '../venue/operator-call.ts'
import { confirmByVenue } from '../venue/read.ts'
import { codeFault, isLookUpCode, normalCode } from './code-text.ts'
import {
  type CodeClaim,
  type CodeOutcome,
  isCodeHeld,
  type ReferralAccess,
  readAffiliate,
  writeProgram,
} from './program.ts'

/**
 * Creates the code of a first-level affiliate, signed with the operator's key: `{created: true, code, maxRebateRate}`,
 * or `{created: false, reason}` with the first reason of CODE_REFUSALS that applies. Of concurrent calls for an account
 * at most one creates. Throws Failure: outcome_unknown, not_configured if the venue refuses the operator's key, or an
 * outage.
 */
export async function claimReferralCode(
  deps: ReferralAccess,
  body: ReferralCodeBody,
): Promise<Answer> {
  const { referral, operator } = deps
  const code = normalCode(body.code)
  const fault = codeFault(code, operator.serviceName)
  if (fault) return privateAnswer(deps, notCreated(fault))
  const { key } = referral
  if (!key) return privateAnswer(deps, notCreated('not_configured'))
  const accountId = body.accountId.toLowerCase()
  const claim = await referral.codes.take(
    accountId,
    async () => ({ code, outcome: await attemptCreation({ deps, key, accountId, code }) }),
    (earlier) => adoptedClaim(earlier, code),
  )
  return privateAnswer(deps, claim.outcome)
}

function notCreated(reason: CodeRefusal): CodeOutcome {
  return { created: false, reason }
}

/** Derives a claim's outcome from an earlier claim for the same account; null if this claim has to run. */
function adoptedClaim(earlier: CodeClaim, code: string): CodeClaim | null {
  const { outcome } = earlier
  if (outcome.created) return { code, outcome: notCreated('already_affiliate') }
  return outcome.reason === 'already_affiliate' || earlier.code === code ? earlier : null
}

type Attempt = {
  readonly deps: ReferralAccess
  readonly key: VenueKey
  readonly accountId: string
  readonly code: string
}

async function attemptCreation(claim: Attempt): Promise<CodeOutcome> {
  const { deps, key, accountId, code } = claim
  const current = await readCurrentOutcome(claim)
  if (current) return current
  const release = await claimCreation(deps, accountId)
  const { rate } = deps.referral
  const body = creationBody(accountId, code, rate)
  const write = await writeProgram(deps, key, AFFILIATE_PATHS.create, body)
  if (write.kind === 'unknown') return readCreationOutcome(claim, release)
  await release()
  if (write.kind === 'failed') throw write.failure
  if (write.kind === 'done') return { created: true, code, maxRebateRate: rate }
  // The venue's refusal has no reason, so the reason comes from its data about the account and the code.
  return (await readCurrentOutcome(claim)) ?? notCreated('not_affiliate')
}

/** The refusal that the venue's data already implies, or null. Throws Failure. */
async function readCurrentOutcome({
  deps,
  key,
  accountId,
  code,
}: Attempt): Promise<CodeOutcome | null> {
  if (await readAffiliate(deps, key, accountId)) return notCreated('already_affiliate')
  return (await isCodeHeld(deps, code)) ? notCreated('taken') : null
}

/**
 * Claims the creation for an account, also across restarts. Returns the function that releases the claim. A creation
 * with an unknown outcome keeps its claim for as long as the venue may accept its signature; until then, throws
 * outcome_unknown.
 */
async function claimCreation(
  { clock, store }: Pick<ReferralAccess, 'clock' | 'store'>,
  accountId: string,
): Promise<() => Promise<void>> {
  const identity = sha256Hex(`referral-code:${accountId}`)
  const nowMs = clock.nowMs()
  const lifeMs = LIMITS.signatureAgeMaxMs
  const claim = { identity, sinceMs: nowMs - lifeMs, expiresAtMs: nowMs + lifeMs }
  if (!(await store.once.claim(claim, nowMs))) throw unknownOutcome()
  return () => store.once.release(identity)
}

/**
 * Asks the venue for the outcome of a creation whose answer was lost. Throws outcome_unknown unless the venue shows an
 * affiliate.
 */
async function readCreationOutcome(
  { deps, key, accountId, code }: Attempt,
  release: () => Promise<void>,
): Promise<CodeOutcome> {
  const affiliate = await confirmByVenue(() => readAffiliate(deps, key, accountId))
  if (!affiliate) throw unknownOutcome()
  await release()
  if (affiliate.code !== code) return notCreated('already_affiliate')
  return { created: true, code, maxRebateRate: affiliate.rate ?? deps.referral.rate }
}

function unknownOutcome(): Failure {
  return new Failure('outcome_unknown', {
    next: 'Read referral.verify for the code, and ask again in five minutes.',
  })
}

/**
 * `{code, valid}`: whether the code is taken. Throws Failure: invalid_request naming `code`, or the failure that the
 * venue answers.
 */
export async function referralVerify(
  deps: Pick<MarketAccess, 'upstream' | 'cache' | 'scrub'>,
  query: Query,
): Promise<Answer> {
  const code = requiredValue(query, 'code')
  if (!isLookUpCode(code)) throw invalidParameter('code')
  return answerFromCache(deps, cachePolicyWith(ROUTES.referralVerify, { code }), async () =>
    publicReply(deps, { code, valid: await isCodeHeld(deps, code) }),
  )
}
