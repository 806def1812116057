import type { OperationId } from '../operations.ts'

/**
 * The shape of a live venue's answer: an object of fields, a list whose items have one shape, or the types of a value,
 * separated by `|`.
 * - Types: `str`, `num`, `bool`, `map` (an object whose fields are data) and `any`.
 * - Any other word is a literal value of the field.
 * - Null matches every type.
 * - A field whose name ends in `?` may be absent.
 */
export type Shape = string | readonly [Shape] | { readonly [field: string]: Shape }

/** The ways in which an answer can differ from its shape. */
export type ChangeKind = 'unknown_field' | 'missing_field' | 'other_type' | 'other_value'

/** How often the venue's answers are compared with their shapes, and how much of each answer. */
export const SHAPE_LIMITS = {
  /** At most one answer per operation is compared within this time. */
  sampleEveryMs: 60_000,
  /** Longer answers are skipped. */
  bodyMaxChars: 512 * 1024,
  /** Maximum number of answers that wait for comparison. Further answers are skipped. */
  waitingMax: 8,
  /** Maximum number of remembered differences. Later differences are only counted. */
  changesMax: 200,
  fieldMaxChars: 120,
} as const

/** The date of the venue's documentation that these shapes follow. */
export const SHAPES_DATE = '2026-08-21'

const META: Shape = { total: 'num', records_per_page: 'num', current_page: 'num' }

// biome-ignore format: one shape a row
const MARKET: Shape = { symbol: 'str', display_symbol_name: 'str', status: 'str', broker_id: 'any', is_pretge: 'bool', index_price: 'num', mark_price: 'num', sum_unitary_funding: 'num', est_funding_rate: 'num', last_funding_rate: 'num', next_funding_time: 'num', open_interest: 'num', '24h_open': 'num', '24h_close': 'num', '24h_high': 'num', '24h_low': 'num', '24h_volume': 'num', '24h_amount': 'num' }

// biome-ignore format: one shape a row
const RULES: Shape = { symbol: 'str', display_symbol_name: 'str', status: 'str', broker_id: 'any', is_pretge: 'bool', quote_min: 'num', quote_max: 'num', quote_tick: 'num', base_min: 'num', base_max: 'num', base_tick: 'num', min_notional: 'num', price_range: 'num', price_scope: 'num', std_liquidation_fee: 'num', liquidator_fee: 'num', claim_insurance_fund_discount: 'num', funding_period: 'num', cap_funding: 'num', floor_funding: 'num', cap_ir: 'num', floor_ir: 'num', interest_rate: 'num', imr_factor: 'num', created_time: 'num', updated_time: 'num', base_mmr: 'num', base_imr: 'num', liquidation_tier: 'num', global_max_oi_cap: 'num', mark_index_price_deviation_floor: 'num', mark_index_price_deviation_cap: 'num', deviation_factor: 'num' }

// biome-ignore format: one shape a row
const FUNDING: Shape = { symbol: 'str', est_funding_rate: 'num', est_funding_rate_timestamp: 'num', last_funding_rate: 'num', last_funding_rate_timestamp: 'num', next_funding_time: 'num', sum_unitary_funding: 'num' }

// biome-ignore format: one shape a row
const ORDER_TAG: Shape = { enum_id: 'str', name: 'str', description: 'str', status: 'active|archived', default_fee_rate: 'num', pair_overrides: 'map', created_time: 'num', updated_time: 'num' }

// biome-ignore format: one shape a row
const POSITION: Shape = { IMR_withdraw_orders: 'num', MMR_with_orders: 'num', average_open_price: 'num', cost_position: 'num', est_liq_price: 'num', fee_24_h: 'num', imr: 'num', last_sum_unitary_funding: 'num', mark_price: 'num', mmr: 'num', pending_long_qty: 'num', pending_short_qty: 'num', pnl_24_h: 'num', position_qty: 'num', settle_price: 'num', symbol: 'str', seq: 'num', timestamp: 'num', updated_time: 'num', unsettled_pnl: 'num', leverage: 'num', margin_mode: 'CROSS|ISOLATED', margin: 'num', accrued_funding_fee: 'num' }

