import { keccakOfText } from '../../../crypto/keccak.ts'
import { mulDiv, ONE } from '../../base/units.ts'
import { amountOf, rateOf } from '../../messages/number.ts'
import { pageOf, periodOf, queryText, requiredQuery } from '../../messages/page.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { booksOf } from '../../vaults/ask.ts'
import type { Book } from '../../vaults/book.ts'
import type { Role } from '../../vaults/request.ts'
import {
  holdingOf,
  pnlOf,
  providerOf,
  sampleAt,
  stakesOf,
  transactionsOf,
} from '../../vaults/stakes.ts'
import { VAULT_RULES } from '../../vaults/terms.ts'
import {
  availableOf,
  isLocked,
  periodAt,
  periodStartMs,
  type Transaction,
  type Vault,
} from '../../vaults/vault.ts'
import { bookIn, PATH, type VaultParts, walletOf } from './query.ts'

const ROLES = { lp: 'lp', sp: 'provider' } as const

/** The stakes of wallets in vaults, as liquidity providers and as providers. */
export function stakeRows(parts: VaultParts): readonly VenueRow[] {
  const both = (name: string, answer: StakeAnswer) =>
    (['lp', 'sp'] as const).map((part) =>
      publicRead(`${PATH}/${part}/${name}`, (call) => {
        const book = bookIn(parts, call.query)
        return answer(book, { role: ROLES[part], wallet: walletOf(call.query) }, call)
      }),
    )
  return [
    publicRead(`${PATH}/lp/info`, ({ query }) => {
      const isOne = queryText(query, 'vault_id') !== null
      const books = isOne ? [bookIn(parts, query)] : booksOf(parts.simulation().engine.world)
      return { rows: books.flatMap((book) => lpRow(book, walletOf(query))) }
    }),
    publicRead(`${PATH}/sp/info`, ({ query }) =>
      providerInfo(bookIn(parts, query), walletOf(query)),
    ),
    ...both('transaction_history', transactions),
    ...both('claim_info', claimInfo),
    ...both('fees_history', fees).map((row) => ({ ...row, envelope: 'data_and_meta' as const })),
  ]
}

type Owner = { readonly role: Role; readonly wallet: string }
type StakeAnswer = (book: Book, owner: Owner, call: VenueCall) => unknown

/** No row for a wallet that has nothing in the vault. */
function lpRow(book: Book, wallet: string) {
  const owner = { role: 'lp', wallet } as const
  const { nav, idle, shares, basis, paidIn, fees: borne } = holdingOf(book, owner)
  if (paidIn === 0 && idle === 0) return []
  const available = availableOf(transactionsOf(book, owner), owner, shares, book.nowMs)
  return [
    {
      vault_id: book.vault.id,
      lp_nav: amountOf(nav),
      lp_tvl: amountOf(nav + idle),
      total_main_shares: amountOf(shares),
      available_main_shares: amountOf(available),
      potential_pnl: amountOf(nav - basis),
      total_performance_fees: amountOf(borne),
    },
  ]
}

/** Zeros for a wallet that is not the vault's provider. */
function providerInfo(book: Book, wallet: string) {
  const owner = { role: 'provider', wallet } as const
  const holding = holdingOf(book, owner)
  const { nav, idle, shares, basis } = holding
  const { strategyShares, nav: all } = sampleAt(book, book.nowMs)
  const open = transactionsOf(book, owner)
  const reserved = mulDiv(all, VAULT_RULES.providerSharesMin, ONE, 'ceil')
  return {
    sp_nav: amountOf(nav),
    sp_tvl: amountOf(nav + idle),
    sp_total_strategy_shares: amountOf(shares),
    sp_strategy_shares_pct: rateOf(
      strategyShares === 0 ? 0 : mulDiv(shares, ONE, strategyShares, 'floor'),
    ),
    available_strategy_shares: amountOf(
      availableOf(open, owner, shares, book.nowMs, strategyShares),
    ),
    sp_lifetime_net_pnl: amountOf(pnlOf(holding)),
    potential_pnl: amountOf(nav - basis),
    sp_reserved_collateral: amountOf(wallet === providerOf(book) ? reserved : 0),
    sp_min_shares_pct: rateOf(VAULT_RULES.providerSharesMin),
    total_performance_fees: amountOf(holding.fees),
  }
}

function claimInfo(book: Book, owner: Owner, { query }: VenueCall) {
  const chainId = requiredQuery(query, 'chain_id')
  const claimable = transactionsOf(book, owner)
    .filter((each) => each.chainId === chainId && statusOf(each, book.nowMs) === 'claimable')
    .reduce((sum, { amount }) => sum + amount, 0)
  return { claimable_amount: amountOf(claimable) }
}

function fees(book: Book, owner: Owner, { query }: VenueCall) {
  const isWithin = periodOf(query)
  const chosen = stakesOf(book, owner).flatMap(({ atMs, fee }) =>
    fee && isWithin(atMs) ? { atMs, fee } : [],
  )
  const { meta, rows } = pageOf(chosen.reverse(), query)
  return {
    meta,
    data: {
      rows: rows.map(({ atMs, fee }) => ({
        created_time: atMs,
        period_number: periodAt(book.vault, atMs) - 1,
        type: 'performance_fee',
        shares_change: amountOf(fee.shares),
        amount_change: amountOf(fee.amount),
      })),
    },
  }
}

/** A page of a wallet's deposits and withdrawals, the latest first. */
function transactions(book: Book, owner: Owner, { query, nowMs }: VenueCall) {
  const isWanted = (name: string, value: string) => (queryText(query, name) ?? value) === value
  const chosen = transactionsOf(book, owner).filter(
    (each) =>
      isWanted('type', each.type) &&
      isWanted('chain_id', each.chainId) &&
      isWanted('source', sourceOf(each)),
  )
  const { meta, rows } = pageOf(chosen.reverse(), query)
  return { meta, rows: rows.map((each) => transactionRow(book.vault, each, nowMs)) }
}

function transactionRow(vault: Vault, transaction: Transaction, nowMs: number) {
  const { id, type, account, nonce, executedAtMs, claimedAtMs, shares, amount } = transaction
  const status = statusOf(transaction, nowMs)
  const isPending = status === 'pending'
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
    est_assign_period_time: isPending ? periodEndMs : null,
    unlock_time: status === 'locked' ? executedAtMs + VAULT_RULES.lockMs : null,
    est_claim_time: isPending && !isDeposit ? periodEndMs : null,
    chain_id: transaction.chainId,
    txn_hash: account === null ? hash() : null,
    txn_hash_claim: account === null && claimedAtMs > 0 ? hash('/claim') : null,
    shares_change: isDeposit && isPending ? null : amountOf(shares),
    amount_change: !isDeposit && isPending ? null : amountOf(amount),
    transaction_nonce: nonce,
  }
}

type TransactionStatus = 'pending' | 'locked' | 'available' | 'claimable' | 'claimed'

/** The state of a transaction on the wire. */
function statusOf(transaction: Transaction, nowMs: number): TransactionStatus {
  const { type, executedAtMs, claimedAtMs } = transaction
  if (executedAtMs === 0) return 'pending'
  if (claimedAtMs > 0) return 'claimed'
  if (type === 'withdrawal') return 'claimable'
  return isLocked(transaction, nowMs) ? 'locked' : 'available'
}

function sourceOf({ broker }: Transaction): string {
  return broker ?? 'wallet'
}
