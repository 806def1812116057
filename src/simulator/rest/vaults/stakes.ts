import { keccakOfText } from '../../../core/crypto/keccak.ts'
import { mulDiv, ONE, sumOf } from '../../base/units.ts'
import { isAsked, latestIn, queryText, requiredQuery, shapedPage } from '../../messages/page.ts'
import type { VenueCall } from '../../messages/row.ts'
import { amountOf, rateOf } from '../../messages/values.ts'
import {
  availableOf,
  type Book,
  feesOf,
  isLocked,
  isPending,
  type Owner,
  pnlOf,
  providerOf,
  sampleAt,
  stakeOf,
  type Transaction,
  transactionsOf,
} from '../../vaults/book.ts'
import { VAULT_RULES } from '../../vaults/terms.ts'
import { periodAt, periodStartMs } from '../../vaults/vault.ts'
import { bookIn, walletIn } from './query.ts'

/** The stakes of a wallet, one row per vault in which it has something; in one vault or in all. */
export function lpInfo(books: readonly Book[], call: VenueCall) {
  const chosen = queryText(call.query, 'vault_id') === null ? books : [bookIn(books, call.query)]
  const owner = { role: 'lp', wallet: walletIn(call) } as const
  const rows = chosen.flatMap((book) => {
    const { nav, idle, shares, basis, paidIn } = stakeOf(book, owner)
    if (paidIn === 0 && idle === 0) return []
    return {
      vault_id: book.vault.id,
      lp_nav: amountOf(nav),
      lp_tvl: amountOf(nav + idle),
      total_main_shares: amountOf(shares),
      available_main_shares: amountOf(availableOf(book, owner)),
      potential_pnl: amountOf(nav - basis),
      total_performance_fees: totalFees(book, owner),
    }
  })
  return { rows }
}

/** The figures of the vault's provider; zeros for any other wallet. */
export function providerInfo(book: Book, owner: Owner) {
  const stake = stakeOf(book, owner)
  const { nav, idle, shares, basis } = stake
  const { strategyShares, nav: all } = sampleAt(book, book.nowMs)
  const kept = (whole: number) => mulDiv(whole, VAULT_RULES.providerSharesMin, ONE, 'ceil')
  const available = Math.min(availableOf(book, owner), shares - kept(strategyShares))
  return {
    sp_nav: amountOf(nav),
    sp_tvl: amountOf(nav + idle),
    sp_total_strategy_shares: amountOf(shares),
    sp_strategy_shares_pct: rateOf(mulDiv(shares, ONE, strategyShares, 'floor')),
    available_strategy_shares: amountOf(Math.max(0, available)),
    sp_lifetime_net_pnl: amountOf(pnlOf(stake)),
    potential_pnl: amountOf(nav - basis),
    sp_reserved_collateral: amountOf(owner.wallet === providerOf(book).wallet ? kept(all) : 0),
    sp_min_shares_pct: rateOf(VAULT_RULES.providerSharesMin),
    total_performance_fees: totalFees(book, owner),
  }
}

function totalFees(book: Book, owner: Owner) {
  return amountOf(sumOf(feesOf(book, owner), ({ amount }) => amount))
}

/**
 * The claimable amount on a chain. It is zero, because accounts are paid at once and public wallets make no
 * withdrawals.
 */
export function claimInfo(_book: Book, _owner: Owner, { query }: VenueCall) {
  requiredQuery(query, 'chain_id')
  return { claimable_amount: 0 }
}

/** A page of the fees of a stake, the latest first. */
export function feesHistory(book: Book, owner: Owner, { query }: VenueCall) {
  const chosen = latestIn(feesOf(book, owner), query)
  const { meta, rows } = shapedPage(chosen, query, ({ atMs, shares, amount }) => ({
    created_time: atMs,
    period_number: periodAt(book.vault, atMs) - 1,
    type: 'performance_fee',
    shares_change: amountOf(shares),
    amount_change: amountOf(amount),
  }))
  return { meta, data: { rows } }
}

/** A page of a wallet's deposits and withdrawals, the latest first. */
export function transactionHistory(book: Book, owner: Owner, { query }: VenueCall) {
  const chosen = transactionsOf(book, owner).filter((each) =>
    isAsked(query, { type: each.type, chain_id: each.chainId, source: sourceOf(each) }),
  )
  return shapedPage(chosen.reverse(), query, (each) => transactionRow(book, each))
}

function transactionRow({ vault, nowMs }: Book, transaction: Transaction) {
  const { id, type, account, executedAtMs, shares, amount } = transaction
  const isWaiting = isPending(transaction)
  const isDeposit = type === 'deposit'
  const period = periodAt(vault, transaction.atMs)
  const periodEndMs = periodStartMs(vault, period + 1)
  return {
    created_time: transaction.atMs,
    period_number: period,
    type,
    source: sourceOf(transaction),
    status: statusOf(transaction, nowMs),
    est_assign_period_time: isWaiting ? periodEndMs : null,
    unlock_time: isLocked(transaction, nowMs) ? executedAtMs + VAULT_RULES.lockMs : null,
    est_claim_time: isWaiting && !isDeposit ? periodEndMs : null,
    chain_id: transaction.chainId,
    txn_hash: account === null ? keccakOfText(`${vault.id}/${id}`) : null,
    txn_hash_claim: null,
    shares_change: isDeposit && isWaiting ? null : amountOf(shares),
    amount_change: !isDeposit && isWaiting ? null : amountOf(amount),
    transaction_nonce: transaction.nonce,
  }
}

function statusOf(transaction: Transaction, nowMs: number) {
  if (isPending(transaction)) return 'pending'
  if (transaction.type === 'withdrawal') return 'claimed'
  return isLocked(transaction, nowMs) ? 'locked' : 'available'
}

function sourceOf({ broker }: Transaction): string {
  return broker ?? 'wallet'
}
