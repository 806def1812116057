import { DAY_MS, HOUR_MS } from '../../../spec/durations.ts'
import { ONE, sumOf } from '../../base/units.ts'
import { NO_VAULT } from '../../listing/chains.ts'
import { queryText, shapedPage } from '../../messages/page.ts'
import type { VenueCall, VenueRow } from '../../messages/row.ts'
import { amountOf, rateOf } from '../../messages/values.ts'
import {
  amountAt,
  type Book,
  isPending,
  pnlOf,
  type Sample,
  sampleAt,
  samplesOf,
  type Transaction,
} from '../../vaults/book.ts'
import { holdersOf, providerOf, stakeOf } from '../../vaults/stakes.ts'
import { VAULT_RULES } from '../../vaults/terms.ts'
import { HOME_CHAINS, periodAt, periodStartMs, type Role } from '../../vaults/vault.ts'
import { DEFAULT_BROKER } from '../public/platform.ts'
import { performanceRows } from './performance.ts'
import { oneVaultReads, type VaultParts, vaultReads, walletOf } from './query.ts'
import { requestRows } from './requests.ts'
import { stakeRows } from './stakes.ts'
import { tradingRows } from './trading.ts'

/** The paths of strategy vaults. */
export function vaultRows(parts: VaultParts): readonly VenueRow[] {
  return [
    ...vaultReads(parts, {
      'vault/info': vaults,
      'vault/overall_info': (books) => ({ rows: [overall(books)] }),
      'user/overall_info': (books, { query }) => ({ rows: [ofWallet(books, walletOf(query))] }),
    }),
    ...oneVaultReads(parts, {
      'fund/info': ofFund(fundInfo),
      'fund/period_info': ofFund(periods),
      'fund/pending_transactions': ofFund(pendingTransactions),
    }),
    ...performanceRows(parts),
    ...tradingRows(parts),
    ...stakeRows(parts),
    ...requestRows(parts),
  ]
}

/** The vaults with the queried builder, because every builder offers every vault. */
function vaults(books: readonly Book[], { query }: VenueCall) {
  const [id, status] = [queryText(query, 'vault_id')?.toLowerCase(), queryText(query, 'status')]
  const [broker = DEFAULT_BROKER] = queryText(query, 'broker_ids')?.split(',') ?? []
  const rows = books
    .filter(({ vault }) => id === undefined || vault.id === id)
    .map((book) => ({ ...identityOf(book), ...valueFigures(book), broker_id: broker }))
  return { rows: rows.filter((row) => status === null || status === row.status) }
}

function identityOf({ vault, nowMs }: Book) {
  const { id, terms, startedAtMs } = vault
  return {
    vault_id: id,
    vault_address: NO_VAULT,
    vault_type: terms.kind,
    vault_name: terms.title,
    description: terms.description,
    sp_address: providerOf({ vault }),
    sp_name: terms.provider,
    asset: 'USDC',
    vault_age: Math.floor((nowMs - startedAtMs) / DAY_MS),
    status: 'live',
    vault_start_time: startedAtMs,
    performance_fee_rate: rateOf(terms.feeRate),
    supported_chains: HOME_CHAINS.map((chain) => ({
      chain_id: String(chain.id),
      chain_name: chain.name,
    })),
    lock_duration: VAULT_RULES.lockMs / HOUR_MS,
    min_deposit_amount: amountOf(VAULT_RULES.depositMin),
    min_withdrawal_amount: amountOf(VAULT_RULES.withdrawalMin),
    gate_threshold_pct: rateOf(VAULT_RULES.gate),
    gate_triggered: false,
  }
}

const MONTH_MS = 30 * DAY_MS

function valueFigures(book: Book) {
  const { vault, nowMs } = book
  const now = sampleAt(book, nowMs)
  const recent = samplesOf(book, DAY_MS, nowMs - MONTH_MS + DAY_MS)
  const lowest = recent.reduce((low, sample) => (sample.main < low.main ? sample : low), now)
  return {
    tvl: amountOf(now.nav + now.idle),
    valid_hpr: recent.length - 1,
    '30d_apy': yearly(recent[0], now),
    recovery_30d_apy: now.main < now.highWater ? yearly(lowest, now) : 0,
    vault_lifetime_net_pnl: amountOf(pnlOf(now)),
    lp_counts: holdersOf(book).length,
    total_main_shares: amountOf(now.mainShares),
    est_main_share_price: rateOf(now.main),
    lifetime_apy: yearly({ main: ONE, atMs: vault.startedAtMs }, now),
  }
}

const YEAR_MS = 365 * DAY_MS
/** The largest yearly rate on the wire: a thousandfold. */
const APY_MAX = 1000

type Price = Pick<Sample, 'main' | 'atMs'>

/** The growth of the main price since then, extrapolated to a year; six decimals. */
function yearly(then: Price | undefined, { main, atMs }: Price): number {
  if (!then || then.main === 0 || atMs - then.atMs < DAY_MS) return 0
  const rate = (main / then.main) ** (YEAR_MS / (atMs - then.atMs)) - 1
  return Math.round(Math.min(APY_MAX, rate) * 1_000_000) / 1_000_000
}

