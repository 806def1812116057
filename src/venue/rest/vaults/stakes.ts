import { keccakOfText } from '../../../crypto/keccak.ts'
import { mulDiv, ONE, sumOf } from '../../base/units.ts'
import { isAsked, latestIn, queryText, requiredQuery, shapedPage } from '../../messages/page.ts'
import type { VenueCall, VenueRow } from '../../messages/row.ts'
import { amountOf, rateOf } from '../../messages/values.ts'
import {
  type Book,
  isLocked,
  isPending,
  pnlOf,
  sampleAt,
  type Transaction,
} from '../../vaults/book.ts'
import {
  availableOf,
  feesOf,
  type Owner,
  providerOf,
  stakeOf,
  transactionsOf,
} from '../../vaults/stakes.ts'
import { VAULT_RULES } from '../../vaults/terms.ts'
import { periodAt, periodStartMs, type Vault } from '../../vaults/vault.ts'
import { bookIn, oneVaultReads, type VaultParts, vaultReads, walletOf } from './query.ts'

/** The stakes of wallets in vaults, as liquidity providers and as providers. */
export function stakeRows(parts: VaultParts): readonly VenueRow[] {
  const ofRole = (part: 'lp' | 'sp') => {
    const of = (answer: (book: Book, owner: Owner, call: VenueCall) => unknown) => {
      const role = part === 'lp' ? 'lp' : 'provider'
      return (book: Book, call: VenueCall) =>
        answer(book, { role, wallet: walletOf(call.query) }, call)
    }
    const fees = oneVaultReads(parts, { [`${part}/fees_history`]: of(feesHistory) })
    return [
      ...oneVaultReads(parts, {
        [`${part}/transaction_history`]: of(transactions),
        [`${part}/claim_info`]: of(claimInfo),
        ...(part === 'sp' && { 'sp/info': of(providerInfo) }),
      }),
      ...fees.map((row) => ({ ...row, envelope: 'data_and_meta' as const })),
    ]
  }
  return [
    ...vaultReads(parts, {
      'lp/info': (books, { query }) => {
        const chosen = queryText(query, 'vault_id') === null ? books : [bookIn(books, query)]
        return { rows: chosen.flatMap((book) => lpRow(book, walletOf(query))) }
      },
    }),
    ...ofRole('lp'),
    ...ofRole('sp'),
  ]
}

/** No row for a wallet that has nothing in the vault. */
function lpRow(book: Book, wallet: string) {
  const owner = { role: 'lp', wallet } as const
  const { nav, idle, shares, basis, paidIn } = stakeOf(book, owner)
  if (paidIn === 0 && idle === 0) return []
  return [
    {
      vault_id: book.vault.id,
      lp_nav: amountOf(nav),
      lp_tvl: amountOf(nav + idle),
      total_main_shares: amountOf(shares),
      available_main_shares: amountOf(availableOf(book, owner)),
      potential_pnl: amountOf(nav - basis),
      total_performance_fees: amountOf(sumOf(feesOf(book, owner), ({ amount }) => amount)),
    },
  ]
}

/** Zeros for a wallet that is not the vault's provider. */
function providerInfo(book: Book, owner: Owner) {
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
    sp_reserved_collateral: amountOf(owner.wallet === providerOf(book) ? kept(all) : 0),
    sp_min_shares_pct: rateOf(VAULT_RULES.providerSharesMin),
    total_performance_fees: amountOf(sumOf(feesOf(book, owner), ({ amount }) => amount)),
  }
}

function claimInfo(book: Book, owner: Owner, { query }: VenueCall) {
  const chainId = requiredQuery(query, 'chain_id')
  const claimable = transactionsOf(book, owner).filter(
    (each) => each.chainId === chainId && statusOf(each, book.nowMs) === 'claimable',
  )
  return { claimable_amount: amountOf(sumOf(claimable, ({ amount }) => amount)) }
}

function feesHistory(book: Book, owner: Owner, { query }: VenueCall) {
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
function transactions(book: Book, owner: Owner, { query, nowMs }: VenueCall) {
  const chosen = transactionsOf(book, owner).filter((each) =>
    isAsked(query, { type: each.type, chain_id: each.chainId, source: sourceOf(each) }),
  )
  return shapedPage(chosen.reverse(), query, (each) => transactionRow(book.vault, each, nowMs))
}

function transactionRow(vault: Vault, transaction: Transaction, nowMs: number) {
  const { id, type, account, nonce, executedAtMs, claimedAtMs, shares, amount } = transaction
  const status = statusOf(transaction, nowMs)
  const isWaiting = isPending(transaction)
  const isDeposit = type === 'deposit'
  const period = periodAt(vault, transaction.atMs)
  const periodEndMs = periodStartMs(vault, period + 1)
  const hash = (part = '') => keccakOfText(`${vault.id}/${id}${part}`)
  return {
    created_time: transaction.atMs,
    period_number: period,
    type,
    source: sourceOf(transaction),
    status,
    est_assign_period_time: isWaiting ? periodEndMs : null,
    unlock_time: status === 'locked' ? executedAtMs + VAULT_RULES.lockMs : null,
    est_claim_time: isWaiting && !isDeposit ? periodEndMs : null,
    chain_id: transaction.chainId,
    txn_hash: account === null ? hash() : null,
    txn_hash_claim: account === null && claimedAtMs > 0 ? hash('/claim') : null,
    shares_change: isDeposit && isWaiting ? null : amountOf(shares),
    amount_change: !isDeposit && isWaiting ? null : amountOf(amount),
    transaction_nonce: nonce,
  }
}

/** The state of a transaction on the wire. */
function statusOf(transaction: Transaction, nowMs: number) {
  if (isPending(transaction)) return 'pending'
  if (transaction.claimedAtMs > 0) return 'claimed'
  if (transaction.type === 'withdrawal') return 'claimable'
  return isLocked(transaction, nowMs) ? 'locked' : 'available'
}

function sourceOf({ broker }: Transaction): string {
  return broker ?? 'wallet'
}
