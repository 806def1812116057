import type { Trader } from './fixture.ts'

const READS = [
  '/v1/positions',
  '/v1/orders?size=500',
  '/v1/trades?size=500',
  '/v1/funding_fee/history?size=500',
  '/v1/position_history?limit=500',
  '/v1/client/info',
  '/v1/client/holding',
  '/v1/client/statistics',
  '/v1/volume/user/stats',
  '/v1/asset/history',
  '/v1/client/key_info',
  '/v1/referral/info',
  '/v1/referral/multi_level/rebate_info',
] as const

/** Everything an account can read, by path. */
export async function readAll(trader: Trader) {
  const entries = await Promise.all(
    READS.map(async (path) => [path, (await trader.get(path)).data] as const),
  )
  return Object.fromEntries(entries)
}
