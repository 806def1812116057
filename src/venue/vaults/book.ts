import { DAY_MS } from '../../spec/durations.ts'
import { draw } from '../base/rng.ts'
import { mulDiv, ONE, sumOf } from '../base/units.ts'
import { VAULT_RULES } from './terms.ts'
import {
  type Prices,
  periodAt,
  periodStartMs,
  pricesSince,
  pricesUntil,
  publicRequests,
  type Request,
  type Role,
  type Vault,
} from './vault.ts'

/** A request with its outcome: times are zero and the unknown figure is zero until then. */
export type Transaction = Request & {
  readonly id: number
  readonly shares: number
  readonly amount: number
  readonly executedAtMs: number
  readonly claimedAtMs: number
}

/** A vault at the beginning of a period, after executing the requests of the previous one. */
type Opening = Prices & {
  readonly atMs: number
  readonly mainShares: number
  readonly providerShares: number
  /** All that was traded until then, micro-USDC. */
  readonly volume: number
  /** The performance fee of the period before, in strategy shares and in micro-USDC. */
  readonly fee: { readonly shares: number; readonly amount: number }
}

/** The state of a vault at a time. */
export type Book = {
  readonly vault: Vault
  readonly nowMs: number
  /** Of each period by its number; the last one is running. */
  readonly openings: readonly Opening[]
  /** Oldest first. */
  readonly transactions: readonly Transaction[]
}

/** The book of a vault: requests of public investors and of callers, executed at the end of their period. */
export function bookOf(vault: Vault, callers: readonly Request[], nowMs: number): Book {
  const prices = pricesUntil(vault, nowMs)
  const transactions = [...publicRequests(vault, prices), ...callers]
    .filter(({ atMs }) => atMs <= nowMs)
    .sort((a, b) => a.atMs - b.atMs)
    .map((request, at) => outcomeOf({ vault, prices, nowMs }, request, at + 1))
  const openings: Opening[] = []
  for (const [period, price] of prices.entries())
    openings.push(openingOf({ vault, openings, transactions }, period, price))
  return { vault, nowMs, openings, transactions }
}

type Timed = { readonly vault: Vault; readonly prices: readonly Prices[]; readonly nowMs: number }

/** A request at the prices of the end of its period. Everything is rounded down. */
function outcomeOf({ vault, prices, nowMs }: Timed, request: Request, id: number): Transaction {
  const { type, size, role, account } = request
  const isDeposit = type === 'deposit'
  const period = periodAt(vault, request.atMs) + 1
  const price = prices[period]?.[role === 'lp' ? 'main' : 'strategy']
  const unknown = { shares: isDeposit ? 0 : size, amount: isDeposit ? size : 0 }
  if (price === undefined) return { ...request, ...unknown, id, executedAtMs: 0, claimedAtMs: 0 }
  const executedAtMs = periodStartMs(vault, period)
  // Accounts are paid at once, wallets claim within two days; a deposit has nothing to claim.
  const delayMs = account === null ? Math.floor(2 * DAY_MS * draw(vault.streams.claims, id)) : 0
  const isClaimed = !isDeposit && executedAtMs + delayMs <= nowMs
  return {
    ...request,
    id,
    shares: isDeposit ? mulDiv(size, ONE, price, 'floor') : size,
    amount: isDeposit ? size : amountAt(size, price),
    executedAtMs,
    claimedAtMs: isClaimed ? executedAtMs + delayMs : 0,
  }
}

/** The fee of the period before goes to the provider in strategy shares, then requests are executed. */
function openingOf(book: Omit<Book, 'nowMs'>, period: number, prices: Prices): Opening {
  const { vault, openings, transactions } = book
  const atMs = periodStartMs(vault, period)
  const last = openings.at(-1)
  const bought = (role: Role) =>
    sumOf(transactions, (each) =>
      each.role === role && each.executedAtMs === atMs ? sharesBought(each) : 0,
    )
  const amount = amountAt(last?.mainShares ?? 0, prices.feePerShare)
  const fee = { amount, shares: mulDiv(amount, ONE, prices.strategy, 'floor') }
  return {
    ...{ ...prices, atMs, fee },
    mainShares: (last?.mainShares ?? 0) + bought('lp'),
    providerShares: (last?.providerShares ?? 0) + fee.shares + bought('provider'),
    volume: last ? last.volume + turnoverOf(vault, period - 1, last) : 0,
  }
}

