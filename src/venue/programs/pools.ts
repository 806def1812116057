import { MICRO, mulDiv } from '../base/units.ts'
import { epochOf, epochStartMs } from './tables.ts'

/**
 * A reward pool. At the end of each epoch a stake has earned VALOR, half of it of each pool; half of that is redeemed
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

/** A stake of a hundred earns a VALOR an epoch, half of each pool. */
const STAKE_PER_VALOR = 200

export type Batch = {
  /** The first one is 1. */
  readonly id: number
  readonly startMs: number
  readonly endMs: number
  /** The pool's part of the fees, and what that bought; nothing while the batch runs. */
  readonly revenue: number
  readonly bought: number
  /** The VALOR that all redeem, its payment, and the treasury and outstanding VALOR that a payment is a share of. */
  readonly redeemed: number
  readonly paid: number
  readonly rate: { readonly treasury: number; readonly outstanding: number } | null
}

export type Pool = {
  /** Oldest first; the last one is running. */
  readonly batches: readonly Batch[]
  readonly treasury: number
  /** VALOR that is not redeemed yet. */
  readonly outstanding: number
  readonly redeemedTotal: number
}

export type PoolParts = {
  readonly firstEpoch: number
  /** All fees of an epoch. */
  readonly feesIn: (epoch: number) => number
  /** All stakes at a time. */
  readonly stakedAt: (atMs: number) => number
  /** The price of ORDER at a time, micro-USDC. */
  readonly priceAt: (atMs: number) => number
}

/** A pool as of now: every batch since the first, one after the other. What rounding leaves stays in the treasury. */
export function poolOf(terms: PoolTerms, parts: PoolParts, nowMs: number): Pool {
  const batches: Batch[] = []
  let [treasury, outstanding, redeemed, redeemedTotal] = [0, 0, 0, 0]
  for (let epoch = parts.firstEpoch; epoch <= epochOf(nowMs); epoch += 1) {
    const [startMs, endMs] = [epochStartMs(epoch), epochStartMs(epoch + 1)]
    const isOver = endMs <= nowMs
    const revenue = mulDiv(Math.max(0, parts.feesIn(epoch)), terms.revenuePercent, 100, 'floor')
    const bought = isOver ? boughtWith(terms, revenue, parts.priceAt(endMs - 1)) : 0
    treasury += bought
    const rate = isOver && outstanding > 0 ? { treasury, outstanding } : null
    const paid = paidAt(rate, redeemed)
    const id = batches.length + 1
    batches.push({ id, startMs, endMs, revenue, bought, redeemed, paid, rate })
    if (!isOver) break
    treasury -= paid
    outstanding += valorOf(parts.stakedAt(endMs)) - redeemed
    redeemedTotal += redeemed
    redeemed = redeemedOf(parts.stakedAt(endMs))
  }
  return { batches, treasury, outstanding, redeemedTotal }
}

function boughtWith({ pays }: PoolTerms, revenue: number, price: number): number {
  return pays === 'USDC' ? revenue : mulDiv(revenue, MICRO, price, 'floor')
}

function valorOf(stake: number): number {
  return Math.floor(stake / STAKE_PER_VALOR)
}

/** The VALOR that a stake at the end of an epoch redeems in the next one. */
export function redeemedOf(stake: number): number {
  return Math.floor(valorOf(stake) / 2)
}

/** What a batch pays for redeemed VALOR. */
export function paidAt(rate: Batch['rate'], redeemed: number): number {
  return rate ? mulDiv(redeemed, rate.treasury, rate.outstanding, 'floor') : 0
}
