import { sumOf } from '../base/units.ts'
import { canSpare, USDC } from '../ledger/balances.ts'
import { watch } from '../margin/solvency.ts'
import { accountAt, deposit } from '../state/accounts.ts'
import { plan } from '../state/queue.ts'
import { REJECTIONS, type Rejection } from '../state/rejections.ts'
import type { Account } from '../state/state.ts'
import type { VaultRequest, World } from '../state/world.ts'
import { type Book, bookOf, isPending, sampleAt } from './book.ts'
import { availableOf, holdersOf, providerOf, stakeOf, transactionsOf } from './stakes.ts'
import { VAULT_RULES } from './terms.ts'
import { periodAt, periodStartMs, type Request, vaultsOf } from './vault.ts'

type VaultWorld = Pick<World, 'seed' | 'beginsAtMs' | 'nowMs'> & {
  readonly vaultRequests: readonly VaultRequest[]
}

/** The books of all vaults of a world at its time. */
export function booksOf(world: VaultWorld): Book[] {
  return vaultsOf(world).map((vault) => {
    const own = world.vaultRequests.filter((each) => each.vault === vault.number)
    return bookOf(vault, own, world.nowMs)
  })
}

/** An account's request to a vault: micro-USDC to deposit or micro-shares to withdraw. */
export type VaultInstruction = Omit<VaultRequest, 'role' | 'account' | 'atMs' | 'paid'>

/** Accepts a request. A deposit is deducted at once, a withdrawal is paid at the end of the period. */
export function askVault(
  world: World,
  account: Account,
  instruction: VaultInstruction,
  atMs: number,
): VaultRequest | Rejection {
  const book = booksOf(world)[instruction.vault]
  if (!book) throw new RangeError('no such vault')
  const of = { role: 'lp', account: account.number, atMs, paid: 0 } as const
  const request: VaultRequest = { ...instruction, ...of }
  const refused = refusalOf(world, book, account, request)
  if (refused) return refused
  if (request.type === 'deposit') {
    deposit(world.exchange, account, -request.size)
    watch(world.exchange, account)
  } else {
    const endMs = periodStartMs(book.vault, periodAt(book.vault, atMs) + 1)
    plan(world.queue, endMs, 'vault', world.vaultRequests.length)
  }
  world.vaultRequests.push(request)
  return request
}

function refusalOf(world: World, book: Book, account: Account, request: Request): Rejection | null {
  const { size } = request
  const pending = transactionsOf(book, request).filter(isPending)
  if (pending.length >= VAULT_RULES.pendingMax) return REJECTIONS.vaultBusy
  if (request.type === 'deposit') {
    if (size < VAULT_RULES.depositMin) return REJECTIONS.vaultMin
    return canSpare(world, account, USDC, size) ? null : REJECTIONS.balance
  }
  const available = availableOf(book, request)
  if (size > available) return REJECTIONS.shares
  return size < Math.min(VAULT_RULES.withdrawalMin, available) ? REJECTIONS.vaultMin : null
}

/** Pays an account for a withdrawal whose period has ended. */
export function payVault(world: World, index: number): void {
  const request = world.vaultRequests[index]
  if (!request || request.account === null) return
  request.paid = dueTo(booksOf(world), request)
  const account = accountAt(world.exchange, request.account)
  deposit(world.exchange, account, request.paid)
  watch(world.exchange, account)
}

/** The payment for a withdrawal; zero until its period has ended. */
function dueTo(books: readonly Book[], { vault, type, wallet, nonce }: VaultRequest): number {
  if (type === 'deposit') return 0
  const own = books[vault]?.transactions.find(
    (each) => each.wallet === wallet && each.nonce === nonce,
  )
  return own?.amount ?? 0
}

/** The violated invariants of the vaults, as sentences; empty for consistent ones. Changes nothing. */
export function checkVaults(world: VaultWorld): string[] {
  const books = booksOf(world)
  const unpaid = world.vaultRequests.filter((each) => each.paid !== dueTo(books, each))
  return [
    ...unpaid.map(({ wallet }) => `${wallet} was not paid what its vault owes`),
    ...books.flatMap(checkBook),
  ]
}

/** Stakes hold all shares, none is negative, and together their values leave less than a micro each of the vault's. */
function checkBook(book: Book): string[] {
  const now = sampleAt(book, book.nowMs)
  const stakes = [
    stakeOf(book, { role: 'provider', wallet: providerOf(book) }),
    ...holdersOf(book).map((wallet) => stakeOf(book, { role: 'lp', wallet })),
  ]
  const shares = sumOf(stakes, (each) => each.shares)
  const dust = now.nav - sumOf(stakes, ({ nav }) => nav)
  return [
    ...(shares === now.mainShares + now.providerShares ? [] : [`${shares} shares are held`]),
    ...(stakes.every((each) => each.shares >= 0) ? [] : ['a stake is below zero']),
    ...(dust >= 0 && dust <= stakes.length ? [] : [`stakes leave ${dust} of ${now.nav}`]),
  ].map((text) => `vault ${book.vault.terms.name}: ${text}`)
}
