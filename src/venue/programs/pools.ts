import { DAY_MS } from '../../spec/durations.ts'
import { stream } from '../base/rng.ts'
import { MICRO, mulDiv } from '../base/units.ts'
import { waveAt } from '../vaults/vault.ts'
import { epochOf, epochStartMs } from './tables.ts'

/**
 * The pools. Each takes a part of the venue's fees, in hundredths; when a batch, which is an epoch, has ended, that is
 * what the next batch pays, in USDC or in esORDER bought with it. A batch pays for VALOR, which stakes earn as it begins.
 */
export const POOLS = {
  first: { revenuePercent: 20, pays: 'USDC' },
  second: { revenuePercent: 40, pays: 'esORDER' },
} as const

export type PoolName = keyof typeof POOLS

/** A stake of two hundred earns a VALOR in a batch. */
const STAKE_PER_VALOR = 200

/** A batch of a pool: micro-USDC, micro-esORDER and micro-VALOR. */
export type Batch = {
  /** The first one is 1. */
  readonly id: number
  readonly startMs: number
  readonly endMs: number
  /** The pool's part of the fees, and what that bought; nothing while the batch runs. */
  readonly revenue: number
  readonly bought: number
  /** What it pays when it ends, for all the VALOR of stakes at its start. */
  readonly treasury: number
  readonly valor: number
}

type BatchParts = {
  readonly seed: number
  readonly nowMs: number
  readonly firstEpoch: number
  /** All fees of an epoch. */
  readonly feesIn: (epoch: number) => number
  /** All stakes at a time. */
  readonly stakedAt: (atMs: number) => number
}

/** The batches of a pool up to now, oldest first. */
export function batchesOf(name: PoolName, parts: BatchParts): Batch[] {
  const { revenuePercent, pays } = POOLS[name]
  const { firstEpoch, nowMs, seed } = parts
  const batches: Batch[] = []
  for (let epoch = firstEpoch; epoch <= epochOf(nowMs); epoch += 1) {
    const [startMs, endMs] = [epochStartMs(epoch), epochStartMs(epoch + 1)]
    const revenue = mulDiv(Math.max(0, parts.feesIn(epoch)), revenuePercent, 100, 'floor')
    const price = pays === 'USDC' ? MICRO : orderPriceAt(seed, endMs - 1)
    batches.push({
      ...{ id: batches.length + 1, startMs, endMs, revenue },
      bought: endMs <= nowMs ? mulDiv(revenue, MICRO, price, 'floor') : 0,
      treasury: batches.at(-1)?.bought ?? 0,
      valor: valorOf(parts.stakedAt(startMs)),
    })
  }
  return batches
}

/** The VALOR that a stake earns as a batch begins. */
export function valorOf(stake: number): number {
  return Math.floor(stake / STAKE_PER_VALOR)
}

/** What a batch pays for VALOR: never more than its treasury for all of it. */
export function paidBy({ treasury, valor }: Batch, own: number): number {
  return valor === 0 ? 0 : mulDiv(own, treasury, valor, 'floor')
}

/** The usual price of one ORDER in micro-USDC, and how far the waves of a month and of a week carry it. */
const USUAL_PRICE = 200_000
const WAVES = [
  { days: 30, reach: 60_000 },
  { days: 7, reach: 20_000 },
] as const

/** The price of one ORDER on the UTC day of a time, micro-USDC: it follows the seed alone. */
export function orderPriceAt(seed: number, atMs: number): number {
  const day = Math.floor(atMs / DAY_MS)
  return WAVES.reduce((price, { days, reach }) => {
    const source = stream(seed, 'order-price', String(days))
    return price + Math.round(reach * waveAt(source, day / days))
  }, USUAL_PRICE)
}
