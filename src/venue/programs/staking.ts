import { DAY_MS } from '../../spec/durations.ts'
import { stream, waveAt } from '../base/rng.ts'
import { MICRO, mulDiv, sumOf } from '../base/units.ts'
import type { VenueState } from '../exchange/state.ts'
import { epochsOf, type Participant, participantsOf } from './participants.ts'
import { epochOf, epochStartMs, firstEpochOf } from './tables.ts'

/**
 * This wire has no message to stake, so trading stakes: each point earns esORDER, which is staked at once. When its
 * epoch has ended, a part of it vests and a part is unstaked; what has vested is ORDER, and staked. A VALOR is earned by
 * a stake of two hundred in a batch, which is an epoch. Amounts are micro-ORDER, micro-esORDER and micro-VALOR.
 */
const STAKING = {
  earnedPerPoint: 1000,
  vestingPercent: 40,
  unstakingPercent: 20,
  vestingMs: 90 * DAY_MS,
  stakePerValor: 200,
} as const

/** A pool takes a part of the venue's fees of a batch, in hundredths; the next batch pays it, in USDC or in esORDER bought with it. */
export const POOLS = {
  first: { revenuePercent: 20, pays: 'USDC' },
  second: { revenuePercent: 40, pays: 'esORDER' },
} as const

export type PoolName = keyof typeof POOLS

/** A participant with its earnings by epoch, oldest first; parts are zero until the epoch has ended. */
export type Staker = ReturnType<typeof stakerOf>

export function stakerOf(participant: Participant, nowMs: number) {
  const earnings = epochsOf(participant).map(({ epoch, fees, points }) => {
    const earned = points * STAKING.earnedPerPoint
    const part = (percent: number) =>
      epoch < epochOf(nowMs) ? mulDiv(earned, percent, 100, 'floor') : 0
    const [vested, unstaked] = [part(STAKING.vestingPercent), part(STAKING.unstakingPercent)]
    return { epoch, fees, earned, vested, unstaked }
  })
  return { ...participant, earnings }
}

/** The stake of a participant just before a time. */
export function stakeAt(
  { endowment, earnings }: Pick<Staker, 'endowment' | 'earnings'>,
  atMs: number,
) {
  const done = earnings.filter(({ epoch }) => epochStartMs(epoch) < atMs)
  const free = done.filter(({ epoch }) => vestingEndMs(epoch) <= atMs)
  const order = endowment + sumOf(free, ({ vested }) => vested)
  const esOrder = sumOf(done, ({ earned, vested, unstaked }) => earned - vested - unstaked)
  return { order, esOrder, all: order + esOrder }
}

/** The stake of some participants together just before a time. */
export function totalOf(stakers: readonly Staker[], atMs: number): number {
  return sumOf(stakers, (staker) => stakeAt(staker, atMs).all)
}

/** The end of the vesting of an epoch's earnings, which begins at the epoch's end. */
export function vestingEndMs(epoch: number): number {
  return epochStartMs(epoch + 1) + STAKING.vestingMs
}

/** The VALOR that a stake earns as a batch begins. */
export function valorOf(stake: number): number {
  return Math.floor(stake / STAKING.stakePerValor)
}

/** All stakes as of now, and the batches of a pool, oldest first; the last one is running. */
export type Staking = ReturnType<typeof stakingOf>

export function stakingOf(exchange: VenueState, nowMs: number) {
  const { seed, beginsAtMs } = exchange.simulation().engine.world
  const stakers = participantsOf(exchange, nowMs).map((each) => stakerOf(each, nowMs))
  const first = firstEpochOf({ beginsAtMs })
  const earnings = Map.groupBy(
    stakers.flatMap((each) => each.earnings),
    ({ epoch }) => epoch,
  )
  const epochs = Array.from({ length: epochOf(nowMs) - first + 1 }, (_, at) => ({
    epoch: first + at,
    fees: sumOf(earnings.get(first + at) ?? [], ({ fees }) => fees),
    staked: totalOf(stakers, epochStartMs(first + at)),
  }))
  return { nowMs, seed, stakers, batches: (name: PoolName) => batchesOf(name, seed, epochs, nowMs) }
}

/** The figures of a week: all fees, and all that was staked as it began. */
type Epoch = { readonly epoch: number; readonly fees: number; readonly staked: number }

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

export function batchesOf(
  name: PoolName,
  seed: number,
  epochs: readonly Epoch[],
  nowMs: number,
): Batch[] {
  const { revenuePercent, pays } = POOLS[name]
  const batches: Batch[] = []
  for (const { epoch, fees, staked } of epochs) {
    const [startMs, endMs] = [epochStartMs(epoch), epochStartMs(epoch + 1)]
    const revenue = mulDiv(Math.max(0, fees), revenuePercent, 100, 'floor')
    const price = pays === 'USDC' ? MICRO : orderPriceAt(seed, endMs - 1)
    const bought = endMs <= nowMs ? mulDiv(revenue, MICRO, price, 'floor') : 0
    const last = batches.at(-1)
    const place = { id: batches.length + 1, startMs, endMs }
    batches.push({
      ...{ ...place, revenue, bought },
      ...{ treasury: last?.bought ?? 0, valor: valorOf(staked) },
    })
  }
  return batches
}

/** What a batch pays for VALOR: never more than its treasury for all of it. */
export function paidBy({ treasury, valor }: Batch, own: number): number {
  return valor === 0 ? 0 : mulDiv(own, treasury, valor, 'floor')
}

/** The price of one ORDER on the UTC day of a time, micro-USDC: about 20 cents, by the seed alone. */
export function orderPriceAt(seed: number, atMs: number): number {
  const day = Math.floor(atMs / DAY_MS)
  return 200_000 + Math.round(80_000 * waveAt(stream(seed, 'order-price'), day / 14))
}
