import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts'
import { RATE_ONE, sumBy } from '../../base/units.ts'
import type { VenueState } from '../../exchange/state.ts'
import type { HistoricalPrice } from '../../exchange/trading-context.ts'
import { NO_VAULT } from '../../listing/chains.ts'
import { queryText } from '../../messages/page.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { wireRate, wireUsdc } from '../../messages/values.ts'
import {
  ownerStake,
  sampleAt,
  shareHolders,
  stakePnl,
  type VaultBook,
  type VaultSample,
  vaultBooks,
  vaultProvider,
  vaultSamples,
} from '../../vaults/book.ts'
import { VAULT_RULES } from '../../vaults/terms.ts'
import { HOME_CHAINS, type Role } from '../../vaults/vault.ts'
import { DEFAULT_BROKER } from '../public/platform.ts'
import { fundInfo, ofFund, pendingTransactions, periodInfo } from './fund.ts'
import { chart, stakePerformance, vaultPerformance } from './performance.ts'
import { ofOwner, ofVault, type VaultAnswer, walletIn } from './query.ts'
import { requestRows } from './requests.ts'
import { claimInfo, feesHistory, lpInfo, providerInfo, transactionHistory } from './stakes.ts'
import {
  openOrders,
  orderHistory,
  takeovers,
  tradeHistory,
  type VaultDeal,
  vaultDeals,
  vaultPositions,
} from './trading.ts'

type VaultSources = Pick<VenueState, 'simulation' | 'accounts'> & {
  readonly priceThen: HistoricalPrice
}

/** Public reads by the end of their path. */
const READS: Readonly<Record<string, VaultAnswer>> = {
  'vault/info': vaults,
  'vault/overall_info': (books) => ({ rows: [overall(books)] }),
  'user/overall_info': (books, call) => ({ rows: [ofWallet(books, walletIn(call))] }),
  'vault/performance': ofVault(vaultPerformance),
  'vault/performance_chart': ofVault((book, call) => chart(book, null, call)),
  'lp/info': lpInfo,
  'lp/performance': ofOwner('lp', stakePerformance),
  'lp/performance_chart': ofOwner('lp', chart),
  'lp/transaction_history': ofOwner('lp', transactionHistory),
  'lp/claim_info': ofOwner('lp', claimInfo),
  'lp/fees_history': ofOwner('lp', feesHistory),
  'sp/info': ofOwner('provider', providerInfo),
  'sp/transaction_history': ofOwner('provider', transactionHistory),
  'sp/claim_info': ofOwner('provider', claimInfo),
  'sp/fees_history': ofOwner('provider', feesHistory),
  'fund/info': ofFund(fundInfo),
  'fund/period_info': ofFund(periodInfo),
  'fund/pending_transactions': ofFund(pendingTransactions),
}

/** Public reads about a vault's deals, by the end of their path. */
const DEALS: Readonly<
  Record<string, (deals: readonly VaultDeal[], book: VaultBook, call: VenueCall) => unknown>
> = {
  'vault/positions': vaultPositions,
  'vault/open_orders': openOrders,
  'vault/order_history': orderHistory,
  'vault/trade_history': tradeHistory,
  'vault/liquidator_history': takeovers,
}

/** Endpoints for strategy vaults. */
export function vaultRows(parts: VaultSources): readonly VenueRow[] {
  const currentWorld = () => parts.simulation().engine.world
  const deals = Object.entries(DEALS).map(([name, answer]): [string, VaultAnswer] => [
    name,
    ofVault((book, call) =>
      answer(vaultDeals(book, currentWorld().scenes, parts.priceThen), book, call),
    ),
  ])
  const reads = [...Object.entries(READS), ...deals].map(([name, answer]) => ({
    ...publicRead(`/v1/public/strategy_vault/${name}`, (call) =>
      answer(vaultBooks(currentWorld()), call),
    ),
    ...(name.endsWith('fees_history') && { envelope: 'data_and_meta' as const }),
  }))
  return [...reads, ...requestRows(parts)]
}

/** The vaults, shown with the queried builder, because every builder offers every vault. */
function vaults(books: readonly VaultBook[], { query }: VenueCall) {
  const [id, status] = [queryText(query, 'vault_id')?.toLowerCase(), queryText(query, 'status')]
  const [broker = DEFAULT_BROKER] = queryText(query, 'broker_ids')?.split(',') ?? []
  const rows = books
    .filter(({ vault }) => id === undefined || vault.id === id)
    .map((book) => ({ ...vaultIdentity(book), ...valueFigures(book), broker_id: broker }))
  return { rows: rows.filter((row) => status === null || status === row.status) }
}

