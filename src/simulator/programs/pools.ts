import { DAY_MS } from '../../contract/durations.ts'
import { stream, waveAt } from '../base/rng.ts'
import { MICRO, safeMulDiv } from '../base/units.ts'
import { epochStartMs } from './tables.ts'

/**
 * A pool takes a percentage of the venue's fees of a batch. The next batch pays it out, in USDC or in esORDER bought
 * with it.
 */
export const POOLS = {
  first: { revenuePercent: 20, pays: 'USDC' },
  second: { revenuePercent: 40, pays: 'esORDER' },
} as const

export type PoolName = keyof typeof POOLS

/** A stake of two hundred earns one VALOR per batch, which is an epoch. */
const STAKE_PER_VALOR = 200

/** The VALOR that a stake earns as a batch begins. */
export function earnedValor(stake: number): number {
  return Math.floor(stake / STAKE_PER_VALOR)
}

/** The figures of a week: all fees, and all stakes at its start. */
type Epoch = { readonly epoch: number; readonly fees: number; readonly staked: number }

/** A batch of a pool: micro-USDC, micro-esORDER and micro-VALOR. */
export type Batch = {
  /** The first one is 1. */
  readonly id: number
  readonly startMs: number
  readonly endMs: number
  /** The pool's part of the fees, and the amount bought with it, which is zero while the batch runs. */
  readonly revenue: number
  readonly bought: number
  /** The payment at its end for all the VALOR of stakes at its start. */
  readonly treasury: number
  readonly valor: number
}

export function poolBatches(
  name: PoolName,
  seed: number,
  epochs: readonly Epoch[],
  nowMs: number,
): Batch[] {
  const { revenuePercent, pays } = POOLS[name]
  const batches: Batch[] = []
  for (const { epoch, fees, staked } of epochs) {
    const [startMs, endMs] = [epochStartMs(epoch), epochStartMs(epoch + 1)]
    const revenue = safeMulDiv(Math.max(0, fees), revenuePercent, 100, 'floor')
    const price = pays === 'USDC' ? MICRO : orderPriceAt(seed, endMs - 1)
    const bought = endMs <= nowMs ? safeMulDiv(revenue, MICRO, price, 'floor') : 0
    const last = batches.at(-1)
    const place = { id: batches.length + 1, startMs, endMs }
    batches.push({
      ...{ ...place, revenue, bought },
      ...{ treasury: last?.bought ?? 0, valor: earnedValor(staked) },
    })
  }
  return batches
}

/** The payment of a batch for an amount of VALOR; all VALOR together gets at most the treasury. */
export function paidBy({ treasury, valor }: Batch, own: number): number {
  return valor === 0 ? 0 : safeMulDiv(own, treasury, valor, 'floor')
}

/** The price of one ORDER on the UTC day of a time, micro-USDC: about 20 cents, by the seed alone. */
export function orderPriceAt(seed: number, atMs: number): number {
  const day = Math.floor(atMs / DAY_MS)
  return 200_000 + Math.round(80_000 * waveAt(stream(seed, 'order-price'), day / 14))
}
