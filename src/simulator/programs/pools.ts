import { DAY_MS } from '../../contract/durations.ts'
import { randomStream, waveAt } from '../base/rng.ts'
import { MICRO, safeMulDiv } from '../base/units.ts'
import { epochStartMs } from './tables.ts'

/**
 * The pools. Each receives a percentage of the venue's fees of a batch. The next batch pays out this revenue: in USDC,
 * or in esORDER that the pool has bought.
 */
export const POOLS = {
  first: { revenuePercent: 20, pays: 'USDC' },
  second: { revenuePercent: 40, pays: 'esORDER' },
} as const

export type PoolName = keyof typeof POOLS

/** A stake of this size earns one VALOR per batch. A batch is as long as an epoch. */
const STAKE_PER_VALOR = 200

/** The VALOR that a stake earns when a batch begins. */
export function earnedValor(stake: number): number {
  return Math.floor(stake / STAKE_PER_VALOR)
}

/** The figures of a week: all its fees, and all stakes at its start. */
type Epoch = { readonly epoch: number; readonly fees: number; readonly staked: number }

/** A batch of a pool, in micro-USDC, micro-esORDER and micro-VALOR. */
export type Batch = {
  /** Number of the batch, from 1. */
  readonly id: number
  readonly startMs: number
  readonly endMs: number
  /** The pool's share of the fees. `bought`: the amount that the pool bought with its share; 0 while the batch runs. */
  readonly revenue: number
  readonly bought: number
  /** The payment for all VALOR at the end of the batch. */
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

/** The payment of a batch for an amount of VALOR. All VALOR together gets at most the treasury. */
export function paidBy({ treasury, valor }: Batch, own: number): number {
  return valor === 0 ? 0 : safeMulDiv(own, treasury, valor, 'floor')
}

/** The price of one ORDER on a UTC day in micro-USDC: about 20 cents. It follows from the seed. */
export function orderPriceAt(seed: number, atMs: number): number {
  const day = Math.floor(atMs / DAY_MS)
  return 200_000 + Math.round(80_000 * waveAt(randomStream(seed, 'order-price'), day / 14))
}
