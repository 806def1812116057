import { HEX_PATTERNS } from './hex.ts'
import { type Lifetime, lifetime } from './limits.ts'
import { SYMBOL_PATTERN } from './market/symbols.ts'

export type EnvelopeShape = 'data' | 'bare' | 'data_and_meta'

/** The groups of the catalogue, in order. */
export const OPERATION_GROUPS = [
  'markets',
  'funding',
  'platform',
  'liquidations',
  'charts',
  'rewards',
  'referral',
  'campaigns',
  'staking',
  'account',
  'builder',
  'vault',
] as const

export type OperationParameter = {
  readonly name: string
  /** The venue's name of the parameter, if it differs from `name`. */
  readonly upstreamName?: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description: string
  /**
   * The form that the venue documents. A value is compared with it only after a refusal, because the venue may accept
   * more later.
   */
  readonly schema?: Readonly<Record<string, unknown>>
}

/** One catalogued read: its name here, and its call at the venue. */
export type Operation = {
  readonly group: (typeof OPERATION_GROUPS)[number]
  readonly summary: string
  readonly host: 'main' | 'vaults'
  /** The venue's path, with {name} for each path parameter. */
  readonly path: string
  readonly parameters: readonly OperationParameter[]
  /** The fresh time of a cached answer; 0 means no-store. */
  readonly freshSeconds: number
  /** Parameters that are overwritten with the operator's id. */
  readonly inject?: readonly ('broker_id' | 'broker_ids')[]
  /** Default values of query parameters that the venue requires. */
  readonly fallback?: Readonly<Record<string, string>>
  /** The answer has one array per field, in which each index is a market. Builders' markets are removed by index. */
  readonly columnar?: true
  /** The location of the payload: under `data`, the whole body, or `data` with a sibling `meta`. */
  readonly envelope: EnvelopeShape
  /** The kind of prose in the answer, which is searched for the venue's name. */
  readonly prose?: 'announcements' | 'status'
  /** `here`: the gateway answers itself. `signed`: the operator's key signs the call. Absent: forwarded unchanged. */
  readonly answers?: 'here' | 'signed'
}

/** The `version` of the catalogue, which grows when an operation or a failure is added. */
export const CATALOGUE_VERSION = 2

const DESCRIPTIONS = {
  account_id: 'An account id: 0x and 64 hex characters.',
  address: 'A wallet address: 0x and 40 hex characters.',
  broker_id: 'Always the operator’s; what a caller sends is ignored.',
  broker_ids: 'Always the operator’s; what a caller sends is ignored.',
  campaign_id: 'A campaign, by its id.',
  chain_id: 'A chain, by its number.',
  chain_type: 'EVM or SOL.',
  cmp: 'How to compare: gt, ge, le or lt.',
  countback: 'How many bars, counted back from `to`.',
  end_date: 'Last day, YYYY-MM-DD.',
  end_t: 'Latest time, in milliseconds.',
  enum_id: 'An order tag, by its id.',
  from: 'Earliest bar, in seconds.',
  group: 'A group of symbols.',
  group_by: 'BROKER, SYMBOL or NONE.',
  include_archived: 'true to list archived tags too.',
  is_vesting: 'true for what is still vesting, false for the rest.',
  key: 'The public half of a trading key: ed25519: and base58.',
  key_status: 'ACTIVE, REMOVING or REMOVED.',
  limit: 'How many rows.',
  lower_boundary: 'The goal to compare with.',
  page: 'Which page, from 1.',
  period: 'all_time, last_week or this_week.',
  period_number: 'A period, by its number.',
  referral_code: 'A referral code.',
  resolution: 'Length of a bar.',
  size: 'How many rows a page.',
  sort_by: 'A field to sort by.',
  source: 'Where a transaction came from.',
  stage: 'A stage, by its id.',
  stage_id: 'A stage, by its id.',
  start_date: 'First day, YYYY-MM-DD.',
  start_t: 'Earliest time, in milliseconds.',
  status: 'A state to filter by.',
  symbol: 'A market, for example PERP_ETH_USDC.',
  symbols: 'Markets, separated by commas.',
  time_interval: 'Distance between two points, for example 1h.',
  time_range: 'The period to look back on, for example 7d.',
  to: 'Latest bar, in seconds.',
  type: 'A kind to filter by.',
  vault_id: 'A strategy vault, by its id.',
  wallet_address: 'A wallet address: 0x and 40 hex characters.',
} as const

