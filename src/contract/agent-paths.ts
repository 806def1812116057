import type { Method } from './allowlist.ts'
/**
 * Calls that an agent's tools may sign, by method: a subset of RELAY_PATHS. It excludes calls that move a balance
 * (withdrawals, settlements, transfers), change many orders in one body, or mark notifications as read.
 */
// biome-ignore format: one method a row, one path a line
export const AGENT_SIGNED_PATHS: Readonly<Record<Method, readonly string[]>> = {
  GET: [
    '/v1/client/info',
    '/v1/client/holding',
    '/v1/client/statistics',
    '/v1/client/leverage',
    '/v1/client/leverages',
    '/v1/client/margin_modes',
    '/v1/client/key_info',
    '/v1/positions',
    '/v1/position/{symbol}',
    '/v1/position_history',
    '/v1/liquidations',
    '/v1/funding_fee/history',
    '/v1/order/{id}',
    '/v1/orders',
    '/v1/algo/order/{id}',
    '/v1/algo/orders',
    '/v1/trades',
    '/v1/trade/{id}',
    '/v1/pnl_settlement/history',
    '/v1/asset/history',
    '/v1/internal_transfer_history',
    '/v1/volume/user/daily',
    '/v1/volume/user/stats',
    '/v1/referral/info',
    '/v1/referral/rebate_summary',
    '/v1/referral/referee_info',
    '/v1/referral/referee_rebate_summary',
    '/v1/referral/referral_history',
    '/v1/referral/referee_history',
    '/v1/referral/multi_level/statistics',
    '/v1/referral/multi_level/referee_list',
    '/v1/referral/multi_level/rebate_info',
    '/v1/referral/multi_level/max_rebate_rate',
    '/v1/referral/multi_level/volume_prerequisite',
    '/v1/notification/inbox',
    '/v1/notification/inbox/{id}',
  ],
  POST: [
    '/v1/order',
    '/v1/algo/order',
    '/v1/client/leverages',
    '/v1/client/margin_mode',
    '/v1/referral/bind',
    '/v1/referral/edit_referral_code',
    '/v1/referral/multi_level/claim_code',
  ],
  PUT: ['/v1/order', '/v1/algo/order'],
  DELETE: ['/v1/order', '/v1/orders', '/v1/algo/order', '/v1/algo/orders'],
}

/** Path prefixes of the public reads that an agent's tools may call. */
export const AGENT_PUBLIC_READS = ['/api/prep/', '/api/swap/'] as const

/** POST routes that an agent's tools may call without a signature, because they change no balance. */
export const AGENT_UNSIGNED_POSTS: readonly string[] = [
  '/api/relayer/voucher',
  '/api/prep/typed-data',
]

/** Additional paths that a tool may sign, for a withdrawal that the account's wallet has signed. */
export const AGENT_WITHDRAWAL_PATHS = {
  nonce: '/v1/withdraw_nonce',
  request: '/v1/withdraw_request',
} as const
