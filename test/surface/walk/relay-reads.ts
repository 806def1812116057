import { ClientFailure } from '../../../src/agents/client/client.ts'
import type { MoneyFixture, Opened } from '../money-fixture.ts'

const BTC = 'PERP_BTC_USDC'
const DATES = 'start_date=2020-01-01&end_date=2099-12-31'

/** An order, a trade and an algo order of the user, once there are some. */
export type Ids = { order: unknown; trade: unknown; algo: unknown }

/** Reads of the user: their template, and how they are asked for where that differs. */
function userReads({ order, trade, algo }: Ids): Readonly<Record<string, string>> {
  return {
    '/v1/client/info': '',
    '/v1/client/holding': '?all=true',
    '/v1/client/statistics': '',
    '/v1/client/leverage': `?symbol=${BTC}`,
    '/v1/client/leverages': '',
    '/v1/client/margin_modes': '',
    '/v1/client/key_info': '',
    '/v1/positions': '',
    '/v1/position/{symbol}': BTC,
    '/v1/position_history': '',
    '/v1/liquidations': '',
    '/v1/funding_fee/history': '',
    '/v1/order/{id}': String(order),
    '/v1/orders': '',
    '/v1/algo/order/{id}': String(algo),
    '/v1/algo/orders': '',
    '/v1/trades': '',
    '/v1/trade/{id}': String(trade),
    '/v1/withdraw_nonce': '',
    '/v1/settle_nonce': '',
    '/v1/pnl_settlement/history': '',
    '/v1/asset/history': '',
    '/v1/internal_transfer_history': '?side=OUT',
    '/v1/volume/user/daily': `?${DATES}`,
    '/v1/volume/user/stats': '',
    '/v1/referral/referee_rebate_summary': `?${DATES}`,
    '/v1/referral/referee_history': '',
    '/v1/referral/multi_level/volume_prerequisite': '',
    '/v1/notification/inbox/notifications': '',
    '/v1/notification/inbox/unread': '',
  }
}

const REFERRER_READS: Readonly<Record<string, string>> = {
  '/v1/referral/info': '',
  '/v1/referral/rebate_summary': '',
  '/v1/referral/referee_info': '',
  '/v1/referral/referral_history': '',
  '/v1/referral/multi_level/statistics': '?time_range=all_time',
  '/v1/referral/multi_level/referee_list': '',
  '/v1/referral/multi_level/rebate_info': '',
  '/v1/referral/multi_level/max_rebate_rate': '',
}

/** Every relayed read by method and template, or the code that refuses it. */
export async function readAll(
  fixture: MoneyFixture,
  { user, referrer, ids }: { user: Opened; referrer: Opened; ids: Ids },
): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>()
  const all = [
    { who: user, reads: userReads(ids) },
    { who: referrer, reads: REFERRER_READS },
  ]
  for (const { who, reads } of all)
    for (const [template, rest] of Object.entries(reads)) {
      const path = template.replace(/\{\w+\}$/, '') + rest
      found.set(`GET ${template}`, await answerOf(() => fixture.call(who, 'GET', path)))
    }
  return found
}

/** What a call answers, or the code that refuses it. */
export async function answerOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ClientFailure) return error.code
    throw error
  }
}
