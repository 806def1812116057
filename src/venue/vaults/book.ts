import { DAY_MS } from '../../spec/durations.ts'
import { draw } from '../base/rng.ts'
import { mulDiv, ONE } from '../base/units.ts'
import { publicRequests } from './investors.ts'
import type { Request } from './request.ts'
import {
  isLocked,
  isPending,
  periodAt,
  periodStartMs,
  strategyPriceAt,
  type Transaction,
  type Vault,
} from './vault.ts'

/** Totals of a vault at the end of a period. */
export type Totals = {
  readonly mainShares: number
  readonly providerShares: number
  readonly paidIn: number
  readonly paidOut: number
  readonly volume: number
}

/** A period that has ended, with the prices and totals that it left. */
export type Period = {
  readonly number: number
  readonly endMs: number
  readonly strategy: number
  readonly main: number
  /** The best price of a main share that fees were charged up to. */
  readonly highWater: number
  /** The performance fee: per main share, and all of it in strategy shares and in micro-USDC. */
  readonly fee: { readonly perShare: number; readonly shares: number; readonly amount: number }
  readonly deposited: number
  readonly withdrawn: number
  readonly totals: Totals
}

/** All that is known of a vault at a time. */
export type Book = {
  readonly vault: Vault
  readonly nowMs: number
  /** Oldest first. */
  readonly periods: readonly Period[]
  readonly transactions: readonly Transaction[]
  /** Main shares by wallet. */
  readonly holders: ReadonlyMap<string, number>
}

type Fold = {
  readonly vault: Vault
  readonly periods: Period[]
  readonly transactions: Transaction[]
  /** Transactions that are pending or locked. */
  open: Transaction[]
  readonly holders: Map<string, number>
  totals: Totals
}

export const NO_TOTALS: Totals = {
  mainShares: 0,
  providerShares: 0,
  paidIn: 0,
  paidOut: 0,
  volume: 0,
}

/** The book of a vault: its public investors' requests by the seed, and those of callers, executed at the end of each period. */
export function bookOf(vault: Vault, requests: readonly Request[], nowMs: number): Book {
  const [periods, transactions, holders] = [[], [], new Map<string, number>()]
  const fold: Fold = { vault, periods, transactions, open: [], holders, totals: NO_TOTALS }
  const callers = Map.groupBy(requests, ({ atMs }) => periodAt(vault, atMs))
  for (let period = 0; ; period += 1) {
    const asked = [...publicRequests(vault, fold, period), ...(callers.get(period) ?? [])]
    for (const request of asked.sort((a, b) => a.atMs - b.atMs))
      if (request.atMs <= nowMs) enter(fold, request)
    const endMs = periodStartMs(vault, period + 1)
    if (endMs > nowMs) return { vault, nowMs, periods, transactions, holders }
    endPeriod(fold, period, endMs, nowMs)
  }
}

function enter({ transactions, open }: Fold, request: Request): void {
  const isDeposit = request.type === 'deposit'
  const transaction: Transaction = {
    ...request,
    id: transactions.length + 1,
    shares: isDeposit ? 0 : request.size,
    amount: isDeposit ? request.size : 0,
    executedAtMs: 0,
    claimedAtMs: 0,
  }
  transactions.push(transaction)
  open.push(transaction)
}

/** Charges the provider's fee, then executes what was asked, all at the prices of this moment. Everything is rounded down. */
function endPeriod(fold: Fold, number: number, endMs: number, nowMs: number): void {
  const { vault, periods, holders, totals } = fold
  const { terms } = vault
  const before = pricesAt(periods, vault, endMs)
  const perShare = mulDiv(Math.max(0, before.main - before.highWater), terms.feeRate, ONE, 'floor')
  const { strategy } = before
  const main = before.main - perShare
  const amount = mulDiv(totals.mainShares, perShare, ONE, 'floor')
  const fee = { perShare, amount, shares: mulDiv(amount, ONE, strategy, 'floor') }
  const nav = navOf({ ...totals, main, strategy })
  const sums = { deposit: 0, withdrawal: 0 }
  let { mainShares, providerShares } = totals
  providerShares += fee.shares
  for (const transaction of fold.open) {
    if (!isPending(transaction)) continue
    const { role, type, wallet } = transaction
    execute(transaction, role === 'lp' ? main : strategy, endMs)
    transaction.claimedAtMs = claimTime(vault, transaction, nowMs)
    sums[type] += transaction.amount
    const change = type === 'deposit' ? transaction.shares : -transaction.shares
    if (role === 'provider') providerShares += change
    else {
      mainShares += change
      holders.set(wallet, (holders.get(wallet) ?? 0) + change)
    }
  }
  const [deposited, withdrawn] = [sums.deposit, sums.withdrawal]
  const paid = { paidIn: totals.paidIn + deposited, paidOut: totals.paidOut + withdrawn }
  const volume = totals.volume + turnoverOf(vault, number, nav)
  fold.totals = { mainShares, providerShares, ...paid, volume }
  const prices = { strategy, main, highWater: Math.max(main, before.highWater) }
  periods.push({ number, endMs, ...prices, fee, deposited, withdrawn, totals: fold.totals })
  fold.open = fold.open.filter((each) => isLocked(each, endMs))
}

function execute(transaction: Transaction, price: number, atMs: number): void {
  transaction.executedAtMs = atMs
  if (transaction.type === 'deposit')
    transaction.shares = mulDiv(transaction.amount, ONE, price, 'floor')
  else transaction.amount = mulDiv(transaction.shares, price, ONE, 'floor')
}

/** Accounts are paid at once, wallets claim within two days; a deposit has nothing to claim. */
function claimTime({ streams }: Vault, transaction: Transaction, nowMs: number): number {
  const { type, account, executedAtMs, id } = transaction
  if (type === 'deposit') return 0
  if (account !== null) return executedAtMs
  const atMs = executedAtMs + Math.floor(2 * DAY_MS * draw(streams.claims, id))
  return atMs <= nowMs ? atMs : 0
}

/** What a vault trades in a period, micro-USDC. */
export function turnoverOf({ streams, terms }: Vault, period: number, nav: number): number {
  const busy = 0.6 + 0.8 * draw(streams.volume, period)
  return Math.floor(nav * terms.dailyTurnover * busy)
}

/** The prices at a time, the running period's fee not charged yet. */
export function pricesAt(periods: readonly Period[], vault: Vault, atMs: number) {
  const strategy = strategyPriceAt(vault, atMs)
  const last = periods.at(-1)
  if (!last) return { strategy, main: strategy, highWater: ONE }
  return {
    strategy,
    main: mulDiv(last.main, strategy, last.strategy, 'floor'),
    highWater: last.highWater,
  }
}

/** The value of all shares. */
export function navOf(
  of: Pick<Totals, 'mainShares' | 'providerShares'> & { main: number; strategy: number },
) {
  return (
    mulDiv(of.mainShares, of.main, ONE, 'floor') +
    mulDiv(of.providerShares, of.strategy, ONE, 'floor')
  )
}
