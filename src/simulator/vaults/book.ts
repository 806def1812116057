import { DAY_MS } from '../../contract/durations.ts'
import { MICRO, RATE_ONE, safeMulDiv, sumBy } from '../base/units.ts'
import type { EngineWorld, RequestToVault, VaultRequest } from '../state/world.ts'
import { VAULT_RULES } from './terms.ts'
import {
  type Prices,
  periodAt,
  periodStartMs,
  pricesSince,
  pricesUntil,
  type Role,
  type Vault,
  worldVaults,
} from './vault.ts'

/**
 * A request with its outcome. While the request is pending, `executedAtMs` is 0, and so is `shares` of a deposit or
 * `amount` of a withdrawal.
 */
export type Transaction = RequestToVault & {
  readonly id: number
  readonly shares: number
  readonly amount: number
  readonly executedAtMs: number
}

/**
 * A performance fee at the end of a period. `amount`: the fee in micro-USDC. `shares`: the strategy shares that the
 * provider gets for the fee.
 */
type Fee = { readonly atMs: number; readonly amount: number; readonly shares: number }

/** The state of a vault at a time. */
export type VaultBook = {
  readonly vault: Vault
  readonly nowMs: number
  /** Prices at the start of each period, by the period's number. The last period is running. */
  readonly prices: readonly Prices[]
  /** The transactions, oldest first. */
  readonly transactions: readonly Transaction[]
  readonly fees: readonly Fee[]
}

/** The parts of a world that its vaults depend on. */
export type VaultWorld = Pick<EngineWorld, 'seed' | 'beginsAtMs' | 'nowMs'> & {
  readonly vaultRequests: readonly VaultRequest[]
}

/** The books of all vaults now: first deposits and users' requests, each executed when its period ends. */
export function vaultBooks({ seed, beginsAtMs, nowMs, vaultRequests }: VaultWorld): VaultBook[] {
  return worldVaults({ seed, beginsAtMs }).map((vault) => {
    const prices = pricesUntil(vault, nowMs)
    const transactions = [
      ...vault.deposits,
      ...vaultRequests.filter((each) => each.vault === vault.number),
    ].map((request, at) => toTransaction({ vault, prices }, request, at + 1))
    const fees = prices.slice(1).map(({ strategy, feePerShare }, at) => {
      const atMs = periodStartMs(vault, at + 1)
      const amount = amountAt(sharesAt(transactions, 'lp', atMs - 1), feePerShare)
      return { atMs, amount, shares: safeMulDiv(amount, RATE_ONE, strategy, 'floor') }
    })
    return { vault, nowMs, prices, transactions, fees }
  })
}

/** A request executed at the prices at the end of its period. All figures are rounded down. */
function toTransaction(
  { vault, prices }: Pick<VaultBook, 'vault' | 'prices'>,
  request: RequestToVault,
  id: number,
): Transaction {
  const { type, size, role } = request
  const period = periodAt(vault, request.atMs) + 1
  const price = prices[period]?.[role === 'lp' ? 'main' : 'strategy']
  const executedAtMs = price === undefined ? 0 : periodStartMs(vault, period)
  return type === 'deposit'
    ? { ...request, id, executedAtMs, amount: size, shares: price ? sharesFor(size, price) : 0 }
    : { ...request, id, executedAtMs, shares: size, amount: price ? amountAt(size, price) : 0 }
}

function sharesFor(amount: number, price: number): number {
  return safeMulDiv(amount, RATE_ONE, price, 'floor')
}

/** The value of some shares, rounded down. */
export function amountAt(shares: number, price: number): number {
  return safeMulDiv(shares, price, RATE_ONE, 'floor')
}

/** The net shares that a role's transactions have added until a time. */
function sharesAt(transactions: readonly Transaction[], role: Role, atMs: number): number {
  return sumBy(transactions, (each) =>
    each.role === role && !isPending(each, atMs) ? signedShares(each) : 0,
  )
}

/** The shares that a transaction adds; negative for a withdrawal. */
function signedShares({ type, shares }: Transaction): number {
  return type === 'deposit' ? shares : -shares
}

/** Whether a transaction is not yet executed at a time. Default: whether it is still unexecuted. */
export function isPending(
  { executedAtMs }: Pick<Transaction, 'executedAtMs'>,
  atMs = Number.POSITIVE_INFINITY,
): boolean {
  return executedAtMs === 0 || executedAtMs > atMs
}

/** Whether a transaction is a deposit whose shares are still locked. */
export function isLocked({ type, executedAtMs }: Transaction, atMs: number): boolean {
  return type === 'deposit' && executedAtMs > 0 && atMs < executedAtMs + VAULT_RULES.lockMs
}

/** The state of a vault at one moment. */
export type VaultSample = ReturnType<typeof sampleAt>

