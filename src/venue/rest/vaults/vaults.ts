import { DAY_MS, HOUR_MS } from '../../../spec/durations.ts'
import { ONE } from '../../base/units.ts'
import type { VenueState } from '../../exchange/state.ts'
import { NO_VAULT } from '../../listing/chains.ts'
import { amountOf, rateOf } from '../../messages/number.ts'
import { queryText } from '../../messages/page.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { booksOf } from '../../vaults/ask.ts'
import type { Book } from '../../vaults/book.ts'
import type { Role } from '../../vaults/request.ts'
import { holdingOf, pnlOf, providerOf, type Sample, sampleAt } from '../../vaults/stakes.ts'
import { VAULT_RULES } from '../../vaults/terms.ts'
import { HOME_CHAINS } from '../../vaults/vault.ts'
import type { PriceThen } from '../positions/shapes.ts'
import { DEFAULT_BROKER } from '../public/platform.ts'
import { fundRows } from './fund.ts'
import { performanceRows } from './performance.ts'
import { PATH, samplesOf, walletOf } from './query.ts'
import { requestRows } from './requests.ts'
import { stakeRows } from './stakes.ts'
import { tradingRows } from './trading.ts'

/** The paths of strategy vaults. */
export function vaultRows({
  exchange: { simulation, accounts },
  priceThen,
}: {
  readonly exchange: VenueState
  readonly priceThen: PriceThen
}): readonly VenueRow[] {
  const parts = { simulation, accounts, priceThen }
  const books = () => booksOf(simulation().engine.world)
  return [
    publicRead(`${PATH}/vault/info`, (call) => vaults(books(), call)),
    publicRead(`${PATH}/vault/overall_info`, () => ({ rows: [overall(books())] })),
    publicRead(`${PATH}/user/overall_info`, ({ query }) => ({
      rows: [ofWallet(books(), walletOf(query))],
    })),
    ...performanceRows(parts),
    ...tradingRows(parts),
    ...stakeRows(parts),
    ...fundRows(parts),
    ...requestRows(parts),
  ]
}

/** Every builder offers every vault, so the vaults are of the builder that asks. */
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
  const { vault, nowMs, periods } = book
  const now = sampleAt(book, nowMs)
  const recent = samplesOf(book, DAY_MS, nowMs - MONTH_MS + DAY_MS)
  const lowest = recent.reduce((low, sample) => (sample.main < low.main ? sample : low), now)
  const isBelowHighWater = now.main < (periods.at(-1)?.highWater ?? ONE)
  return {
    tvl: amountOf(now.nav + now.idle),
    valid_hpr: recent.length - 1,
    '30d_apy': yearly(recent[0], now),
    recovery_30d_apy: isBelowHighWater ? yearly(lowest, now) : 0,
    vault_lifetime_net_pnl: amountOf(pnlOf(now)),
    lp_counts: investorsOf(book),
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

function investorsOf({ holders }: Book): number {
  return [...holders.values()].filter((shares) => shares > 0).length
}

function overall(books: readonly Book[]) {
  const samples = books.map((book) => sampleAt(book, book.nowMs))
  return {
    strategy_vaults_tvl: amountOf(sumOf(samples, ({ nav, idle }) => nav + idle)),
    strategy_vaults_lifetime_net_pnl: amountOf(sumOf(samples, pnlOf)),
    strategy_vaults_count: books.length,
    strategy_vaults_lp_count: sumOf(books, investorsOf),
  }
}

/** The figures of all stakes of one wallet. */
function ofWallet(books: readonly Book[], wallet: string) {
  const [lp, sp] = [totalsOf(books, 'lp', wallet), totalsOf(books, 'provider', wallet)]
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

function totalsOf(books: readonly Book[], role: Role, wallet: string) {
  const holdings = books.map((book) => holdingOf(book, { role, wallet }))
  const tvlOf = (holding: (typeof holdings)[number]) => holding.nav + holding.idle
  return {
    tvl: sumOf(holdings, tvlOf),
    pnl: sumOf(holdings, pnlOf),
    count: holdings.filter((holding) => tvlOf(holding) > 0).length,
  }
}

function sumOf<T>(rows: readonly T[], figureOf: (row: T) => number): number {
  return rows.reduce((sum, row) => sum + figureOf(row), 0)
}
