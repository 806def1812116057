type ExampleValueName =
  | 'address'
  | 'accountId'
  | 'key'
  | 'vaultId'
  | 'providerAddress'
  | 'approvalId'

/**
 * Values for the examples: an account, a vault with its manager, and a write that waits for approval. For a live venue,
 * values that belong to no user.
 */
export type ExampleValues = Readonly<Record<ExampleValueName, string>>

/** Placeholder values of the right shape that belong to no user. */
export const PLACEHOLDER_VALUES: ExampleValues = {
  address: `0x${'11'.repeat(20)}`,
  accountId: `0x${'11'.repeat(32)}`,
  key: `ed25519:${'1'.repeat(32)}`,
  vaultId: `0x${'11'.repeat(32)}`,
  providerAddress: `0x${'11'.repeat(20)}`,
  approvalId: '11'.repeat(16),
}

type Example = string | number | ((practised: ExampleValues) => string)

const address: Example = (practised) => practised.address
const accountId: Example = (practised) => practised.accountId

/** An example of each parameter, by name. With these examples, every read succeeds on the embedded venue. */
// biome-ignore format: one parameter a row
const EXAMPLES: Readonly<Record<string, Example>> = {
  account_id: accountId, address, broker_id: 'ignored', broker_ids: 'ignored', campaign_id: '1', chainId: '42161', chain_id: '42161', chain_type: 'EVM',
  cmp: 'ge', code: 'PRACTICE', countback: '100', end_date: '2100-01-01', end_t: '4102444800000', enum_id: 'GRID_PRO', from: '1700000000',
  fromAddress: address, fromAmount: '1000000', fromChain: '42161', fromToken: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
  group: 'PERP', group_by: 'NONE', id: (practised) => practised.approvalId, include_archived: 'false', interval: '1h', is_vesting: 'true', key: (practised) => practised.key, key_status: 'ACTIVE',
  limit: 20, lower_boundary: '1', order: 'CHEAPEST', page: '1', period: 'all_time', period_number: '1',
  quoteId: 'example', referral_code: 'PRACTICE', resolution: '60', search: 'USD', size: '20', slippageBps: 50, sort: 'volume', sort_by: 'volume', stage: '1', stage_id: '1',
  start_date: '2026-01-01', start_t: '1700000000000', source: '42161', status: 'active', symbol: 'PERP_ETH_USDC', symbols: 'PERP_ETH_USDC,PERP_BTC_USDC',
  time_interval: '1h', time_range: '7d', to: '4102444800', toAddress: address, toChain: '42161', toToken: '0x0000000000000000000000000000000000000000',
  topics: 'ticker:PERP_ETH_USDC', txHash: `0x${'11'.repeat(32)}`, type: 'volume', vault_id: (practised) => practised.vaultId, wallet: address, wallet_address: address, window: '7d',
}

const providerAddress: Example = (practised) => practised.providerAddress

/** Examples for operations in which a parameter has a different meaning. */
// biome-ignore format: one operation a row
const OPERATION_EXAMPLES: Readonly<Record<string, Readonly<Record<string, Example>>>> = {
  'charts.klineHistory': { resolution: '1h', type: 'mark' },
  'vault.info': { status: 'live' },
  'vault.performanceChart': { type: 'TVL' },
  'vault.openOrders': { sort_by: 'descending' },
  'vault.orderHistory': { sort_by: 'descending' },
  'vault.tradeHistory': { sort_by: 'descending' },
  'vault.lpPerformanceChart': { type: 'TVL' },
  'vault.lpTransactionHistory': { type: 'deposit' },
  'vault.strategyProviderInfo': { wallet_address: providerAddress },
  'vault.providerTransactionHistory': { wallet_address: providerAddress, type: 'deposit' },
  'vault.providerClaimInfo': { wallet_address: providerAddress },
  'vault.providerFeesHistory': { wallet_address: providerAddress },
}

/** The example of a parameter of a route or operation; undefined without an example. */
export function parameterExample(
  id: string,
  name: string,
  practised: ExampleValues,
): string | number | undefined {
  const example = OPERATION_EXAMPLES[id]?.[name] ?? EXAMPLES[name]
  return typeof example === 'function' ? example(practised) : example
}
