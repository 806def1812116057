import { isClaimable, isLocked, isOwn, periodAt } from './value.ts'
import type { Ledger, Transaction } from './vault.ts'

/** What somebody asks of a vault: a deposit says an amount, a withdrawal says shares. */
export type Wish = Pick<
  Transaction,
  'wallet' | 'role' | 'type' | 'account' | 'broker' | 'nonce' | 'chainId'
> & { readonly size: number }

/** Puts a request into the line of those that the end of the period executes. */
export function enqueue(ledger: Ledger, { size, ...wish }: Wish, atMs: number): Transaction {
  const isDeposit = wish.type === 'deposit'
  const transaction: Transaction = {
    ...wish,
    id: nextId(ledger),
    requestedAtMs: atMs,
    period: periodAt(ledger, atMs),
    shares: isDeposit ? 0 : size,
    amount: isDeposit ? size : 0,
    executedAtMs: 0,
    claimedAtMs: 0,
  }
  ledger.open.push(transaction)
  return transaction
}

/** Divides a withdrawal that waits: the first part is answered, the rest stays in its place in the line. */
export function divide(ledger: Ledger, whole: Transaction, shares: number): Transaction {
  const part = { ...whole, id: nextId(ledger), shares }
  ledger.open.splice(ledger.open.indexOf(whole), 0, part)
  whole.shares -= shares
  return part
}

/** Hands out what a wallet can claim; answers the withdrawals that are over by that. */
export function claim(
  ledger: Ledger,
  of: Pick<Transaction, 'wallet' | 'role'>,
  atMs: number,
): Transaction[] {
  return finish(ledger, (transaction) => {
    if (!isClaimable(transaction) || !isOwn(transaction, of)) return false
    transaction.claimedAtMs = atMs
    return true
  })
}

/** Takes what is over out of the line: deposits whose lock has ended, and what was paid or given back. */
export function settleOpen(ledger: Ledger, atMs: number): Transaction[] {
  return finish(ledger, (transaction) => {
    if (transaction.claimedAtMs > 0) return true
    const { type, executedAtMs } = transaction
    return type === 'deposit' && executedAtMs > 0 && !isLocked(transaction, atMs)
  })
}

function finish({ open }: Ledger, isOver: (transaction: Transaction) => boolean): Transaction[] {
  const over: Transaction[] = []
  const left: Transaction[] = []
  for (const transaction of open) (isOver(transaction) ? over : left).push(transaction)
  open.splice(0, open.length, ...left)
  return over
}

function nextId(ledger: Ledger): number {
  ledger.sequence += 1
  return ledger.sequence
}