// biome-ignore format: one shape a row
const ORDER: Shape = { order_id: 'num', user_id: 'num', price: 'num', type: 'str', quantity: 'num', amount: 'num', executed_quantity: 'num', total_executed_quantity: 'num', visible_quantity: 'num', visible: 'num', symbol: 'str', side: 'BUY|SELL', status: 'str', total_fee: 'num', fee_asset: 'str', client_order_id: 'num', average_executed_price: 'num', created_time: 'num', updated_time: 'num', realized_pnl: 'num', executed: 'num', reduce_only: 'bool', order_tag: 'str', margin_mode: 'CROSS|ISOLATED' }

// biome-ignore format: one shape a row
const ALGO_ORDER: Shape = { algo_order_id: 'num', algo_status: 'str', algo_type: 'str', fee_asset: 'str', is_triggered: 'str', order_tag: 'str', parent_algo_order_id: 'num', quantity: 'num', root_algo_order_id: 'num', root_algo_order_status: 'str', side: 'BUY|SELL', symbol: 'str', margin_mode: 'CROSS|ISOLATED', executed_quantity: 'num', total_executed_quantity: 'num', total_fee: 'num', trigger_price: 'num', trigger_price_type: 'str', type: 'str', created_time: 'str', updated_time: 'str', visible_quantity: 'num', realized_pnl: 'num', child_orders: ['map'] }

// biome-ignore format: one shape a row
const TRADE: Shape = { id: 'num', symbol: 'str', fee: 'num', fee_asset: 'str', side: 'BUY|SELL', order_id: 'num', executed_price: 'num', executed_quantity: 'num', executed_timestamp: 'num', is_maker: 'num', realized_pnl: 'num', match_id: 'num', margin_token: 'str', margin_change_qty: 'num', margin_mode: 'CROSS|ISOLATED', order_enum_fee: 'num', order_enum_fee_rate: 'num' }

