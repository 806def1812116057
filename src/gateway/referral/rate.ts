import type { ReferralRateBody } from '../../contract/referral.ts'
import { Failure } from '../../core/failure.ts'
import { AFFILIATE_PATHS, updateBody } from '../../upstream/wire/affiliate.ts'
import { type Answer, privateAnswer } from '../cache/answer.ts'
import type { VenueKey } from '../venue/operator-call.ts'
import { confirmByVenue } from '../venue/read.ts'
import { type RateOutcome, type ReferralAccess, readAffiliate, writeProgram } from './program.ts'

type RateAccess = Omit<ReferralAccess, 'operator' | 'store'>

/**
 * Raises a rate of zero to the operator's: `{updated: true, rate}`, or `{updated: false, reason, rate?}`. Any other
 * rate stays as it is. An account without a code, or of another level than the first, is left unchanged. Throws
 * Failure: outcome_unknown, not_configured when the venue refuses the operator's key, or an outage.
 */
export async function setReferralRate(deps: RateAccess, body: ReferralRateBody): Promise<Answer> {
  const { key, rates } = deps.referral
  if (!key)
    return privateAnswer(deps, { updated: false, reason: 'not_configured' } satisfies RateOutcome)
  const accountId = body.accountId.toLowerCase()
  return privateAnswer(
    deps,
    await rates.take(accountId, () => attemptUpdate(deps, key, accountId), adopted),
  )
}

/** A call after an update finds the rate set. */
function adopted(earlier: RateOutcome): RateOutcome {
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

/** The outcome of an update whose answer was lost. Throws outcome_unknown unless the venue shows a rate. */
async function readUpdateOutcome(
  deps: RateAccess,
  key: VenueKey,
  accountId: string,
): Promise<RateOutcome> {
  const rate = (await confirmByVenue(() => readAffiliate(deps, key, accountId)))?.rate
  // Rates are set for one call at a time: the operator's own can only be this call's work.
  if (rate === deps.referral.rate) return { updated: true, rate }
  if (rate) return alreadySet(rate)
  throw new Failure('outcome_unknown', { next: 'Ask again: a rate that is set does not change.' })
}

/** The outcome when the rate needs no raise; null for an affiliate whose rate is zero. Throws Failure. */
async function readCurrentOutcome(
  deps: RateAccess,
  key: VenueKey,
  accountId: string,
): Promise<RateOutcome | null> {
  const affiliate = await readAffiliate(deps, key, accountId)
  if (!affiliate) return { updated: false, reason: 'not_affiliate' }
  // An unreadable rate may be one that must not be changed.
  if (affiliate.rate === null) throw new Failure('upstream_unavailable')
  return affiliate.rate !== 0 || deps.referral.rate === 0 ? alreadySet(affiliate.rate) : null
}