type ParameterName = keyof typeof DESCRIPTIONS

const COUNT = { pattern: '^[0-9]{1,15}$' }
const DAY = { pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' }
const ADDRESS = { pattern: HEX_PATTERNS.address }

/** Schemas of parameters that have the same form in every operation. */
const SCHEMAS: Readonly<Partial<Record<ParameterName, OperationParameter['schema']>>> = {
  ...{ account_id: { pattern: HEX_PATTERNS.hash }, address: ADDRESS, wallet_address: ADDRESS },
  ...{ chain_id: COUNT, countback: COUNT, end_t: COUNT, from: COUNT, limit: COUNT, page: COUNT },
  ...{ size: COUNT, start_t: COUNT, to: COUNT, start_date: DAY, end_date: DAY },
  symbol: { pattern: SYMBOL_PATTERN.source },
}

function pathParameter(name: ParameterName): OperationParameter {
  return { ...requiredParameter(name), in: 'path' }
}

function requiredParameter(
  name: ParameterName,
  description: string = DESCRIPTIONS[name],
  schema = SCHEMAS[name],
): OperationParameter {
  return { name, in: 'query', required: true, description, ...(schema && { schema }) }
}

function optionalParameter(name: ParameterName, description?: string): OperationParameter {
  return { ...requiredParameter(name, description), required: false }
}

/** Bar lengths of charts. */
const RESOLUTIONS = '1|3|5|15|30|60|240|720|1D|D|1W|W|1M|M'
const KLINES = '1m|3m|5m|15m|30m|1h|4h|12h|1d|1w|1mon'

const PAGED = [optionalParameter('page'), optionalParameter('size')]

// The venue's charts require both ends of a range; these are the defaults for callers who only count back from now.
const ALL_TIME = { from: '0', to: '9999999999' }

// biome-ignore format: one operation a line
const ROWS = {
  'markets.list': { group: 'markets', host: 'main', path: '/v1/public/futures', freshSeconds: 5, envelope: 'data', parameters: [], summary: 'All markets: prices, funding, open interest and 24h figures.' },
  'markets.get': { group: 'markets', host: 'main', path: '/v1/public/futures/{symbol}', freshSeconds: 5, envelope: 'data', parameters: [pathParameter('symbol')], summary: 'One market: prices, funding, open interest and 24h figures.' },
  'markets.rules': { group: 'markets', host: 'main', path: '/v1/public/info', freshSeconds: 3600, envelope: 'data', parameters: [], summary: 'Order rules of every market.' },
  'markets.rulesFor': { group: 'markets', host: 'main', path: '/v1/public/info/{symbol}', freshSeconds: 3600, envelope: 'data', parameters: [pathParameter('symbol')], summary: 'Order rules of one market.' },
  'markets.priceChanges': { group: 'markets', host: 'main', path: '/v1/public/market_info/price_changes', freshSeconds: 15, envelope: 'data', parameters: [], summary: 'Price moves of every market over several periods.' },
  'markets.openInterest': { group: 'markets', host: 'main', path: '/v1/public/market_info/traders_open_interests', freshSeconds: 30, envelope: 'data', parameters: [], summary: 'Long and short open interest of every market.' },
  'markets.historyCharts': { group: 'markets', host: 'main', path: '/v1/public/market_info/history_charts', freshSeconds: 60, envelope: 'data', parameters: [requiredParameter('time_interval')], summary: 'A short price history of every market.' },
  'markets.trades': { group: 'markets', host: 'main', path: '/v1/public/market_trades', freshSeconds: 0, envelope: 'data', parameters: [requiredParameter('symbol'), optionalParameter('limit')], summary: 'Latest public trades of one market.' },
  'markets.indexSources': { group: 'markets', host: 'main', path: '/v1/public/index_price_source', freshSeconds: 3600, envelope: 'data', parameters: [], summary: 'Where index prices come from.' },
  'markets.leverage': { group: 'markets', host: 'main', path: '/v1/public/leverage', freshSeconds: 3600, envelope: 'data', parameters: [], summary: 'The highest leverage there is.' },
  'funding.predicted': { group: 'funding', host: 'main', path: '/v1/public/funding_rates', freshSeconds: 30, envelope: 'data', parameters: [], summary: 'Estimated and last funding rates of every market.' },
  'funding.get': { group: 'funding', host: 'main', path: '/v1/public/funding_rate/{symbol}', freshSeconds: 30, envelope: 'data', parameters: [pathParameter('symbol')], summary: 'Estimated and last funding rate of one market.' },
  'funding.history': { group: 'funding', host: 'main', path: '/v1/public/funding_rate_history', freshSeconds: 60, envelope: 'data', parameters: [requiredParameter('symbol'), optionalParameter('start_t'), optionalParameter('end_t'), ...PAGED], summary: 'Past funding rates of one market.' },
  'funding.marketHistory': { group: 'funding', host: 'main', path: '/v1/public/market_info/funding_history', freshSeconds: 60, envelope: 'data', parameters: [], summary: 'Average funding rates of every market over several periods.' },
  'platform.status': { group: 'platform', host: 'main', path: '/v1/public/system_info', freshSeconds: 30, envelope: 'data', prose: 'status', parameters: [], summary: 'Whether trading is up or in maintenance.' },
  'platform.tokens': { group: 'platform', host: 'main', path: '/v1/public/token', freshSeconds: 3600, envelope: 'data', parameters: [], summary: 'Collateral tokens and the chains they are on.' },
  'platform.chains': { group: 'platform', host: 'main', path: '/v1/public/chain_info', freshSeconds: 3600, envelope: 'data', parameters: [optionalParameter('broker_id')], inject: ['broker_id'], summary: 'Chains that deposits can come from.' },
  'platform.leverageConfig': { group: 'platform', host: 'main', path: '/v1/public/config', freshSeconds: 3600, envelope: 'data', parameters: [], summary: 'The leverage steps an account can choose.' },
  'platform.insuranceFund': { group: 'platform', host: 'main', path: '/v1/public/insurancefund', freshSeconds: 60, envelope: 'data', parameters: [], summary: 'The insurance fund.' },
  'platform.vaultBalance': { group: 'platform', host: 'main', path: '/v1/public/vault_balance', freshSeconds: 60, envelope: 'data', parameters: [], summary: 'Token balances held on each chain.' },
  'platform.announcements': { group: 'platform', host: 'main', path: '/v1/public/announcement', freshSeconds: 300, envelope: 'data', prose: 'announcements', parameters: [], summary: 'Announcements.' },
  'platform.tvl': { group: 'platform', host: 'main', path: '/v1/public/balance/stats', freshSeconds: 300, envelope: 'data', parameters: [], summary: 'Total value held.' },
  'platform.volume': { group: 'platform', host: 'main', path: '/v1/public/volume/stats', freshSeconds: 300, envelope: 'data', parameters: [], summary: 'Traded volume over several periods.' },
  'platform.announcementsV2': { group: 'platform', host: 'main', path: '/v2/public/announcement', freshSeconds: 30, envelope: 'data', prose: 'announcements', parameters: [], summary: 'Announcements with translations and kinds.' },
  'platform.ipInfo': { group: 'platform', host: 'main', path: '/v1/ip_info', freshSeconds: 0, envelope: 'data', parameters: [], answers: 'here', summary: 'The address this request came from.' },
  'liquidations.open': { group: 'liquidations', host: 'main', path: '/v1/public/liquidation', freshSeconds: 5, envelope: 'data', parameters: [optionalParameter('symbol'), ...PAGED], summary: 'Positions being liquidated now.' },
  'liquidations.history': { group: 'liquidations', host: 'main', path: '/v1/public/liquidated_positions', freshSeconds: 30, envelope: 'data', parameters: [optionalParameter('symbol'), optionalParameter('start_t'), optionalParameter('end_t'), ...PAGED], summary: 'Past liquidations.' },
  'charts.config': { group: 'charts', host: 'main', path: '/v1/tv/config', freshSeconds: 3600, envelope: 'bare', parameters: [], fallback: { locale: 'en' }, summary: 'Settings for a charting library.' },
  'charts.symbols': { group: 'charts', host: 'main', path: '/v1/tv/symbol_info', freshSeconds: 3600, envelope: 'bare', columnar: true, parameters: [requiredParameter('group')], summary: 'Symbols for a charting library, with price scales and sessions.' },
  'charts.history': { group: 'charts', host: 'main', path: '/v1/tv/history', freshSeconds: 10, envelope: 'bare', parameters: [requiredParameter('symbol'), requiredParameter('resolution', 'Length of a bar in minutes (1, 3, 5, 15, 30, 60, 240, 720), or 1D, 1W, 1M.', { pattern: `^(?:${RESOLUTIONS})$` }), optionalParameter('from'), optionalParameter('to'), optionalParameter('countback')], fallback: ALL_TIME, summary: 'Bars for a charting library.' },
  'charts.klineHistory': { group: 'charts', host: 'main', path: '/v1/tv/kline_history', freshSeconds: 10, envelope: 'bare', parameters: [requiredParameter('symbol'), requiredParameter('resolution', 'Length of a bar: 1m, 5m, 15m, 30m, 1h, 4h, 12h, 1d, 1w or 1mon.', { pattern: `^(?:${KLINES})$` }), requiredParameter('from'), requiredParameter('to'), optionalParameter('type', 'Kind of bar.')], summary: 'Bars with volume and amount.' },
  'rewards.epochs': { group: 'rewards', host: 'main', path: '/v1/public/points/epoch_dates', freshSeconds: 3600, envelope: 'data', parameters: [], summary: 'Start and end of every rewards epoch.' },
  'rewards.stages': { group: 'rewards', host: 'main', path: '/v1/public/points/stages', freshSeconds: 300, envelope: 'data', parameters: [optionalParameter('broker_id'), optionalParameter('stage_id'), optionalParameter('status', 'Stages in this state only.')], inject: ['broker_id'], summary: 'Stages of the rewards programme.' },
  'rewards.rankings': { group: 'rewards', host: 'main', path: '/v1/public/points/rankings', freshSeconds: 60, envelope: 'data', parameters: [requiredParameter('stage'), requiredParameter('period'), optionalParameter('broker_id'), ...PAGED], inject: ['broker_id'], summary: 'Leaderboard of a rewards stage.' },
  'rewards.userMerits': { group: 'rewards', host: 'main', path: '/v1/client/points', freshSeconds: 60, envelope: 'data', parameters: [requiredParameter('address')], summary: 'Merits of one wallet.' },
  'referral.verify': { group: 'referral', host: 'main', path: '/v1/public/referral/verify_ref_code', freshSeconds: 60, envelope: 'data', parameters: [requiredParameter('referral_code')], summary: 'Whether a referral code exists.' },
  'referral.check': { group: 'referral', host: 'main', path: '/v1/public/referral/check_ref_code', freshSeconds: 60, envelope: 'data', parameters: [requiredParameter('account_id')], summary: 'The referral code of an account.' },
  'campaigns.list': { group: 'campaigns', host: 'main', path: '/v1/public/campaigns', freshSeconds: 300, envelope: 'data', parameters: [], summary: 'Campaigns.' },
  'campaigns.stats': { group: 'campaigns', host: 'main', path: '/v1/public/campaign/stats', freshSeconds: 60, envelope: 'data', parameters: [requiredParameter('campaign_id')], summary: 'Volume and participants of a campaign.' },
  'campaigns.ranking': { group: 'campaigns', host: 'main', path: '/v1/public/campaign/ranking', freshSeconds: 60, envelope: 'data', parameters: [requiredParameter('campaign_id'), ...PAGED, optionalParameter('sort_by')], summary: 'Leaderboard of a campaign.' },
  'campaigns.user': { group: 'campaigns', host: 'main', path: '/v1/public/campaign/user', freshSeconds: 60, envelope: 'data', parameters: [requiredParameter('campaign_id'), requiredParameter('address')], summary: 'One wallet in a campaign.' },
  'campaigns.statsDetails': { group: 'campaigns', host: 'main', path: '/v1/public/campaign/stats/details', freshSeconds: 60, envelope: 'data', parameters: [requiredParameter('campaign_id'), optionalParameter('broker_id'), optionalParameter('symbols'), optionalParameter('group_by')], inject: ['broker_id'], summary: 'Campaign figures, grouped.' },
  'campaigns.check': { group: 'campaigns', host: 'main', path: '/v1/public/campaign/check', freshSeconds: 30, envelope: 'data', parameters: [requiredParameter('campaign_id'), requiredParameter('type', 'Measure: volume, deposit, withdraw or order_count.'), requiredParameter('address'), requiredParameter('lower_boundary'), optionalParameter('cmp')], summary: 'Whether a wallet has reached a campaign goal.' },
  'staking.overview': { group: 'staking', host: 'main', path: '/v1/staking/overview', freshSeconds: 300, envelope: 'data', parameters: [], summary: 'Total stake and rewards by day.' },
  'staking.poolInfo': { group: 'staking', host: 'main', path: '/v1/staking/valor2/pool_info', freshSeconds: 300, envelope: 'data', parameters: [], summary: 'The current reward pool.' },
  'staking.batchInfo': { group: 'staking', host: 'main', path: '/v1/staking/valor2/batch_info', freshSeconds: 300, envelope: 'data', parameters: [], summary: 'Redemption batches of the current pool.' },
  'staking.buyback': { group: 'staking', host: 'main', path: '/v1/staking/valor2/revenue_buyback', freshSeconds: 300, envelope: 'data', parameters: [], summary: 'Revenue bought back by batch.' },
  'staking.balance': { group: 'staking', host: 'main', path: '/v1/staking/balance', freshSeconds: 30, envelope: 'data', parameters: [requiredParameter('address')], summary: 'Staked balance of a wallet.' },
  'staking.unstakeDetails': { group: 'staking', host: 'main', path: '/v1/staking/unstake_details', freshSeconds: 30, envelope: 'data', parameters: [requiredParameter('address')], summary: 'Pending unstakes of a wallet.' },
  'staking.vestingList': { group: 'staking', host: 'main', path: '/v1/staking/esorder/vesting_list', freshSeconds: 30, envelope: 'data', parameters: [requiredParameter('address'), requiredParameter('is_vesting')], summary: 'Vesting requests of a wallet.' },
  'staking.valorBatchInfo': { group: 'staking', host: 'main', path: '/v1/staking/valor/batch_info', freshSeconds: 30, envelope: 'data', parameters: [], summary: 'Redemption batches of the first valor pool.' },
  'staking.valorPoolInfo': { group: 'staking', host: 'main', path: '/v1/staking/valor/pool_info', freshSeconds: 30, envelope: 'data', parameters: [], summary: 'The first valor pool.' },
  'staking.valorRedeem': { group: 'staking', host: 'main', path: '/v1/staking/valor/redeem', freshSeconds: 30, envelope: 'data', parameters: [requiredParameter('address')], summary: 'Redemptions of a wallet from the first valor pool.' },
  'staking.valorRedeemV2': { group: 'staking', host: 'main', path: '/v1/staking/valor2/redeem', freshSeconds: 30, envelope: 'data', parameters: [requiredParameter('address')], summary: 'Redemptions of a wallet from the current valor pool.' },
  'account.exists': { group: 'account', host: 'main', path: '/v1/get_account', freshSeconds: 0, envelope: 'data', parameters: [requiredParameter('address'), optionalParameter('broker_id'), optionalParameter('chain_type')], inject: ['broker_id'], summary: 'Whether a wallet has an account here.' },
  'account.keyInfo': { group: 'account', host: 'main', path: '/v1/get_orderly_key', freshSeconds: 0, envelope: 'data', parameters: [requiredParameter('account_id'), { ...requiredParameter('key'), upstreamName: 'orderly_key' }, optionalParameter('address'), optionalParameter('broker_id'), optionalParameter('key_status')], inject: ['broker_id'], summary: 'Scope and expiration of a trading key.' },
  'account.existsByAccountId': { group: 'account', host: 'main', path: '/v1/public/account', freshSeconds: 0, envelope: 'data', parameters: [optionalParameter('account_id')], summary: 'Whether an account id exists.' },
  'account.registeredBuilders': { group: 'account', host: 'main', path: '/v1/get_broker', freshSeconds: 30, envelope: 'data', parameters: [requiredParameter('address'), optionalParameter('chain_type')], summary: 'Where else a wallet is registered.' },
  'builder.dailyRevenue': { group: 'builder', host: 'main', path: '/v1/broker/daily_fee_revenue', freshSeconds: 60, envelope: 'data', parameters: [optionalParameter('broker_id'), requiredParameter('start_date'), requiredParameter('end_date')], inject: ['broker_id'], answers: 'signed', summary: 'Daily fee revenue of the operator.' },
  'builder.list': { group: 'builder', host: 'main', path: '/v1/public/broker/name', freshSeconds: 3600, envelope: 'data', parameters: [optionalParameter('broker_id')], inject: ['broker_id'], summary: 'Front ends of the venue.' },
  'builder.stats': { group: 'builder', host: 'main', path: '/v1/public/broker/stats', freshSeconds: 60, envelope: 'data', parameters: [optionalParameter('broker_id')], inject: ['broker_id'], summary: 'Connected users of the operator.' },
  'builder.marketVolume': { group: 'builder', host: 'main', path: '/v1/public/futures_market', freshSeconds: 30, envelope: 'data', parameters: [optionalParameter('symbol'), optionalParameter('broker_id')], inject: ['broker_id'], summary: 'Market figures of the operator.' },
  'builder.listOrderTags': { group: 'builder', host: 'main', path: '/v1/public/broker/order_enums', freshSeconds: 30, envelope: 'data', parameters: [optionalParameter('broker_id'), optionalParameter('symbol'), optionalParameter('enum_id'), optionalParameter('include_archived')], inject: ['broker_id'], summary: 'Order tags of the operator.' },
  'builder.getOrderTag': { group: 'builder', host: 'main', path: '/v1/public/broker/order_enum', freshSeconds: 30, envelope: 'data', parameters: [optionalParameter('broker_id'), requiredParameter('enum_id')], inject: ['broker_id'], summary: 'One order tag of the operator.' },
  'vault.strategyNonce': { group: 'vault', host: 'main', path: '/v1/public/sv_nonce', freshSeconds: 0, envelope: 'data', parameters: [], summary: 'A nonce for a strategy-vault transaction.' },
  'vault.info': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/vault/info', freshSeconds: 30, envelope: 'data', parameters: [optionalParameter('vault_id'), optionalParameter('status', 'Vaults in this state only.'), optionalParameter('broker_ids')], inject: ['broker_ids'], summary: 'Strategy vaults.' },
  'vault.overallStats': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/vault/overall_info', freshSeconds: 30, envelope: 'data', parameters: [optionalParameter('broker_ids')], inject: ['broker_ids'], summary: 'Totals over all strategy vaults.' },
  'vault.userOverallStats': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/user/overall_info', freshSeconds: 30, envelope: 'data', parameters: [requiredParameter('wallet_address')], summary: 'Totals of one wallet over all strategy vaults.' },
  'vault.performance': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/vault/performance', freshSeconds: 60, envelope: 'data', parameters: [requiredParameter('vault_id')], summary: 'Profit, drawdown and volume of a vault by period.' },
  'vault.performanceChart': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/vault/performance_chart', freshSeconds: 60, envelope: 'data', parameters: [requiredParameter('vault_id'), requiredParameter('type', 'What is charted.'), requiredParameter('time_range')], summary: 'A vault over time.' },
  'vault.positions': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/vault/positions', freshSeconds: 0, envelope: 'data', parameters: [requiredParameter('vault_id')], summary: 'Open positions of a vault.' },
  'vault.openOrders': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/vault/open_orders', freshSeconds: 0, envelope: 'data', parameters: [requiredParameter('vault_id'), optionalParameter('symbol'), optionalParameter('sort_by'), ...PAGED], summary: 'Resting orders of a vault.' },
  'vault.orderHistory': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/vault/order_history', freshSeconds: 60, envelope: 'data', parameters: [requiredParameter('vault_id'), optionalParameter('symbol'), optionalParameter('sort_by'), ...PAGED], summary: 'Past orders of a vault.' },
  'vault.tradeHistory': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/vault/trade_history', freshSeconds: 60, envelope: 'data', parameters: [requiredParameter('vault_id'), optionalParameter('symbol'), optionalParameter('sort_by'), ...PAGED], summary: 'Fills of a vault.' },
  'vault.liquidatorHistory': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/vault/liquidator_history', freshSeconds: 60, envelope: 'data', parameters: [requiredParameter('vault_id'), optionalParameter('symbol'), ...PAGED], summary: 'Liquidations a vault took over.' },
  'vault.lpInfo': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/lp/info', freshSeconds: 30, envelope: 'data', parameters: [requiredParameter('wallet_address'), optionalParameter('vault_id')], summary: 'Holdings of a liquidity provider.' },
  'vault.lpPerformance': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/lp/performance', freshSeconds: 60, envelope: 'data', parameters: [requiredParameter('vault_id'), requiredParameter('wallet_address')], summary: 'Profit and drawdown of a liquidity provider by period.' },
  'vault.lpPerformanceChart': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/lp/performance_chart', freshSeconds: 60, envelope: 'data', parameters: [requiredParameter('vault_id'), requiredParameter('wallet_address'), requiredParameter('type', 'What is charted.'), requiredParameter('time_range')], summary: 'A liquidity provider over time.' },
  'vault.lpTransactionHistory': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/lp/transaction_history', freshSeconds: 60, envelope: 'data', parameters: [requiredParameter('vault_id'), requiredParameter('wallet_address'), optionalParameter('type'), optionalParameter('chain_id'), optionalParameter('source'), ...PAGED], summary: 'Deposits and withdrawals of a liquidity provider.' },
  'vault.lpClaimInfo': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/lp/claim_info', freshSeconds: 30, envelope: 'data', parameters: [requiredParameter('vault_id'), requiredParameter('wallet_address'), requiredParameter('chain_id')], summary: 'Claimable amounts of a liquidity provider on a chain.' },
  'vault.lpFeesHistory': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/lp/fees_history', freshSeconds: 60, envelope: 'data_and_meta', parameters: [requiredParameter('vault_id'), requiredParameter('wallet_address'), ...PAGED], summary: 'Fees a liquidity provider paid.' },
  'vault.strategyProviderInfo': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/sp/info', freshSeconds: 30, envelope: 'data', parameters: [requiredParameter('vault_id'), requiredParameter('wallet_address')], summary: 'Holdings of a strategy provider.' },
  'vault.providerTransactionHistory': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/sp/transaction_history', freshSeconds: 60, envelope: 'data', parameters: [requiredParameter('vault_id'), requiredParameter('wallet_address'), optionalParameter('type'), optionalParameter('chain_id'), optionalParameter('source'), ...PAGED], summary: 'Deposits and withdrawals of a strategy provider.' },
  'vault.providerClaimInfo': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/sp/claim_info', freshSeconds: 30, envelope: 'data', parameters: [requiredParameter('vault_id'), requiredParameter('wallet_address'), requiredParameter('chain_id')], summary: 'Claimable amounts of a strategy provider on a chain.' },
  'vault.providerFeesHistory': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/sp/fees_history', freshSeconds: 60, envelope: 'data_and_meta', parameters: [requiredParameter('vault_id'), requiredParameter('wallet_address'), ...PAGED], summary: 'Fees a strategy provider earned.' },
  'vault.fundInfo': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/fund/info', freshSeconds: 30, envelope: 'data', parameters: [requiredParameter('vault_id'), requiredParameter('wallet_address')], summary: 'The fund behind a vault, as one wallet sees it.' },
  'vault.fundPeriodInfo': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/fund/period_info', freshSeconds: 60, envelope: 'data', parameters: [requiredParameter('vault_id'), requiredParameter('wallet_address'), optionalParameter('period_number'), ...PAGED], summary: 'Periods of a fund.' },
  'vault.fundPendingTransactions': { group: 'vault', host: 'vaults', path: '/v1/public/strategy_vault/fund/pending_transactions', freshSeconds: 30, envelope: 'data', parameters: [requiredParameter('vault_id'), requiredParameter('wallet_address')], summary: 'Requests waiting for the next period of a fund.' },
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof ROWS

/** The catalogued reads by id, in the order of their groups. Look ids up with `isOperationId` first. */
export const OPERATIONS: Readonly<Record<OperationId, Operation>> = ROWS

/** Whether a text is the id of a catalogued read; false for inherited names such as `toString`. */
export function isOperationId(id: string): id is OperationId {
  return Object.hasOwn(OPERATIONS, id)
}

/** The lifetime of an operation's answer; a no-store operation is never served stale. */
export function operationLifetime(id: OperationId): Lifetime {
  return lifetime(OPERATIONS[id].freshSeconds)
}