/** The venue's answer to each catalogued operation, without its envelope. */
// biome-ignore format: one operation a row
export const OPERATION_SHAPES: Readonly<Partial<Record<OperationId, Shape>>> = {
  'markets.list': { rows: [MARKET] },
  'markets.get': MARKET,
  'markets.rules': { rows: [RULES] },
  'markets.rulesFor': RULES,
  'markets.priceChanges': { rows: [{ symbol: 'str', last_price: 'num', '5m': 'num', '30m': 'num', '1h': 'num', '4h': 'num', '24h': 'num', '3d': 'num', '7d': 'num', '30d': 'num' }] },
  'markets.openInterest': { rows: [{ symbol: 'str', long_oi: 'num', short_oi: 'num' }] },
  'markets.historyCharts': { rows: [{ symbol: 'str', price_list: [{ ts: 'num', price: 'num' }] }] },
  'markets.trades': { rows: [{ symbol: 'str', side: 'BUY|SELL', executed_price: 'num', executed_quantity: 'num', executed_timestamp: 'num' }] },
  'markets.indexSources': { rows: [{ symbol: 'str', updated_time: 'num', sources: ['str'] }] },
  'markets.leverage': { max_futures_leverage: 'str' },
  'funding.predicted': { rows: [FUNDING] },
  'funding.get': FUNDING,
  'funding.history': { rows: [{ symbol: 'str', funding_rate: 'num', funding_rate_timestamp: 'num', next_funding_time: 'num' }], meta: META },
  'funding.marketHistory': { rows: [{ symbol: 'str', data_start_time: 'str', funding: { last: { rate: 'num', positive: 'num', negative: 'num' }, '1d': { rate: 'num', positive: 'num', negative: 'num' }, '3d': { rate: 'num', positive: 'num', negative: 'num' }, '7d': { rate: 'num', positive: 'num', negative: 'num' }, '14d': { rate: 'num', positive: 'num', negative: 'num' }, '30d': { rate: 'num', positive: 'num', negative: 'num' }, '90d': { rate: 'num', positive: 'num', negative: 'num' }, '180d': { rate: 'num', positive: 'num', negative: 'num' } } }] },
  'platform.status': { status: 'num', msg: 'str', scheduled_maintenance: 'any' },
  'platform.tokens': { rows: [{ token: 'str', base_weight: 'num', discount_factor: 'num', haircut: 'num', user_max_qty: 'num', is_collateral: 'bool', decimals: 'num', minimum_withdraw_amount: 'num', on_chain_swap: 'bool', token_hash: 'str', chain_details: [{ chain_id: 'num|str', contract_address: 'str', cross_chain_withdrawal_fee: 'num', decimals: 'num', withdraw_fee: 'num', display_name: 'str', exclusive_deposit_supported: 'bool' }] }] },
  'platform.chains': { rows: [{ name: 'str', public_rpc_url: 'str', chain_id: 'str', currency_symbol: 'str', currency_decimal: 'num', explorer_base_url: 'str', vault_address: 'str', broker_ids: ['str'] }] },
  'platform.leverageConfig': { available_futures_leverage: 'str' },
  'platform.insuranceFund': { min_insurance_fund_initial_margin_ratio: 'num', min_insurance_fund_margin_ratio: 'num', margin_ratio: 'num', total_collateral_value: 'num|str', balance: 'num|str', free_collateral: 'num|str', total_account_value: 'num|str', total_pnl_24_h: 'num', rows: [{ symbol: 'str', timestamp: 'num', position_qty: 'num', cost_position: 'num', last_sum_unitary_funding: 'num', settle_price: 'num', average_open_price: 'num', pnl_24_h: 'num', fee_24_h: 'num', mark_price: 'num' }] },
  'platform.vaultBalance': { rows: [{ chain_id: 'num', token: 'str', balance: 'num' }] },
  'platform.announcements': { rows: [{ announcement_id: 'num', message: 'str', url: 'str' }] },
  'platform.tvl': { total_holding: 'num', total_unsettled_balance: 'num', last_update_time: 'num' },
  'platform.volume': { perp_volume_ytd: 'num', perp_volume_ltd: 'num', perp_volume_today: 'num', perp_volume_last_1_day: 'num', perp_volume_last_7_days: 'num', perp_volume_last_30_days: 'num' },
  'platform.announcementsV2': { last_updated_time: 'num', rows: [{ announcement_id: 'str', message: 'str', i18n: 'map', url: 'any', type: 'str', updated_time: 'num', coverImage: 'any' }] },
  'liquidations.open': { meta: META, rows: [{ timestamp: 'num', type: 'str', liquidation_id: 'num', positions_by_perp: [{ symbol: 'str', position_qty: 'num', liquidator_fee: 'num' }] }] },
  'liquidations.history': { meta: META, rows: [{ timestamp: 'num', liquidation_id: 'num', transfer_amount_to_insurance_fund: 'num', type: 'str', positions_by_perp: [{ symbol: 'str', seq: 'num', position_qty: 'num', liquidator_fee: 'num', cost_position_transfer: 'num', transfer_price: 'num', insurance_fund_fee: 'num', abs_insurance_fund_fee: 'num', abs_liquidator_fee: 'num' }] }] },
  'charts.config': { s: 'str', d: { accountSummaryRow: [{ id: 'str', title: 'str' }], accountManager: [{ id: 'str', title: 'str', columns: [{ id: 'str', title: 'str' }] }], durations: [{ id: 'str', title: 'str', hasDatePicker: 'bool', hasTimePicker: 'bool', default: 'bool', supportedOrderTypes: ['str'] }], orderCustomFields: [{ id: 'str', title: 'str', tooltip: 'str', alignment: 'str' }], orderHistoryCustomFields: [{ id: 'str', title: 'str', tooltip: 'str', alignment: 'str' }], positionCustomFields: [{ id: 'str', title: 'str', tooltip: 'str', alignment: 'str' }], pullingInterval: { quotes: 'num', orders: 'num', positions: 'num', accountManager: 'num', balances: 'num' } } },
  'charts.symbols': { s: 'str', symbol: ['str'], description: ['str'], currency: ['str'], 'base-currency': ['any'], 'exchange-listed': ['str'], 'exchange-traded': ['str'], minmovement: ['num'], minmovement2: ['num'], fractional: ['bool'], pricescale: ['num'], root: ['any'], 'root-description': ['any'], 'has-intraday': ['bool'], 'has-no-volume': ['bool'], type: ['str'], 'is-cfd': ['bool'], ticker: ['str'], timezone: ['str'], 'session-regular': ['str'], 'session-extended': ['str'], 'session-premarket': ['any'], 'session-postmarket': ['any'], 'supported-resolutions': [['str']], 'has-daily': ['bool'], 'intraday-multipliers': [['str']], 'has-weekly-and-monthly': ['bool'], pointvalue: ['any'], expiration: ['any'], 'bar-source': ['str'], 'bar-transform': ['str'], 'bar-fillgaps': ['str'], isin: ['str'], wkn: ['str'] },
  'charts.history': { s: 'str', t: ['num'], o: ['any'], h: ['num'], l: ['num'], c: ['num'], v: ['num'] },
  'charts.klineHistory': { s: 'str', o: ['num'], c: ['num'], h: ['num'], l: ['num'], v: ['num'], a: ['num'], t: ['num'] },
  'rewards.epochs': { rows: [{ epoch_start_date: 'num', epoch_id: 'num', epoch_end_date: 'num' }] },
  'rewards.stages': { rows: [{ stage_id: 'num', start_time: 'num', end_time: 'num', status: 'str', stage_name: 'str', stage_description: 'str', is_continous: 'bool' }] },
  'rewards.rankings': { rows: [{ rank: 'num', address: 'str', total_points: 'num' }], meta: META },
  'rewards.userMerits': { total_points: 'num', global_rank: 'num', tier: 'num', current_epoch_points: 'num', current_epoch_rank: 'num', rows: [{ rank: 'num', epoch_id: 'num', points: 'num' }] },
  'referral.verify': { exist: 'str|bool' },
  'referral.check': { referral_code: 'str' },
  'campaigns.list': { rows: [{ id: 'num', name: 'str', start_time: 'num', end_time: 'num', signup_start_time: 'num', signup_end_time: 'num', 'register_time?': 'num' }] },
  'campaigns.stats': { volume: 'num', user_count: 'num', sign_up_count: 'num', updated_time: 'num' },
  'campaigns.ranking': { meta: META, rows: [{ broker_id: 'str', account_id: 'str', address: 'str', volume: 'num', pnl: 'num', total_deposit_amount: 'num', total_withdrawal_amount: 'num', start_account_value: 'num', end_account_value: 'num' }] },
  'campaigns.user': { volume: 'num', filled_order_count: 'num', updated_time: 'num', pnl: 'num', total_deposit_amount: 'num', total_withdrawal_amount: 'num', start_account_value: 'num', end_account_value: 'num', new_invited_referee: 'num', new_traded_referee: 'num', total_staked_order: 'num', total_staked_esorder: 'num' },
  'campaigns.statsDetails': { meta: META, rows: [{ broker_id: 'str', symbol: 'str', volume: 'num', user_count: 'num' }] },
  'campaigns.check': { status: 'str' },
  'staking.overview': { total_stake: 'num', rows: [{ date: 'str', usd_reward: 'num', total_staked_usd: 'num' }] },
  'staking.poolInfo': { revenue_rate: 'num', valor_price_esorder: 'num', treasury_pool_value: 'num', est_treasury_inflow: 'num', order_price_usdc: 'num', total_redeemed_amount: 'num', current_batch_id: 'num', next_settlement_date: 'str' },
  'staking.batchInfo': { rows: [{ batch_id: 'num', batch_start_time: 'num', batch_end_time: 'num' }] },
  'staking.buyback': [{ batch_id: 'num', usdc_revenue: 'num', esorder_amount: 'num' }],
  'staking.balance': { total_staked_balance: 'num', total_staked_order: 'num', total_staked_esorder: 'num' },
  'staking.unstakeDetails': { total_unstake_order: 'num', unstaked_end_time: 'num' },
  'staking.vestingList': { rows: [{ vest_request_id: 'num', vest_start_time: 'num', vest_end_time: 'num', total_vest_amount: 'num', status: 'str' }] },
  'staking.valorBatchInfo': { rows: [{ batch_id: 'num', batch_start_time: 'num', batch_end_time: 'num' }] },
  'staking.valorPoolInfo': { valor_price_usdc: 'num', treasury_pool_value: 'num', next_settlement_date: 'str', revenue_rate: 'num', est_treasury_inflow: 'num', total_redeemed_amount: 'num' },
  'staking.valorRedeem': { redeeming_valor_amount: 'num', chain_details: [{ chain_id: 'num', pending_usdc: 'num', available_usdc: 'num' }] },
  'staking.valorRedeemV2': { redeeming_valor_amount: 'num', redeeming_valor_list: [{ batch_id: 'num', redeem_amount: 'num' }], pending_esorder: 'num', available_esorder: 'num' },
  'account.exists': { user_id: 'num', account_id: 'str' },
  'account.keyInfo': { orderly_key: 'str', scope: 'str', expiration: 'num', tag: 'any', key_status: 'ACTIVE|REMOVING|REMOVED' },
  'account.existsByAccountId': { address: 'str', broker_id: 'str' },
  'account.registeredBuilders': { broker_id: ['str'] },
  'builder.dailyRevenue': { rows: [{ date: 'str', permissionless_listing_fee_share: 'num', distributor_fee_share: 'num', builder_fee_revenue: 'num', cross_broker_fee: 'num', total_revenue: 'num' }] },
  'builder.list': { rows: [{ broker_id: 'str', broker_name: 'str' }] },
  'builder.stats': { rows: [{ connected_user: 'num|str' }] },
  'builder.marketVolume': { rows: [MARKET] },
  'builder.listOrderTags': [ORDER_TAG],
  'builder.getOrderTag': ORDER_TAG,
  'vault.strategyNonce': { nonce: 'num' },
  'vault.info': { rows: [{ vault_id: 'str', vault_address: 'str', vault_type: 'str', vault_name: 'str', description: 'str', sp_address: 'str', sp_name: 'str', asset: 'str', vault_age: 'num', status: 'str', vault_start_time: 'num', performance_fee_rate: 'num', supported_chains: [{ chain_id: 'str', chain_name: 'str' }], tvl: 'num', valid_hpr: 'num', '30d_apy': 'num', recovery_30d_apy: 'num', vault_lifetime_net_pnl: 'num', lp_counts: 'num', total_main_shares: 'num', lifetime_apy: 'num', lock_duration: 'num', min_deposit_amount: 'num', min_withdrawal_amount: 'num', gate_threshold_pct: 'num', gate_triggered: 'bool', broker_id: 'str', 'est_main_share_price?': 'num' }] },
  'vault.overallStats': { rows: [{ strategy_vaults_tvl: 'num', strategy_vaults_lifetime_net_pnl: 'num', strategy_vaults_count: 'num', strategy_vaults_lp_count: 'num' }] },
  'vault.userOverallStats': { rows: [{ total_vaults_tvl: 'num', vaults_lp_tvl: 'num', vaults_sp_tvl: 'num', total_vaults_lifetime_net_pnl: 'num', vaults_lp_lifetime_net_pnl: 'num', vaults_sp_lifetime_net_pnl: 'num', total_involved_vaults_count: 'num', involved_lp_vaults_count: 'num', involved_sp_vaults_count: 'num' }] },
  'vault.performance': { rows: [{ time_range: 'str', incremental_net_pnl: 'num', max_drawdown: 'num', pnl_max_drawdown: 'num', fees: 'num', volume: 'num' }] },
  'vault.performanceChart': { rows: [{ timestamp: 'num', value: 'num' }] },
  'vault.positions': { rows: [{ exchange: 'str', symbol: 'str', position_qty: 'num', average_open_price: 'num', mark_price: 'num', est_liq_price: 'num' }] },
  'vault.openOrders': { meta: META, rows: [{ exchange: 'str', order_id: 'num', created_time: 'num', updated_time: 'num', type: 'str', symbol: 'str', side: 'BUY|SELL', quantity: 'num', price: 'num', amount: 'num', executed_quantity: 'num', total_executed_quantity: 'num', average_executed_price: 'num', status: 'str', is_triggered: 'str', child_orders: ['map'] }] },
  'vault.orderHistory': { meta: META, rows: [{ order_id: 'num', created_time: 'num', updated_time: 'num', type: 'str', symbol: 'str', side: 'BUY|SELL', quantity: 'num', price: 'num', amount: 'num', executed_quantity: 'num', total_executed_quantity: 'num', average_executed_price: 'num', status: 'str', is_triggered: 'bool', child_orders: ['map'] }] },
  'vault.tradeHistory': { meta: META, rows: [{ exchange: 'str', id: 'num', symbol: 'str', fee: 'num', fee_asset: 'str', side: 'BUY|SELL', order_id: 'num', executed_price: 'num', executed_quantity: 'num', executed_timestamp: 'num', is_maker: 'num', realized_pnl: 'num', match_id: 'num' }] },
  'vault.liquidatorHistory': { meta: META, rows: [{ liquidation_id: 'num', timestamp: 'num', type: 'str', assigned: 'num', positions_by_perp: [{ abs_liquidator_fee: 'num', cost_position_transfer: 'num', liquidator_fee: 'num', position_qty: 'num', symbol: 'str', transfer_price: 'num' }] }] },
  'vault.lpInfo': { rows: [{ vault_id: 'str', lp_nav: 'num', lp_tvl: 'num', total_main_shares: 'num', available_main_shares: 'num', potential_pnl: 'num', total_performance_fees: 'num' }] },
  'vault.lpPerformance': { rows: [{ time_range: 'str', incremental_net_pnl: 'num', max_drawdown: 'num', pnl_max_drawdown: 'num' }] },
  'vault.lpPerformanceChart': { rows: [{ timestamp: 'num', value: 'num' }] },
  'vault.lpTransactionHistory': { meta: META, rows: [{ created_time: 'num', period_number: 'num', type: 'str', source: 'str', status: 'str', est_assign_period_time: 'num', unlock_time: 'num', est_claim_time: 'num', chain_id: 'str', txn_hash: 'str', txn_hash_claim: 'str', shares_change: 'num', amount_change: 'num', transaction_nonce: 'str' }] },
  'vault.lpClaimInfo': { claimable_amount: 'num' },
  'vault.lpFeesHistory': { rows: [{ created_time: 'num', period_number: 'num', type: 'str', shares_change: 'num', amount_change: 'num' }], meta: META },
  'vault.strategyProviderInfo': { sp_nav: 'num', sp_tvl: 'num', sp_total_strategy_shares: 'num', sp_strategy_shares_pct: 'num', available_strategy_shares: 'num', sp_lifetime_net_pnl: 'num', potential_pnl: 'num', sp_reserved_collateral: 'num', sp_min_shares_pct: 'num', total_performance_fees: 'num' },
  'vault.providerTransactionHistory': { meta: META, rows: [{ created_time: 'num', period_number: 'num', type: 'str', source: 'str', status: 'str', est_assign_period_time: 'num', unlock_time: 'num', est_claim_time: 'num', chain_id: 'str', txn_hash: 'str', txn_hash_claim: 'str', shares_change: 'num', amount_change: 'num', transaction_nonce: 'str' }] },
  'vault.providerClaimInfo': { claimable_amount: 'num' },
  'vault.providerFeesHistory': { rows: [{ created_time: 'num', period_number: 'num', type: 'str', shares_change: 'num', amount_change: 'num' }], meta: META },
  'vault.fundInfo': { fund_nav: 'num', fund_lifetime_net_pnl: 'num', fund_total_strategy_shares: 'num', est_strategy_share_price: 'num', broker_id: 'str', current_period_number: 'num', period_start_time: 'num', period_end_time: 'num', period_duration: 'num', performance_fee_rate: 'num' },
  'vault.fundPeriodInfo': { meta: META, rows: [{ period_number: 'num', start_time: 'num', end_time: 'num', total_deposit_amount: 'num', total_withdrawal_amount: 'num' }] },
  'vault.fundPendingTransactions': { est_fund_allocation_pct: 'num', total_pending_deposit_amount: 'num', lp_pending_deposit_amount: 'num', sp_pending_deposit_amount: 'num', fund_pending_deposit_amount: 'num', fund_pending_withdrawal_amount: 'num', total_pending_withdrawal_main_share: 'num', est_main_share_price: 'num', total_pending_withdrawal_strategy_share: 'num', est_strategy_share_price: 'num' },
}

