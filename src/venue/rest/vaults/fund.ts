import { HOUR_MS } from '../../../spec/durations.ts'
import { mulDiv, ONE } from '../../base/units.ts'
import { amountOf, rateOf } from '../../messages/number.ts'
import { pageOf, queryText } from '../../messages/page.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../messages/row.ts'
import type { Book } from '../../vaults/book.ts'
import type { Role } from '../../vaults/request.ts'
import { pendingOf, pnlOf, sampleAt } from '../../vaults/stakes.ts'
import { VAULT_RULES } from '../../vaults/terms.ts'
import { periodAt, periodStartMs } from '../../vaults/vault.ts'
import { DEFAULT_BROKER } from '../public/platform.ts'
import { bookIn, PATH, type VaultParts, walletOf } from './query.ts'

/** The fund that trades for a vault: each vault has one. The wallet in the query is checked, and changes nothing. */
export function fundRows(parts: VaultParts): readonly VenueRow[] {
  const row = (name: string, answer: (book: Book, call: VenueCall) => unknown) =>
    publicRead(`${PATH}/fund/${name}`, (call) => {
      walletOf(call.query)
      return answer(bookIn(parts, call.query), call)
    })
  return [
    row('info', fundInfo),
    row('period_info', periods),
    row('pending_transactions', pendingTransactions),
  ]
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

/** The running period with what is pending in it, and those before it, the latest first. */
function periods(book: Book, { query, nowMs }: VenueCall) {
  const { vault } = book
  const { deposits, withdrawn } = pendingIn(book)
  const current = { number: periodAt(vault, nowMs), deposited: deposits, withdrawn }
  const number = queryText(query, 'period_number')
  const chosen = [current, ...book.periods.toReversed()].filter(
    (row) => number === null || String(row.number) === number,
  )
  const { meta, rows } = pageOf(chosen, query)
  return {
    meta,
    rows: rows.map((row) => ({
      period_number: row.number,
      start_time: periodStartMs(vault, row.number),
      end_time: periodStartMs(vault, row.number + 1),
      total_deposit_amount: amountOf(row.deposited),
      total_withdrawal_amount: amountOf(row.withdrawn),
    })),
  }
}

function pendingTransactions(book: Book) {
  const { lp, provider, deposits, withdrawn, now } = pendingIn(book)
  return {
    // There is one fund, and all of a vault's money goes to it.
    est_fund_allocation_pct: 1,
    total_pending_deposit_amount: amountOf(deposits),
    lp_pending_deposit_amount: amountOf(lp.deposits),
    sp_pending_deposit_amount: amountOf(provider.deposits),
    fund_pending_deposit_amount: amountOf(deposits),
    fund_pending_withdrawal_amount: amountOf(withdrawn),
    total_pending_withdrawal_main_share: amountOf(lp.withdrawals),
    est_main_share_price: rateOf(now.main),
    total_pending_withdrawal_strategy_share: amountOf(provider.withdrawals),
    est_strategy_share_price: rateOf(now.strategy),
  }
}

/** What is pending until the period ends: USDC to come in, shares to be given back, and their value now. */
function pendingIn(book: Book) {
  const now = sampleAt(book, book.nowMs)
  const ofRole = (role: Role) => ({
    deposits: pendingOf(book, 'deposit', role),
    withdrawals: pendingOf(book, 'withdrawal', role),
  })
  const [lp, provider] = [ofRole('lp'), ofRole('provider')]
  const withdrawn =
    mulDiv(lp.withdrawals, now.main, ONE, 'floor') +
    mulDiv(provider.withdrawals, now.strategy, ONE, 'floor')
  return { now, lp, provider, deposits: lp.deposits + provider.deposits, withdrawn }
}
