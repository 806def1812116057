/** The rate limit of a call, per trading key or per caller's address. */
export type RateRow = {
  readonly by: 'key' | 'address'
  readonly requests: number
  readonly seconds: number
  /** Methods with path templates; each call has a separate counter. */
  readonly calls: readonly string[]
}

/** The documented rate of each call of the venue. */
// biome-ignore format: calls read as a list
export const RATES: readonly RateRow[] = [
  { by: 'address', requests: 1, seconds: 1, calls: [
    'GET /v1/client/leverage', 'GET /v1/public/system_info',
  ] },
  { by: 'address', requests: 10, seconds: 1, calls: [
    'GET /v1/client/points', 'POST /v1/client/remove_orderly_key', 'GET /v1/get_account', 'GET /v1/get_broker',
    'GET /v1/get_orderly_key', 'GET /v1/ip_info', 'GET /v1/liquidations', 'POST /v1/orderly_key',
    'GET /v1/public/account', 'GET /v1/public/announcement', 'GET /v1/public/balance/stats',
    'GET /v1/public/broker/name', 'GET /v1/public/broker/order_enums', 'GET /v1/public/broker/stats',
    'GET /v1/public/campaign/check', 'GET /v1/public/campaign/ranking', 'GET /v1/public/campaign/stats',
    'GET /v1/public/campaign/user', 'GET /v1/public/campaigns', 'GET /v1/public/chain_info', 'GET /v1/public/config',
    'GET /v1/public/funding_rate_history', 'GET /v1/public/funding_rates', 'GET /v1/public/futures',
    'GET /v1/public/futures/{symbol}', 'GET /v1/public/futures_market', 'GET /v1/public/index_price_source',
    'GET /v1/public/info', 'GET /v1/public/info/{symbol}', 'GET /v1/public/insurancefund', 'GET /v1/public/leverage',
    'GET /v1/public/liquidated_positions', 'GET /v1/public/liquidation',
    'GET /v1/public/market_info/funding_history', 'GET /v1/public/market_info/history_charts',
    'GET /v1/public/market_info/price_changes', 'GET /v1/public/market_info/traders_open_interests',
    'GET /v1/public/market_trades', 'GET /v1/public/points/epoch_dates', 'GET /v1/public/points/rankings',
    'GET /v1/public/points/stages', 'GET /v1/public/referral/check_ref_code',
    'GET /v1/public/referral/verify_ref_code', 'GET /v1/public/strategy_vault/fund/info',
    'GET /v1/public/strategy_vault/fund/pending_transactions', 'GET /v1/public/strategy_vault/fund/period_info',
    'GET /v1/public/strategy_vault/lp/claim_info', 'GET /v1/public/strategy_vault/lp/fees_history',
    'GET /v1/public/strategy_vault/lp/info', 'GET /v1/public/strategy_vault/lp/performance',
    'GET /v1/public/strategy_vault/lp/performance_chart', 'GET /v1/public/strategy_vault/lp/transaction_history',
    'GET /v1/public/strategy_vault/sp/claim_info', 'GET /v1/public/strategy_vault/sp/fees_history',
    'GET /v1/public/strategy_vault/sp/info', 'GET /v1/public/strategy_vault/sp/transaction_history',
    'GET /v1/public/strategy_vault/user/overall_info', 'GET /v1/public/strategy_vault/vault/info',
    'GET /v1/public/strategy_vault/vault/liquidator_history', 'GET /v1/public/strategy_vault/vault/open_orders',
    'GET /v1/public/strategy_vault/vault/order_history', 'GET /v1/public/strategy_vault/vault/overall_info',
    'GET /v1/public/strategy_vault/vault/performance', 'GET /v1/public/strategy_vault/vault/performance_chart',
    'GET /v1/public/strategy_vault/vault/positions', 'GET /v1/public/strategy_vault/vault/trade_history',
    'GET /v1/public/sv_nonce', 'GET /v1/public/token', 'GET /v1/public/volume/stats', 'POST /v1/register_account',
    'GET /v1/registration_nonce', 'GET /v1/staking/balance', 'GET /v1/staking/esorder/vesting_list',
    'GET /v1/staking/overview', 'GET /v1/staking/unstake_details', 'GET /v1/staking/valor/batch_info',
    'GET /v1/staking/valor/pool_info', 'GET /v1/staking/valor/redeem', 'GET /v1/staking/valor2/batch_info',
    'GET /v1/staking/valor2/pool_info', 'GET /v1/staking/valor2/redeem', 'GET /v1/staking/valor2/revenue_buyback',
    'GET /v1/tv/config', 'GET /v1/tv/history', 'GET /v1/tv/symbol_info', 'POST /v1/withdraw_request',
  ] },
  { by: 'address', requests: 30, seconds: 1, calls: [
    'GET /v1/public/funding_rate/{symbol}',
  ] },
  { by: 'address', requests: 5, seconds: 10, calls: [
    'GET /v1/tv/kline_history',
  ] },
  { by: 'address', requests: 10, seconds: 60, calls: [
    'GET /v1/public/campaign/stats/details',
  ] },
  { by: 'key', requests: 1, seconds: 1, calls: [
    'POST /v1/algo/order', 'POST /v1/batch-order', 'POST /v1/order/cancel_all_after', 'POST /v1/referral/bind',
    'POST /v1/referral/create', 'GET /v1/referral/multi_level/admin', 'POST /v1/referral/multi_level/admin',
    'POST /v1/referral/multi_level/admin/reset/affiliate', 'POST /v1/referral/multi_level/admin/update',
    'POST /v1/referral/multi_level/admin/update/affiliate', 'POST /v1/referral/multi_level/claim_code',
    'GET /v1/referral/multi_level/max_rebate_rate', 'GET /v1/referral/multi_level/rebate_info',
    'POST /v1/settle_pnl',
  ] },
  { by: 'key', requests: 5, seconds: 1, calls: [
    'DELETE /v1/algo/client/order', 'DELETE /v1/algo/order', 'PUT /v1/algo/order', 'DELETE /v1/algo/orders',
    'GET /v1/algo/orders',
  ] },
  { by: 'key', requests: 10, seconds: 1, calls: [
    'GET /v1/account_info', 'GET /v1/algo/client/order/{client_order_id}', 'GET /v1/algo/order/{order_id}',
    'DELETE /v1/batch-order', 'GET /v1/broker/daily_fee_revenue', 'DELETE /v1/client/batch-order',
    'GET /v1/client/distribution_history', 'GET /v1/client/holding', 'POST /v1/client/margin_mode', 'GET /v1/client/margin_modes',
    'DELETE /v1/client/order', 'GET /v1/client/order/{client_order_id}', 'GET /v1/client/sub_account',
    'POST /v1/internal_transfer', 'GET /v1/internal_transfer_history', 'GET /v1/kline', 'DELETE /v1/order',
    'POST /v1/order', 'PUT /v1/order', 'GET /v1/order/{order_id}', 'GET /v1/order/{order_id}/trades',
    'GET /v1/orderbook/{symbol}', 'DELETE /v1/orders', 'GET /v1/orders', 'GET /v1/position_history',
    'POST /v1/position_margin', 'POST /v1/referral/edit_referral_code', 'GET /v1/referral/info',
    'POST /v1/referral/multi_level/admin/create/affiliate', 'GET /v1/referral/multi_level/admin/info',
    'GET /v1/referral/multi_level/referee_list', 'GET /v1/referral/multi_level/statistics',
    'GET /v1/referral/multi_level/volume_prerequisite', 'GET /v1/referral/rebate_summary',
    'GET /v1/referral/referee_history', 'GET /v1/referral/referee_info', 'GET /v1/referral/referee_rebate_summary',
    'GET /v1/referral/referral_history', 'GET /v1/settle_nonce', 'GET /v1/trade/{trade_id}', 'GET /v1/trades',
    'GET /v1/transfer_nonce', 'GET /v1/withdraw_nonce', 'POST /v2/internal_transfer',
  ] },
  { by: 'key', requests: 20, seconds: 1, calls: [
    'GET /v1/pnl_settlement/history',
  ] },
  { by: 'key', requests: 30, seconds: 10, calls: [
    'GET /v1/position/{symbol}', 'GET /v1/positions',
  ] },
  { by: 'key', requests: 1, seconds: 60, calls: [
    'GET /v1/client/aggregate/holding',
  ] },
  { by: 'key', requests: 5, seconds: 60, calls: [
    'POST /v1/client/leverages',
  ] },
  { by: 'key', requests: 10, seconds: 60, calls: [
    'GET /v1/asset/history', 'GET /v1/client/info', 'GET /v1/client/key_info', 'GET /v1/client/orderly_key_ip_restriction', 'GET /v1/client/statistics',
    'POST /v1/notification/inbox/mark_read', 'POST /v1/notification/inbox/mark_read_all',
    'GET /v1/notification/inbox', 'GET /v1/notification/inbox/notifications', 'GET /v1/notification/inbox/unread', 'GET /v1/volume/user/daily',
    'GET /v1/volume/user/stats',
  ] },
  { by: 'key', requests: 20, seconds: 60, calls: [
    'GET /v1/funding_fee/history',
  ] },
]

/** The rate limit of calls without a row: per key if the call has a key, otherwise per address. */
export const UNDOCUMENTED_RATE = { requests: 10, seconds: 1 } as const

/** The query interface counts weights per address in a rolling minute. */
export const QUERY_RATE = {
  path: '/v1/public/query',
  weight: 1200,
  seconds: 60,
  weights: { candles: 2, topAddresses: 10, platformPositions: 20 },
  otherWeight: 1,
} as const

/** A batch call. Each of its orders also counts as one `single` call. */
export const BATCH_CALL = { batch: 'POST /v1/batch-order', single: 'POST /v1/order' } as const

/** Maximum number of windows; the least recently used are evicted. */
export const RATE_WINDOWS_MAX = 100_000
