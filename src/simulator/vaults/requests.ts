import { sumBy } from '../base/units.ts'
import { canWithdraw, USDC } from '../ledger/balances.ts'
import { checkAccountSolvency } from '../margin/solvency.ts'
import { accountAt, deposit } from '../state/accounts.ts'
import { plan } from '../state/queue.ts'
import { REJECTIONS, type Rejection } from '../state/rejections.ts'
import type { Account } from '../state/state.ts'
import type { EngineWorld, VaultRequest } from '../state/world.ts'
import {
  isPending,
  ownerStake,
  ownerTransactions,
  sampleAt,
  shareHolders,
  type VaultBook,
  type VaultWorld,
  vaultBooks,
  vaultProvider,
  withdrawableShares,
} from './book.ts'
import { VAULT_RULES } from './terms.ts'
import { periodAt, periodStartMs } from './vault.ts'

/** An account's request to a vault: micro-USDC to deposit, or micro-shares to withdraw. */
export type VaultInstruction = Omit<VaultRequest, 'role' | 'account' | 'atMs' | 'paid'>

/** Accepts a request. A deposit is deducted at once; a withdrawal is paid when the period ends. */
export function askVault(
  world: EngineWorld,
  account: Account,
  instruction: VaultInstruction,
  atMs: number,
): VaultRequest | Rejection {
  const book = vaultBooks(world)[instruction.vault]
  if (!book) throw new RangeError('no such vault')
  const of = { role: 'lp', account: account.number, atMs, paid: 0 } as const
  const request: VaultRequest = { ...instruction, ...of }
  const refused = requestRejection(world, book, account, request)
  if (refused) return refused
  if (request.type === 'deposit') {
    deposit(world.exchange, account, -request.size)
    checkAccountSolvency(world.exchange, account)
  } else {
    const endMs = periodStartMs(book.vault, periodAt(book.vault, atMs) + 1)
    plan(world.queue, endMs, 'vault', world.vaultRequests.length)
  }
  world.vaultRequests.push(request)
  return request
}

function requestRejection(
  world: EngineWorld,
  book: VaultBook,
  account: Account,
  request: VaultRequest,
): Rejection | null {
  const { size } = request
  const pending = ownerTransactions(book, request).filter((each) => isPending(each))
  if (pending.length >= VAULT_RULES.pendingMax) return REJECTIONS.vaultBusy
  if (request.type === 'deposit') {
    if (size < VAULT_RULES.depositMin) return REJECTIONS.vaultMin
    return canWithdraw(world, account, USDC, size) ? null : REJECTIONS.balance
  }
  const available = withdrawableShares(book, request)
  if (size > available) return REJECTIONS.shares
  return size < Math.min(VAULT_RULES.withdrawalMin, available) ? REJECTIONS.vaultMin : null
}

/** Pays an account for a withdrawal whose period has ended. */
export function payVault(world: EngineWorld, index: number): void {
  const request = world.vaultRequests[index]
  if (!request || request.account === null) return
  request.paid = withdrawalPayment(vaultBooks(world), request)
  const account = accountAt(world.exchange, request.account)
  deposit(world.exchange, account, request.paid)
  checkAccountSolvency(world.exchange, account)
}

/** The payment for a withdrawal in micro-USDC; 0 until its period has ended. */
function withdrawalPayment(
  books: readonly VaultBook[],
  { vault, type, wallet, nonce }: VaultRequest,
): number {
  if (type === 'deposit') return 0
  const own = books[vault]?.transactions.find(
    (each) => each.wallet === wallet && each.nonce === nonce,
  )
  return own?.amount ?? 0
}

/** The violated invariants of the vaults, one sentence each; empty for consistent vaults. Changes nothing. */
export function checkVaults(world: VaultWorld): string[] {
  const books = vaultBooks(world)
  const unpaid = world.vaultRequests.filter((each) => each.paid !== withdrawalPayment(books, each))
  return [
    ...unpaid.map(({ wallet }) => `${wallet} was not paid what its vault owes`),
    ...books.flatMap(checkBook),
  ]
}

/**
 * Checks that stakes hold all shares and are at least 0. Their values must add up to the vault's value minus at most
 * one micro-USDC per stake.
 */
function checkBook(book: VaultBook): string[] {
  const now = sampleAt(book, book.nowMs)
  const owners = shareHolders(book).map((wallet) => ({ role: 'lp', wallet }) as const)
  const stakes = [vaultProvider(book), ...owners].map((owner) => ownerStake(book, owner))
  const shares = sumBy(stakes, (each) => each.shares)
  const dust = now.nav - sumBy(stakes, ({ nav }) => nav)
  return [
    ...(shares === now.mainShares + now.providerShares ? [] : [`${shares} shares are held`]),
    ...(stakes.every((each) => each.shares >= 0) ? [] : ['a stake is below zero']),
    ...(dust >= 0 && dust <= stakes.length ? [] : [`stakes leave ${dust} of ${now.nav}`]),
  ].map((text) => `vault ${book.vault.terms.name}: ${text}`)
}
