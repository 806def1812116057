import { keccakOfText } from '../../../crypto/keccak.ts'
import { VAULT_RULES } from '../../engine/vaults/terms.ts'
import { isLocked, periodAt, periodStartMs } from '../../engine/vaults/value.ts'
import type { Role, Transaction, Vault } from '../../engine/vaults/vault.ts'
import { pageOf, queryText } from '../../wire/page.ts'
import type { VenueCall } from '../../wire/row.ts'
import { amountOf } from '../figures.ts'
import { requestsOf } from './history.ts'
import { vaultOf, walletOf } from './lookup.ts'
import type { VaultParts } from './parts.ts'

/** A page of a wallet's deposits and withdrawals in one vault, the latest first. */
export function transactionPage(
  { floor, histories }: VaultParts,
  role: Role,
  { query, nowMs }: VenueCall,
) {
  const vault = vaultOf(floor(), query)
  const wanted = (name: string, value: string) => {
    const text = queryText(query, name)
    return text === null || text === value
  }
  const chosen = requestsOf(histories(vault, nowMs), role, walletOf(query)).filter(
    (each) =>
      wanted('type', each.type) &&
      wanted('chain_id', each.chainId) &&
      wanted('source', sourceOf(each)),
  )
  const { meta, rows } = pageOf(chosen, query)
  return { meta, rows: rows.map((each) => transactionRow(vault, each, nowMs)) }
}

function transactionRow(vault: Vault, transaction: Transaction, nowMs: number) {
  const { id, type, account, nonce, executedAtMs, claimedAtMs, shares, amount } = transaction
  const isWaiting = executedAtMs === 0
  const status = statusOf(transaction, nowMs)
  const periodEndMs = periodStartMs(vault.ledger, periodAt(vault.ledger, nowMs) + 1)
  const isOnChain = account === null
  return {
    created_time: transaction.requestedAtMs,
    period_number: transaction.period,
    type,
    source: sourceOf(transaction),
    status,
    est_assign_period_time: isWaiting ? periodEndMs : null,
    unlock_time: status === 'locked' ? executedAtMs + VAULT_RULES.lockMs : null,
    est_claim_time: isWaiting && type === 'withdrawal' ? periodEndMs : null,
    chain_id: transaction.chainId,
    txn_hash: isOnChain ? keccakOfText(`${vault.id}/${id}`) : null,
    txn_hash_claim: isOnChain && claimedAtMs > 0 ? keccakOfText(`${vault.id}/${id}/claim`) : null,
    shares_change: type === 'deposit' && isWaiting ? null : amountOf(shares),
    amount_change: type === 'withdrawal' && isWaiting ? null : amountOf(amount),
    transaction_nonce: nonce,
  }
}

type TransactionStatus = 'pending' | 'locked' | 'available' | 'claimable' | 'claimed'

export function statusOf(transaction: Transaction, nowMs: number): TransactionStatus {
  const { type, executedAtMs } = transaction
  if (executedAtMs === 0) return 'pending'
  if (transaction.claimedAtMs > 0) return 'claimed'
  if (type === 'withdrawal') return 'claimable'
  return isLocked(transaction, nowMs) ? 'locked' : 'available'
}

function sourceOf({ broker }: Transaction): string {
  return broker ?? 'wallet'
}