/** The state of a vault at a time. Throws RangeError before its start. */
export function sampleAt({ vault, prices, transactions, fees }: VaultBook, atMs: number) {
  const opening = prices[periodAt(vault, atMs)]
  if (!opening) throw new RangeError('the vault has not begun')
  const { strategy, main } = pricesSince(vault, opening, atMs)
  const mainShares = sharesAt(transactions, 'lp', atMs)
  const earned = sumBy(fees, (fee) => (fee.atMs <= atMs ? fee.shares : 0))
  const providerShares = sharesAt(transactions, 'provider', atMs) + earned
  const { dailyTurnover, providerUsdc, investorsUsdc } = vault.terms
  const daily = (providerUsdc + investorsUsdc) * MICRO * dailyTurnover
  return {
    ...{ ...opening, ...vaultFlows(transactions, atMs), atMs, strategy, main },
    ...{ mainShares, providerShares },
    nav: amountAt(mainShares, main) + amountAt(providerShares, strategy),
    /** The volume so far. It grows at a constant rate. */
    volume: Math.floor((daily * (atMs - vault.startedAtMs)) / DAY_MS),
    /** The provider's shares, plus the main shares converted to strategy shares. */
    strategyShares: providerShares + sharesFor(amountAt(mainShares, main), strategy),
  }
}

/** The states of a vault at regular steps until now, from the last step before a time. */
export function vaultSamples(book: VaultBook, stepMs: number, fromMs: number): VaultSample[] {
  const firstMs = Math.max(book.vault.startedAtMs, Math.floor(fromMs / stepMs) * stepMs)
  const length = Math.ceil((book.nowMs - firstMs) / stepMs)
  const steps = Array.from({ length }, (_, at) => sampleAt(book, firstMs + at * stepMs))
  return [...steps, sampleAt(book, book.nowMs)]
}

/** The amounts of deposits and withdrawals executed up to a time, and of deposits that are pending at that time. */
function vaultFlows(transactions: readonly Transaction[], atMs: number) {
  const sum = (type: Transaction['type'], pending: boolean) =>
    sumBy(transactions, (each) =>
      each.type === type && each.atMs <= atMs && isPending(each, atMs) === pending
        ? each.amount
        : 0,
    )
  return {
    paidIn: sum('deposit', false),
    paidOut: sum('withdrawal', false),
    idle: sum('deposit', true),
  }
}

/** The profit of a stake since it began, in micro-USDC. */
export function stakePnl(of: { nav: number; paidIn: number; paidOut: number }): number {
  return of.nav + of.paidOut - of.paidIn
}

/** A wallet in the role of a liquidity provider or of the vault's provider. */
export type Owner = Pick<RequestToVault, 'role' | 'wallet'>

/** The provider of a vault. */
export function vaultProvider({ vault }: Pick<VaultBook, 'vault'>): Owner {
  return { role: 'provider', wallet: vault.deposits[0]?.wallet ?? '' }
}

function isProvider(book: Pick<VaultBook, 'vault'>, { role, wallet }: Owner): boolean {
  return role === 'provider' && wallet === vaultProvider(book).wallet
}

/** The transactions of a wallet in a vault, oldest first. */
export function ownerTransactions(
  { transactions }: VaultBook,
  { role, wallet }: Owner,
): Transaction[] {
  return transactions.filter((each) => each.role === role && each.wallet === wallet)
}

/** A stake at a moment of its vault, by default now: main shares, or the provider's strategy shares. */
export function ownerStake(
  book: VaultBook,
  owner: Owner,
  at: VaultSample = sampleAt(book, book.nowMs),
) {
  const own = ownerTransactions(book, owner)
  const bought = sharesAt(
    own.filter(({ type }) => type === 'deposit'),
    owner.role,
    at.atMs,
  )
  const shares = isProvider(book, owner) ? at.providerShares : sharesAt(own, owner.role, at.atMs)
  const flows = vaultFlows(own, at.atMs)
  const price = owner.role === 'provider' ? at.strategy : at.main
  return {
    ...{ ...flows, shares, nav: amountAt(shares, price) },
    /** The cost of the stake's shares at their mean price. Shares for fees cost nothing. */
    basis: bought === 0 ? 0 : safeMulDiv(flows.paidIn, Math.min(shares, bought), bought, 'floor'),
  }
}

/**
 * Performance fees, oldest first: the fees that a stake paid at the ends of periods, or the fees that the provider
 * earned.
 */
export function performanceFees(book: VaultBook, owner: Owner): readonly Fee[] {
  if (owner.role === 'provider') return isProvider(book, owner) ? book.fees : []
  const own = ownerTransactions(book, owner)
  return book.fees.flatMap(({ atMs }, at) => {
    const held = sharesAt(own, 'lp', atMs - 1)
    const amount = amountAt(held, book.prices[at + 1]?.feePerShare ?? 0)
    return held > 0 ? { atMs, shares: 0, amount } : []
  })
}

/** The wallets that hold main shares. */
export function shareHolders(book: VaultBook): string[] {
  const lps = book.transactions.filter(({ role }) => role === 'lp')
  const wallets = Map.groupBy(lps, ({ wallet }) => wallet)
  return Array.from(wallets).flatMap(([wallet, own]) =>
    sharesAt(own, 'lp', book.nowMs) > 0 ? wallet : [],
  )
}

/** The shares of a stake that can be withdrawn: neither locked nor in a pending request. */
export function withdrawableShares(book: VaultBook, owner: Owner): number {
  const bound = ownerTransactions(book, owner).filter(
    (each) => isLocked(each, book.nowMs) || (isPending(each) && each.type === 'withdrawal'),
  )
  return Math.max(0, ownerStake(book, owner).shares - sumBy(bound, (each) => each.shares))
}
