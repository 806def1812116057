import { MICRO, mulDiv } from '../engine/units.ts'
import { epochOf, epochStartMs } from './epochs.ts'
import { orderPriceAt } from './order-price.ts'

/**
 * The reward pools. At the end of each epoch a stake has earned VALOR, half of it of each pool; half of that is redeemed
 * in the next batch, which is the next epoch. A pool takes its part of the venue's fees, and pays each batch the
 * redeemed share of all it has. Amounts are micro-USDC, micro-esORDER and micro-VALOR.
 */
export type PoolTerms = {
  /** Part of the venue's fees, in hundredths. */
  readonly revenuePercent: number
  /** What it holds and pays; esORDER is bought with its part of the fees. */
  readonly pays: 'USDC' | 'esORDER'
}

export const POOLS = {
  first: { revenuePercent: 20, pays: 'USDC' },
  second: { revenuePercent: 40, pays: 'esORDER' },
} as const satisfies Record<string, PoolTerms>

/** A stake of a hundred earns a VALOR an epoch. */
const STAKE_PER_VALOR = 100
/** Each pool gets half of what is earned, and half of what it got is redeemed in the next batch. */
const HALF = 2

export type Batch = {
  /** The first one that is told is 1. */
  readonly id: number
  readonly startMs: number
  readonly endMs: number
  /** The pool's part of the fees, USDC, and what that bought of what it pays. */
  readonly revenue: number
  readonly bought: number
  /** By account number: VALOR that is redeemed, and what it was paid; nothing while the batch runs. */
  readonly redeemed: ReadonlyMap<number, number>
  readonly paid: ReadonlyMap<number, number>
}

export type Pool = {
  /** Oldest first; the last one is running. */
  readonly batches: readonly Batch[]
  readonly treasury: number
  /** VALOR that nobody has redeemed yet. */
  readonly outstanding: number
  readonly redeemedTotal: number
}

export type PoolParts = {
  readonly seed: number
  readonly firstEpoch: number
  /** All fees of an epoch. */
  readonly feesIn: (epoch: number) => number
  /** What each account had staked at a time. */
  readonly stakesAt: (atMs: number) => ReadonlyMap<number, number>
}

/** A pool as of now: every batch since the first, one after the other. */
export function poolOf(terms: PoolTerms, parts: PoolParts, nowMs: number): Pool {
  const batches: Batch[] = []
  let [treasury, outstanding, redeemedTotal] = [0, 0, 0]
  let redeemed: ReadonlyMap<number, number> = new Map()
  for (let epoch = parts.firstEpoch; epoch <= epochOf(nowMs); epoch += 1) {
    const [startMs, endMs] = [epochStartMs(epoch), epochStartMs(epoch + 1)]
    const isOver = endMs <= nowMs
    const revenue = mulDiv(Math.max(0, parts.feesIn(epoch)), terms.revenuePercent, 100, 'floor')
    const bought = isOver ? boughtWith(terms, revenue, orderPriceAt(parts.seed, endMs - 1)) : 0
    treasury += bought
    const paid = isOver ? payouts(redeemed, treasury, outstanding) : new Map<number, number>()
    batches.push({
      id: epoch - parts.firstEpoch + 1,
      startMs,
      endMs,
      revenue,
      bought,
      redeemed,
      paid,
    })
    if (!isOver) break
    treasury -= totalOf(paid)
    outstanding -= totalOf(redeemed)
    redeemedTotal += totalOf(redeemed)
    const earned = earnedOf(parts.stakesAt(endMs))
    outstanding += totalOf(earned)
    redeemed = halvesOf(earned)
  }
  return { batches, treasury, outstanding, redeemedTotal }
}

function boughtWith({ pays }: PoolTerms, revenue: number, price: number): number {
  return pays === 'USDC' ? revenue : mulDiv(revenue, MICRO, price, 'floor')
}

/** Everybody's share of a treasury; what rounding leaves stays in it. */
function payouts(
  redeemed: ReadonlyMap<number, number>,
  treasury: number,
  outstanding: number,
): Map<number, number> {
  if (outstanding === 0) return new Map()
  return mapped(redeemed, (valor) => mulDiv(valor, treasury, outstanding, 'floor'))
}

/** What stakes earn of one pool. */
function earnedOf(stakes: ReadonlyMap<number, number>): Map<number, number> {
  return mapped(stakes, (stake) => Math.floor(stake / STAKE_PER_VALOR / HALF))
}

function halvesOf(earned: ReadonlyMap<number, number>): Map<number, number> {
  return mapped(earned, (valor) => Math.floor(valor / HALF))
}

function mapped(
  amounts: ReadonlyMap<number, number>,
  of: (amount: number) => number,
): Map<number, number> {
  return new Map(Array.from(amounts, ([account, amount]) => [account, of(amount)] as const))
}

/** The sum of what accounts have. */
function totalOf(amounts: ReadonlyMap<number, number>): number {
  let total = 0
  for (const amount of amounts.values()) total += amount
  return total
}
