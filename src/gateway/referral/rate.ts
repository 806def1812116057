import type { ReferralRateBody } from '../../contract/referral.ts'
import { Failure } from '../../core/failure.ts'
import { AFFILIATE_PATHS, updateBody } from '../../upstream/wire/affiliate.ts'
import { type Answer, privateAnswer } from '../cache/answer.ts'
import type { VenueKey } from '../venue/operator-call.ts'
import { confirmByVenue } from '../venue/read.ts'
import { type RateOutcome, type ReferralAccess, readAffiliate, writeProgram } from './program.ts'

type RateAccess = Omit<ReferralAccess, 'operator' | 'store'>

/**
 * Raises a rate of zero to the operator's rate: `{updated: true, rate}`, or `{updated: false, reason, rate?}`. Other
 * rates, accounts without a code and affiliates of other levels stay unchanged. Throws Failure: outcome_unknown,
 * not_configured if the venue refuses the operator's key, or an outage.
 */
export async function setReferralRate(deps: RateAccess, body: ReferralRateBody): Promise<Answer> {
  const { key, rates } = deps.referral
  if (!key)
    return privateAnswer(deps, { updated: false, reason: 'not_configured' } satisfies RateOutcome)
  const accountId = body.accountId.toLowerCase()
  return privateAnswer(
    deps,
    await rates.take(accountId, () => attemptUpdate(deps, key, accountId), adoptedRateOutcome),
  )
}

/** The outcome of a call that waited for an update: the rate is already set. */
function adoptedRateOutcome(earlier: RateOutcome): RateOutcome {
  return earlier.updated ? alreadySet(earlier.rate) : earlier
}

function alreadySet(rate: number): RateOutcome {
  return { updated: false, reason: 'already_set', rate }
}

async function attemptUpdate(
  deps: RateAccess,
  key: VenueKey,
  accountId: string,
): Promise<RateOutcome> {
  const current = await readCurrentOutcome(deps, key, accountId)
  if (current) return current
  const { rate } = deps.referral
  const body = updateBody(accountId, rate)
  const write = await writeProgram(deps, key, AFFILIATE_PATHS.update, body)
  if (write.kind === 'failed') throw write.failure
  if (write.kind === 'done') return { updated: true, rate }
  if (write.kind === 'unknown') return readUpdateOutcome(deps, key, accountId)
  return (
    (await readCurrentOutcome(deps, key, accountId)) ?? { updated: false, reason: 'not_affiliate' }
  )
}

/** Reads the outcome of an update whose answer was lost. Throws outcome_unknown unless the venue shows a rate. */
async function readUpdateOutcome(
  deps: RateAccess,
  key: VenueKey,
  accountId: string,
): Promise<RateOutcome> {
  const rate = (await confirmByVenue(() => readAffiliate(deps, key, accountId)))?.rate
  // Calls of an account run one at a time, so only this call can have set the operator's rate.
  if (rate === deps.referral.rate) return { updated: true, rate }
  if (rate) return alreadySet(rate)
  throw new Failure('outcome_unknown', { next: 'Ask again: a rate that is set does not change.' })
}

/** The outcome if no update is needed; null for an affiliate whose rate is zero. Throws Failure. */
async function readCurrentOutcome(
  deps: RateAccess,
  key: VenueKey,
  accountId: string,
): Promise<RateOutcome | null> {
  const affiliate = await readAffiliate(deps, key, accountId)
  if (!affiliate) return { updated: false, reason: 'not_affiliate' }
  // An unreadable rate is not treated as zero, because it may be a rate that must stay.
  if (affiliate.rate === null) throw new Failure('upstream_unavailable')
  return affiliate.rate !== 0 || deps.referral.rate === 0 ? alreadySet(affiliate.rate) : null
}