/** The turnover of a vault in a period, micro-USDC: a part of its value at the beginning. */
function turnoverOf({ streams, terms }: Vault, period: number, opening: Opening): number {
  const busy = 0.6 + 0.8 * draw(streams.volume, period)
  return Math.floor(navOf(opening, opening) * terms.dailyTurnover * busy)
}

/** The value of all shares at some prices. */
function navOf(
  { mainShares, providerShares }: Pick<Opening, 'mainShares' | 'providerShares'>,
  { main, strategy }: Pick<Prices, 'main' | 'strategy'>,
): number {
  return amountAt(mainShares, main) + amountAt(providerShares, strategy)
}

/** The value of shares, rounded down. */
export function amountAt(shares: number, price: number): number {
  return mulDiv(shares, price, ONE, 'floor')
}

/** Shares that a transaction has brought; below zero of a withdrawal. */
export function sharesBought({ type, shares }: Transaction): number {
  return type === 'deposit' ? shares : -shares
}

/** A vault at one moment. */
export type Sample = ReturnType<typeof sampleAt>

/** A vault as it was at a time. Throws RangeError before its start. */
export function sampleAt({ vault, openings, transactions }: Book, atMs: number) {
  const period = periodAt(vault, atMs)
  const opening = openings[period]
  if (!opening) throw new RangeError('the vault has not begun')
  const { strategy, main } = pricesSince(vault, opening, atMs)
  const turnover = turnoverOf(vault, period, opening)
  const lpNav = amountAt(opening.mainShares, main)
  return {
    ...{ ...opening, ...flowsOf(transactions, atMs), atMs, strategy, main },
    nav: navOf(opening, { strategy, main }),
    volume: opening.volume + mulDiv(turnover, atMs - opening.atMs, VAULT_RULES.periodMs, 'floor'),
    /** The provider's shares, and main shares as so many strategy shares. */
    strategyShares: opening.providerShares + mulDiv(lpNav, ONE, strategy, 'floor'),
  }
}

/** A vault step by step until now, from the last step before a time. */
export function samplesOf(book: Book, stepMs: number, fromMs: number): Sample[] {
  const { vault, nowMs } = book
  const firstMs = Math.max(vault.startedAtMs, Math.floor(fromMs / stepMs) * stepMs)
  const samples: Sample[] = []
  for (let atMs = firstMs; atMs < nowMs; atMs += stepMs) samples.push(sampleAt(book, atMs))
  return [...samples, sampleAt(book, nowMs)]
}

/**
 * The amounts of transactions until a time: executed deposits and withdrawals, and idle ones: deposits not executed yet
 * and payouts not claimed yet.
 */
export function flowsOf(transactions: readonly Transaction[], atMs: number) {
  const sum = (type: Request['type'], isOf: (each: Transaction) => boolean) =>
    sumOf(transactions, (each) => (each.type === type && isOf(each) ? each.amount : 0))
  const isUntil = (time: number) => time > 0 && time <= atMs
  const isDone = ({ executedAtMs }: Transaction) => isUntil(executedAtMs)
  const isWaiting = (each: Transaction) => each.atMs <= atMs && !isDone(each)
  const isOwed = (each: Transaction) => isDone(each) && !isUntil(each.claimedAtMs)
  return {
    paidIn: sum('deposit', isDone),
    paidOut: sum('withdrawal', isDone),
    idle: sum('deposit', isWaiting) + sum('withdrawal', isOwed),
  }
}

/** The profit since the beginning. */
export function pnlOf(of: { nav: number; paidIn: number; paidOut: number }): number {
  return of.nav + of.paidOut - of.paidIn
}

export function isPending({ executedAtMs }: Pick<Transaction, 'executedAtMs'>): boolean {
  return executedAtMs === 0
}

/** Whether the shares of a deposit cannot be given back yet. */
export function isLocked({ type, executedAtMs }: Transaction, atMs: number): boolean {
  return type === 'deposit' && executedAtMs > 0 && atMs < executedAtMs + VAULT_RULES.lockMs
}