function vaultIdentity({ vault, nowMs }: VaultBook) {
  const { id, terms, startedAtMs } = vault
  return {
    vault_id: id,
    vault_address: NO_VAULT,
    vault_type: terms.kind,
    vault_name: terms.title,
    description: terms.description,
    sp_address: vaultProvider({ vault }).wallet,
    sp_name: terms.provider,
    asset: 'USDC',
    vault_age: Math.floor((nowMs - startedAtMs) / DAY_MS),
    status: 'live',
    vault_start_time: startedAtMs,
    performance_fee_rate: wireRate(terms.feeRate),
    supported_chains: HOME_CHAINS.map(({ id: chain, name }) => ({
      chain_id: String(chain),
      chain_name: name,
    })),
    lock_duration: VAULT_RULES.lockMs / HOUR_MS,
    min_deposit_amount: wireUsdc(VAULT_RULES.depositMin),
    min_withdrawal_amount: wireUsdc(VAULT_RULES.withdrawalMin),
    gate_threshold_pct: wireRate(VAULT_RULES.gate),
    gate_triggered: false,
  }
}

const MONTH_MS = 30 * DAY_MS

function valueFigures(book: VaultBook) {
  const { vault, nowMs } = book
  const now = sampleAt(book, nowMs)
  const recent = vaultSamples(book, DAY_MS, nowMs - MONTH_MS + DAY_MS)
  const lowest = recent.reduce((low, sample) => (sample.main < low.main ? sample : low), now)
  return {
    tvl: wireUsdc(now.nav + now.idle),
    valid_hpr: recent.length - 1,
    '30d_apy': yearly(recent[0], now),
    recovery_30d_apy: now.main < now.highWater ? yearly(lowest, now) : 0,
    vault_lifetime_net_pnl: wireUsdc(stakePnl(now)),
    lp_counts: shareHolders(book).length,
    total_main_shares: wireUsdc(now.mainShares),
    est_main_share_price: wireRate(now.main),
    lifetime_apy: yearly({ main: RATE_ONE, atMs: vault.startedAtMs }, now),
  }
}

const YEAR_MS = 365 * DAY_MS
/** The largest yearly rate that the wire shows: 1,000 times. */
const APY_MAX = 1000

type Price = Pick<VaultSample, 'main' | 'atMs'>

/** The growth of a main share's price since an earlier time, extrapolated to a year, with six decimals. */
function yearly(then: Price | undefined, { main, atMs }: Price): number {
  if (!then || then.main === 0 || atMs - then.atMs < DAY_MS) return 0
  const rate = (main / then.main) ** (YEAR_MS / (atMs - then.atMs)) - 1
  return Math.round(Math.min(APY_MAX, rate) * 1_000_000) / 1_000_000
}

function overall(books: readonly VaultBook[]) {
  const samples = books.map((book) => sampleAt(book, book.nowMs))
  return {
    strategy_vaults_tvl: wireUsdc(sumBy(samples, ({ nav, idle }) => nav + idle)),
    strategy_vaults_lifetime_net_pnl: wireUsdc(sumBy(samples, stakePnl)),
    strategy_vaults_count: books.length,
    strategy_vaults_lp_count: sumBy(books, (book) => shareHolders(book).length),
  }
}

/** The sum of all stakes of a wallet. */
function ofWallet(books: readonly VaultBook[], wallet: string) {
  const roleTotals = (role: Role) => {
    const stakes = books.map((book) => ownerStake(book, { role, wallet }))
    const values = stakes.map(({ nav, idle }) => nav + idle)
    return {
      tvl: sumBy(values, (value) => value),
      pnl: sumBy(stakes, stakePnl),
      count: values.filter((value) => value > 0).length,
    }
  }
  const [lp, sp] = [roleTotals('lp'), roleTotals('provider')]
  return {
    total_vaults_tvl: wireUsdc(lp.tvl + sp.tvl),
    vaults_lp_tvl: wireUsdc(lp.tvl),
    vaults_sp_tvl: wireUsdc(sp.tvl),
    total_vaults_lifetime_net_pnl: wireUsdc(lp.pnl + sp.pnl),
    vaults_lp_lifetime_net_pnl: wireUsdc(lp.pnl),
    vaults_sp_lifetime_net_pnl: wireUsdc(sp.pnl),
    total_involved_vaults_count: lp.count + sp.count,
    involved_lp_vaults_count: lp.count,
    involved_sp_vaults_count: sp.count,
  }
}
