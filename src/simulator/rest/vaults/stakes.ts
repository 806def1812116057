import { keccakOfText } from '../../../core/crypto/keccak.ts'
import { RATE_ONE, safeMulDiv, sumBy } from '../../base/units.ts'
import {
  latestIn,
  matchesQuery,
  queryText,
  requiredQuery,
  shapedPage,
} from '../../messages/page.ts'
import type { VenueCall } from '../../messages/row.ts'
import { wireRate, wireUsdc } from '../../messages/values.ts'
import {
  isLocked,
  isPending,
  type Owner,
  ownerStake,
  ownerTransactions,
  performanceFees,
  sampleAt,
  stakePnl,
  type Transaction,
  type VaultBook,
  vaultProvider,
  withdrawableShares,
} from '../../vaults/book.ts'
import { VAULT_RULES } from '../../vaults/terms.ts'
import { periodAt, periodStartMs } from '../../vaults/vault.ts'
import { bookIn, walletIn } from './query.ts'

/** The stakes of a wallet in one vault or in all vaults, one row per vault in which the wallet has a stake. */
export function lpInfo(books: readonly VaultBook[], call: VenueCall) {
  const chosen = queryText(call.query, 'vault_id') === null ? books : [bookIn(books, call.query)]
  const owner = { role: 'lp', wallet: walletIn(call) } as const
  const rows = chosen.flatMap((book) => {
    const { nav, idle, shares, basis, paidIn } = ownerStake(book, owner)
    if (paidIn === 0 && idle === 0) return []
    return {
      vault_id: book.vault.id,
      lp_nav: wireUsdc(nav),
      lp_tvl: wireUsdc(nav + idle),
      total_main_shares: wireUsdc(shares),
      available_main_shares: wireUsdc(withdrawableShares(book, owner)),
      potential_pnl: wireUsdc(nav - basis),
      total_performance_fees: totalFees(book, owner),
    }
  })
  return { rows }
}

/** The figures of the vault's provider; 0 for any other wallet. */
export function providerInfo(book: VaultBook, owner: Owner) {
  const stake = ownerStake(book, owner)
  const { nav, idle, shares, basis } = stake
  const { strategyShares, nav: all } = sampleAt(book, book.nowMs)
  const kept = (whole: number) => safeMulDiv(whole, VAULT_RULES.providerSharesMin, RATE_ONE, 'ceil')
  const available = Math.min(withdrawableShares(book, owner), shares - kept(strategyShares))
  return {
    sp_nav: wireUsdc(nav),
    sp_tvl: wireUsdc(nav + idle),
    sp_total_strategy_shares: wireUsdc(shares),
    sp_strategy_shares_pct: wireRate(safeMulDiv(shares, RATE_ONE, strategyShares, 'floor')),
    available_strategy_shares: wireUsdc(Math.max(0, available)),
    sp_lifetime_net_pnl: wireUsdc(stakePnl(stake)),
    potential_pnl: wireUsdc(nav - basis),
    sp_reserved_collateral: wireUsdc(owner.wallet === vaultProvider(book).wallet ? kept(all) : 0),
    sp_min_shares_pct: wireRate(VAULT_RULES.providerSharesMin),
    total_performance_fees: totalFees(book, owner),
  }
}

function totalFees(book: VaultBook, owner: Owner) {
  return wireUsdc(sumBy(performanceFees(book, owner), ({ amount }) => amount))
}

/** The claimable amount on a chain. It is 0, because accounts are paid at once and public wallets never withdraw. */
export function claimInfo(_book: VaultBook, _owner: Owner, { query }: VenueCall) {
  requiredQuery(query, 'chain_id')
  return { claimable_amount: 0 }
}

/** A page of the fees that a stake has paid, latest first. */
export function feesHistory(book: VaultBook, owner: Owner, { query }: VenueCall) {
  const chosen = latestIn(performanceFees(book, owner), query)
  const { meta, rows } = shapedPage(chosen, query, ({ atMs, shares, amount }) => ({
    created_time: atMs,
    period_number: periodAt(book.vault, atMs) - 1,
    type: 'performance_fee',
    shares_change: wireUsdc(shares),
    amount_change: wireUsdc(amount),
  }))
  return { meta, data: { rows } }
}

/** A page of a wallet's deposits and withdrawals, latest first. */
export function transactionHistory(book: VaultBook, owner: Owner, { query }: VenueCall) {
  const chosen = ownerTransactions(book, owner).filter((each) =>
    matchesQuery(query, {
      type: each.type,
      chain_id: each.chainId,
      source: transactionSource(each),
    }),
  )
  return shapedPage(chosen.reverse(), query, (each) => transactionRow(book, each))
}

function transactionRow({ vault, nowMs }: VaultBook, transaction: Transaction) {
  const { id, type, account, executedAtMs, shares, amount } = transaction
  const isWaiting = isPending(transaction)
  const isDeposit = type === 'deposit'
  const period = periodAt(vault, transaction.atMs)
  const periodEndMs = periodStartMs(vault, period + 1)
  return {
    created_time: transaction.atMs,
    period_number: period,
    type,
    source: transactionSource(transaction),
    status: transactionStatus(transaction, nowMs),
    est_assign_period_time: isWaiting ? periodEndMs : null,
    unlock_time: isLocked(transaction, nowMs) ? executedAtMs + VAULT_RULES.lockMs : null,
    est_claim_time: isWaiting && !isDeposit ? periodEndMs : null,
    chain_id: transaction.chainId,
    txn_hash: account === null ? keccakOfText(`${vault.id}/${id}`) : null,
    txn_hash_claim: null,
    shares_change: isDeposit && isWaiting ? null : wireUsdc(shares),
    amount_change: !isDeposit && isWaiting ? null : wireUsdc(amount),
    transaction_nonce: transaction.nonce,
  }
}

function transactionStatus(transaction: Transaction, nowMs: number) {
  if (isPending(transaction)) return 'pending'
  if (transaction.type === 'withdrawal') return 'claimed'
  return isLocked(transaction, nowMs) ? 'locked' : 'available'
}

function transactionSource({ broker }: Transaction): string {
  return broker ?? 'wallet'
}