function overall(books: readonly Book[]) {
  const samples = books.map((book) => sampleAt(book, book.nowMs))
  return {
    strategy_vaults_tvl: amountOf(sumOf(samples, ({ nav, idle }) => nav + idle)),
    strategy_vaults_lifetime_net_pnl: amountOf(sumOf(samples, pnlOf)),
    strategy_vaults_count: books.length,
    strategy_vaults_lp_count: sumOf(books, (book) => holdersOf(book).length),
  }
}

/** The figures of all stakes of one wallet. */
function ofWallet(books: readonly Book[], wallet: string) {
  const totalsOf = (role: Role) => {
    const stakes = books.map((book) => stakeOf(book, { role, wallet }))
    const values = stakes.map(({ nav, idle }) => nav + idle)
    return {
      tvl: sumOf(values, (value) => value),
      pnl: sumOf(stakes, pnlOf),
      count: values.filter((value) => value > 0).length,
    }
  }
  const [lp, sp] = [totalsOf('lp'), totalsOf('provider')]
  return {
    total_vaults_tvl: amountOf(lp.tvl + sp.tvl),
    vaults_lp_tvl: amountOf(lp.tvl),
    vaults_sp_tvl: amountOf(sp.tvl),
    total_vaults_lifetime_net_pnl: amountOf(lp.pnl + sp.pnl),
    vaults_lp_lifetime_net_pnl: amountOf(lp.pnl),
    vaults_sp_lifetime_net_pnl: amountOf(sp.pnl),
    total_involved_vaults_count: lp.count + sp.count,
    involved_lp_vaults_count: lp.count,
    involved_sp_vaults_count: sp.count,
  }
}

/** An answer about the fund of a vault: each vault has one. The wallet in the query is checked, and changes nothing. */
function ofFund(answer: (book: Book, call: VenueCall) => unknown) {
  return (book: Book, call: VenueCall) => {
    walletOf(call.query)
    return answer(book, call)
  }
}

function fundInfo(book: Book) {
  const { vault, nowMs } = book
  const now = sampleAt(book, nowMs)
  const period = periodAt(vault, nowMs)
  return {
    fund_nav: amountOf(now.nav),
    fund_lifetime_net_pnl: amountOf(pnlOf(now)),
    fund_total_strategy_shares: amountOf(now.strategyShares),
    est_strategy_share_price: rateOf(now.strategy),
    broker_id: DEFAULT_BROKER,
    current_period_number: period,
    period_start_time: periodStartMs(vault, period),
    period_end_time: periodStartMs(vault, period + 1),
    period_duration: VAULT_RULES.periodMs / HOUR_MS,
    performance_fee_rate: rateOf(vault.terms.feeRate),
  }
}

/** All periods with their requests, the current one first. */
function periods(book: Book, { query }: VenueCall) {
  const { vault, transactions } = book
  const number = queryText(query, 'period_number')
  const chosen = [...book.openings.keys()]
    .reverse()
    .filter((period) => number === null || String(period) === number)
  return shapedPage(chosen, query, (period) => {
    const own = transactions.filter(({ atMs }) => periodAt(vault, atMs) === period)
    const { deposits, withdrawn } = totalsIn(book, own)
    return {
      period_number: period,
      start_time: periodStartMs(vault, period),
      end_time: periodStartMs(vault, period + 1),
      total_deposit_amount: amountOf(deposits),
      total_withdrawal_amount: amountOf(withdrawn),
    }
  })
}

function pendingTransactions(book: Book) {
  const { lp, provider, deposits, withdrawn, now } = totalsIn(
    book,
    book.transactions.filter(isPending),
  )
  return {
    // A vault has one fund, which gets all of its money.
    est_fund_allocation_pct: 1,
    total_pending_deposit_amount: amountOf(deposits),
    lp_pending_deposit_amount: amountOf(lp.deposits),
    sp_pending_deposit_amount: amountOf(provider.deposits),
    fund_pending_deposit_amount: amountOf(deposits),
    fund_pending_withdrawal_amount: amountOf(withdrawn),
    total_pending_withdrawal_main_share: amountOf(lp.shares),
    est_main_share_price: rateOf(now.main),
    total_pending_withdrawal_strategy_share: amountOf(provider.shares),
    est_strategy_share_price: rateOf(now.strategy),
  }
}

/** Deposits and withdrawals of transactions in USDC and shares; pending shares count at the current price. */
function totalsIn(book: Book, transactions: readonly Transaction[]) {
  const now = sampleAt(book, book.nowMs)
  const ofRole = (role: Role) => {
    const of = (type: Transaction['type']) =>
      transactions.filter((each) => each.role === role && each.type === type)
    const price = role === 'lp' ? now.main : now.strategy
    return {
      deposits: sumOf(of('deposit'), ({ amount }) => amount),
      shares: sumOf(of('withdrawal'), ({ shares }) => shares),
      withdrawn: sumOf(of('withdrawal'), (each) =>
        isPending(each) ? amountAt(each.shares, price) : each.amount,
      ),
    }
  }
  const [lp, provider] = [ofRole('lp'), ofRole('provider')]
  const [deposits, withdrawn] = [lp.deposits + provider.deposits, lp.withdrawn + provider.withdrawn]
  return { now, lp, provider, deposits, withdrawn }
}