/** The venue's answer to each relayed read, by its path in the allowlist. */
// biome-ignore format: one path a row
export const RELAY_SHAPES: Readonly<Record<string, Shape>> = {
  '/v1/client/info': { account_id: 'str', email: 'str', account_mode: 'str', max_leverage: 'num', taker_fee_rate: 'num', maker_fee_rate: 'num', rwa_taker_fee_rate: 'num', rwa_maker_fee_rate: 'num', futures_taker_fee_rate: 'num', futures_maker_fee_rate: 'num', maintenance_cancel_orders: 'bool', imr_factor: 'map', max_notional: 'map' },
  '/v1/client/holding': { holding: [{ updated_time: 'num', token: 'str', holding: 'num', frozen: 'num', pending_short: 'num', isolated_margin: 'num', isolated_order_frozen: 'num' }] },
  '/v1/client/statistics': { days_since_registration: 'num', fees_paid_last_30_days: 'num', perp_fees_paid_last_30_days: 'num', perp_trading_volume_last_24_hours: 'num', perp_trading_volume_last_7_days: 'num', perp_trading_volume_last_30_days: 'num', perp_trading_volume_ytd: 'num', perp_trading_volume_ltd: 'num', trading_volume_last_24_hours: 'num', trading_volume_last_30_days: 'num', trading_volume_ytd: 'num' },
  '/v1/client/leverage': { symbol: 'str', margin_mode: 'CROSS|ISOLATED', leverage: 'num' },
  '/v1/client/leverages': { rows: [{ symbol: 'str', margin_mode: 'CROSS|ISOLATED', leverage: 'num' }] },
  '/v1/client/margin_modes': { rows: [{ symbol: 'str', default_margin_mode: 'CROSS|ISOLATED' }] },
  '/v1/client/key_info': { rows: [{ orderly_key: 'str', key_status: 'str', ip_restriction_list: ['str'], ip_restriction_status: 'str', expiration: 'num', scope: 'str', tag: 'str' }] },
  '/v1/positions': { current_margin_ratio_with_orders: 'num', free_collateral: 'num', initial_margin_ratio: 'num', initial_margin_ratio_with_orders: 'num', maintenance_margin_ratio: 'num', maintenance_margin_ratio_with_orders: 'num', margin_ratio: 'num', open_margin_ratio: 'num', total_collateral_value: 'num', total_pnl_24_h: 'num', account_value: 'num', rows: [POSITION] },
  '/v1/position/{symbol}': POSITION,
  '/v1/position_history': { rows: [{ position_id: 'num', status: 'str', type: 'str', symbol: 'str', avg_open_price: 'num', avg_close_price: 'num', max_position_qty: 'num', closed_position_qty: 'num', side: 'str', trading_fee: 'num', accumulated_funding_fee: 'num', insurance_fund_fee: 'num', liquidator_fee: 'num', liquidation_id: 'num', realized_pnl: 'num', open_timestamp: 'num', close_timestamp: 'num', last_update_timestamp: 'num', leverage: 'num', margin_mode: 'CROSS|ISOLATED' }] },
  '/v1/liquidations': { meta: META, rows: [{ liquidation_id: 'num', timestamp: 'num', transfer_amount_to_insurance_fund: 'num', margin_ratio: 'num', account_mmr: 'num', position_notional: 'num', collateral_value: 'num', positions_by_perp: [{ total_position: 'num', mark_price: 'num', symbol: 'str', position_qty: 'num', liquidator_fee: 'num', cost_position_transfer: 'num', transfer_price: 'num', insurance_fund_fee: 'num', abs_insurance_fund_fee: 'num', abs_liquidator_fee: 'num' }] }] },
  '/v1/funding_fee/history': { meta: META, rows: [{ symbol: 'str', funding_rate: 'num', mark_price: 'num', funding_fee: 'num', payment_type: 'str', status: 'str', created_time: 'num', updated_time: 'num', margin_mode: 'CROSS|ISOLATED' }] },
  '/v1/order/{order_id}': ORDER,
  '/v1/orders': { meta: META, rows: [ORDER] },
  '/v1/algo/order/{order_id}': ALGO_ORDER,
  '/v1/algo/orders': { meta: META, rows: [ALGO_ORDER] },
  '/v1/trades': { meta: META, rows: [TRADE] },
  '/v1/trade/{trade_id}': TRADE,
  '/v1/withdraw_nonce': { withdraw_nonce: 'num' },
  '/v1/settle_nonce': { settle_nonce: 'num' },
  '/v1/pnl_settlement/history': { meta: META, rows: [{ id: 'num', old_balance: 'num', new_balance: 'num', settled_amount: 'num', requested_time: 'num', settled_time: 'num', symbols: [{ symbol: 'str', settled_amount: 'num' }] }] },
  '/v1/asset/history': { meta: META, rows: [{ id: 'str', tx_id: 'str', side: 'str', token: 'str', amount: 'num', fee: 'num', trans_status: 'str', created_time: 'num', updated_time: 'num', chain_id: 'str' }] },
  '/v1/internal_transfer_history': { meta: META, rows: [{ internal_transfer_request_id: 'num', id: 'str', token: 'str', amount: 'num', from_account_id: 'str', to_account_id: 'str', status: 'str', created_time: 'num', updated_time: 'num' }] },
  '/v1/volume/user/daily': [{ date: 'str', perp_volume: 'num' }],
  '/v1/volume/user/stats': { perp_volume_ytd: 'num', perp_volume_ltd: 'num', perp_volume_today: 'num', perp_volume_last_1_day: 'num', perp_volume_last_7_days: 'num', perp_volume_last_30_days: 'num' },
  '/v1/referral/info': { referrer_info: { '1d_invites': 'num', '7d_invites': 'num', '30d_invites': 'num', total_invites: 'num', '1d_traded': 'num', '7d_traded': 'num', '30d_traded': 'num', total_traded: 'num', '1d_referee_volume': 'num', '7d_referee_volume': 'num', '30d_referee_volume': 'num', total_referee_volume: 'num', '1d_referrer_rebate': 'num', '7d_referrer_rebate': 'num', '30d_referrer_rebate': 'num', total_referrer_rebate: 'num', referral_codes: [{ code: 'str', max_rebate_rate: 'num', bonus_max_rebate_rate: 'num', referrer_rebate_rate: 'num', bonus_referrer_rebate_rate: 'num', referee_rebate_rate: 'num', bonus_referee_rebate_rate: 'num', total_invites: 'num', total_traded: 'num' }] }, referee_info: { referer_code: 'str', referee_rebate_rate: 'num', bonus_referee_rebate_rate: 'num', '1d_referee_rebate': 'num', '7d_referee_rebate': 'num', '30d_referee_rebate': 'num', total_referee_rebate: 'num' } },
  '/v1/referral/rebate_summary': { rows: [{ traded_referral: 'num', referral_rebate: 'num', direct_bonus_rebate: 'num', base_rebate: 'num', volume: 'num', date: 'str' }], meta: META },
  '/v1/referral/referee_info': { rows: [{ account_id: 'str', user_address: 'str', register_time: 'num', code_binding_time: 'num', referral_code: 'str', volume: 'num', referral_rebate: 'num', trade_status: 'str' }], meta: META },
  '/v1/referral/referee_rebate_summary': { rows: [{ referee_rebate: 'num', date: 'str' }] },
  '/v1/referral/referral_history': { rows: [{ account_id: 'str', user_address: 'str', referral_code: 'str', volume: 'num', referral_rebate: 'num', direct_bonus_rebate: 'num', base_rebate: 'num', date: 'str' }], meta: META },
  '/v1/referral/referee_history': { rows: [{ volume: 'num', referee_rebate: 'num', date: 'str' }], meta: META },
  '/v1/referral/multi_level/statistics': { direct_invites: 'num', indirect_invites: 'num', direct_traded: 'num', indirect_traded: 'num', direct_volume: 'num', indirect_volume: 'num', direct_rebate: 'num', direct_bonus_rebate: 'num', base_rebate: 'num', indirect_rebate: 'num' },
  '/v1/referral/multi_level/referee_list': { rows: [{ address: 'str', account_id: 'str', code_binding_time: 'num', bind_type: 'str', bind_code: 'str', referral_rebate_rate: 'num', bonus_referrer_rebate_rate: 'num', referee_rebate_rate: 'num', bonus_referee_rebate_rate: 'num', is_default_rate: 'bool', direct_invites: 'num', indirect_invites: 'num', direct_volume: 'num', indirect_volume: 'num', direct_rebate: 'num', indirect_rebate: 'num', direct_bonus_rebate: 'num', base_rebate: 'num' }], meta: META },
  '/v1/referral/multi_level/rebate_info': { referral_code: 'str', max_rebate_rate: 'num', bonus_max_rebate_rate: 'num', direct_bonus_rebate_rate: 'num', base_rebate_rate: 'num', default_referee_rebate_rate: 'num', default_bonus_referee_rebate_rate: 'num', direct_invites: 'num', indirect_invites: 'num', direct_volume: 'num', indirect_volume: 'num', direct_rebate: 'num', direct_bonus_rebate: 'num', base_rebate: 'num', indirect_rebate: 'num' },
  '/v1/referral/multi_level/max_rebate_rate': { max_rebate_rate: 'num', bonus_max_rebate_rate: 'num', base_rebate_rate: 'num' },
  '/v1/referral/multi_level/volume_prerequisite': { required_volume: 'num', current_volume: 'num' },
  '/v1/notification/inbox/notifications': { rows: [{ id: 'num', message_type: 'str', email: 'str', application_id: 'str', title: 'str', type: 'str', level: 'str', content_summary: 'str', content: 'str', content_raw: { symbol: 'str', side: 'str', order_id: 'num', executed_price: 'num', executed_quantity: 'num', executed_timestamp: 'num' }, mark_read: 'num', operator: 'num', created_time: 'num', announcement_id: 'num' }], meta: META },
  '/v1/notification/inbox/unread': { count: 'num', last_id: 'num' },
}
