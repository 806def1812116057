import { HOUR_MS } from '../../../contract/durations.ts'
import { sumBy } from '../../base/units.ts'
import { queryText, shapedPage } from '../../messages/page.ts'
import type { VenueCall } from '../../messages/row.ts'
import { wireRate, wireUsdc } from '../../messages/values.ts'
import {
  amountAt,
  isPending,
  sampleAt,
  stakePnl,
  type Transaction,
  type VaultBook,
} from '../../vaults/book.ts'
import { VAULT_RULES } from '../../vaults/terms.ts'
import { periodAt, periodStartMs, type Role } from '../../vaults/vault.ts'
import { DEFAULT_BROKER } from '../public/platform.ts'
import { ofVault, type VaultAnswer, walletIn } from './query.ts'

/** An answer about a vault's only fund. A wallet in the query must be valid but does not change the answer. */
export function ofFund(answer: (book: VaultBook, call: VenueCall) => unknown): VaultAnswer {
  return ofVault((book, call) => {
    walletIn(call)
    return answer(book, call)
  })
}

/** The current state of the fund and of its running period. */
export function fundInfo(book: VaultBook) {
  const { vault, nowMs } = book
  const now = sampleAt(book, nowMs)
  const period = periodAt(vault, nowMs)
  return {
    fund_nav: wireUsdc(now.nav),
    fund_lifetime_net_pnl: wireUsdc(stakePnl(now)),
    fund_total_strategy_shares: wireUsdc(now.strategyShares),
    est_strategy_share_price: wireRate(now.strategy),
    broker_id: DEFAULT_BROKER,
    current_period_number: period,
    period_start_time: periodStartMs(vault, period),
    period_end_time: periodStartMs(vault, period + 1),
    period_duration: VAULT_RULES.periodMs / HOUR_MS,
    performance_fee_rate: wireRate(vault.terms.feeRate),
  }
}

/** All periods with their requests, newest first. */
export function periodInfo(book: VaultBook, { query }: VenueCall) {
  const { vault, transactions } = book
  const number = queryText(query, 'period_number')
  const chosen = [...book.prices.keys()]
    .reverse()
    .filter((period) => number === null || String(period) === number)
  return shapedPage(chosen, query, (period) => {
    const own = transactions.filter(({ atMs }) => periodAt(vault, atMs) === period)
    const { deposits, withdrawn } = totalsIn(book, own)
    return {
      period_number: period,
      start_time: periodStartMs(vault, period),
      end_time: periodStartMs(vault, period + 1),
      total_deposit_amount: wireUsdc(deposits),
      total_withdrawal_amount: wireUsdc(withdrawn),
    }
  })
}

/** The requests that are executed when the period ends. */
export function pendingTransactions(book: VaultBook) {
  const waiting = book.transactions.filter((each) => isPending(each))
  const { lp, provider, deposits, withdrawn, now } = totalsIn(book, waiting)
  return {
    // A vault has a single fund, which gets all its money.
    est_fund_allocation_pct: 1,
    total_pending_deposit_amount: wireUsdc(deposits),
    lp_pending_deposit_amount: wireUsdc(lp.deposits),
    sp_pending_deposit_amount: wireUsdc(provider.deposits),
    fund_pending_deposit_amount: wireUsdc(deposits),
    fund_pending_withdrawal_amount: wireUsdc(withdrawn),
    total_pending_withdrawal_main_share: wireUsdc(lp.shares),
    est_main_share_price: wireRate(now.main),
    total_pending_withdrawal_strategy_share: wireUsdc(provider.shares),
    est_strategy_share_price: wireRate(now.strategy),
  }
}

/** The sums of deposits and withdrawals, in USDC and in shares. Pending shares count at the current price. */
function totalsIn(book: VaultBook, transactions: readonly Transaction[]) {
  const now = sampleAt(book, book.nowMs)
  const ofRole = (role: Role) => {
    const own = transactions.filter((each) => each.role === role)
    const [deposited, asked] = [
      own.filter(({ type }) => type === 'deposit'),
      own.filter(({ type }) => type === 'withdrawal'),
    ]
    return {
      deposits: sumBy(deposited, ({ amount }) => amount),
      shares: sumBy(asked, ({ shares }) => shares),
      withdrawn: sumBy(asked, (each) =>
        isPending(each) ? amountAt(each.shares, now.main) : each.amount,
      ),
    }
  }
  const [lp, provider] = [ofRole('lp'), ofRole('provider')]
  const [deposits, withdrawn] = [lp.deposits + provider.deposits, lp.withdrawn + provider.withdrawn]
  return { now, lp, provider, deposits, withdrawn }
}
