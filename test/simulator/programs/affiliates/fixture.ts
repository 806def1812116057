import type { Trader, VenueFixture } from '../../fixture.ts'
import { publicGet } from '../../trading-wallet.ts'

/** Where the operator's part of the program is. */
export const ADMIN = '/v1/referral/multi_level/admin'

/** A venue whose operator runs the program. */
export async function openProgram(fixture: VenueFixture) {
  const operator = await fixture.trader('operator')
  fixture.venue().affiliates.appoint(operator.accountId)
  const create = (fields: object) => operator.post(`${ADMIN}/create/affiliate`, fields)
  const update = (fields: object) => operator.post(`${ADMIN}/update/affiliate`, fields)
  const info = async (query = '') => (await operator.get(`${ADMIN}/info${query}`)).data.rows
  const exist = async (code: string) => {
    const path = `/v1/public/referral/verify_ref_code?referral_code=${code}`
    return (await fixture.send(publicGet(path))).data.exist
  }
  /** An affiliate of the first level with a code. */
  const affiliate = async (name: string, code: string): Promise<Trader> => {
    const trader = await fixture.trader(name)
    fixture.venue().affiliates.promote(trader.accountId)
    const { accountId } = trader
    await create({ account_id: accountId, referral_code: code, bonus_max_rebate_rate: 0.2 })
    return trader
  }
  return { operator, create, update, info, exist, affiliate }
}

/** Takes a code that the venue chooses. */
export const claim = (trader: Trader, body: unknown = {}) =>
  trader.post('/v1/referral/multi_level/claim_code', body)
/** Joins with a code. */
export const bind = (trader: Trader, code: string) =>
  trader.post('/v1/referral/bind', { referral_code: code })
export const rename = (trader: Trader, from: string, to: string) =>
  trader.post('/v1/referral/edit_referral_code', {
    current_referral_code: from,
    new_referral_code: to,
  })
