import { Elysia } from 'elysia'
import type { MarketDeps } from '../gateway/market/shaped.ts'
import { claimReferralCode, referralVerify } from '../gateway/referral/code.ts'
import type { ReferralDeps } from '../gateway/referral/program.ts'
import { setReferralRate } from '../gateway/referral/rate.ts'
import { ReferralCodeBody, ReferralRateBody } from '../spec/referral.ts'
import { ROUTES as R } from '../spec/routes.ts'
import { type Entrance, RAW, reading, writing } from './verbs.ts'

/** Referral codes: look up, claim, raise the rate. */
export const referral = (parts: Entrance & { readonly deps: ReferralDeps & MarketDeps }) => {
  const { deps } = parts
  return new Elysia({ name: 'routes.referral' })
    .get(
      R.referralVerify.path,
      reading(parts, R.referralVerify, (query) => referralVerify(deps, query)),
    )
    .post(
      R.referralCode.path,
      writing(parts, R.referralCode, ReferralCodeBody, (body) => claimReferralCode(deps, body)),
      RAW,
    )
    .post(
      R.referralRate.path,
      writing(parts, R.referralRate, ReferralRateBody, (body) => setReferralRate(deps, body)),
      RAW,
    )
}
