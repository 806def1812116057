import { DAY_MS } from '../../spec/durations.ts'
import { stream } from '../base/rng.ts'
import { mulDiv } from '../base/units.ts'
import type { VenueState } from '../exchange/state.ts'
import { waveAt } from '../vaults/vault.ts'
import { epochsOf, type Participant, participantsOf, pointsOf } from './participants.ts'
import { POOLS, type Pool, poolOf } from './pools.ts'
import { epochOf, epochStartMs, firstEpochOf } from './tables.ts'

/**
 * This wire has no message to stake, so trading stakes: each point earns esORDER, which is staked at once. When
 * its epoch has ended, a part of it vests and a part is unstaked; what has vested is ORDER, and staked. Amounts are
 * micro-ORDER and micro-esORDER.
 */
const STAKING = {
  earnedPerPoint: 1000,
  vestingPercent: 40,
  unstakingPercent: 20,
  vestingMs: 90 * DAY_MS,
} as const

/** What a participant earned in one epoch; parts are zero until the epoch has ended. */
export type Earning = {
  readonly epoch: number
  readonly earned: number
  readonly vested: number
  readonly unstaked: number
}

/** What a participant has staked. */
export type Stake = { readonly order: number; readonly esOrder: number }

/** A participant with its earnings up to now, oldest first. */
export type Staker = Participant & { readonly earnings: readonly Earning[] }

/** Every stake, and the pools that pay for them, as of now. */
export type Staking = {
  readonly nowMs: number
  readonly stakers: readonly Staker[]
  readonly totalAt: (atMs: number) => number
  readonly pool: (name: keyof typeof POOLS) => Pool
}

/** The stakes of all participants. */
export function stakingOf(exchange: VenueState, nowMs: number): Staking {
  const { world } = exchange.simulation().engine
  const stakers = participantsOf(exchange, nowMs).map((each) => ({
    ...each,
    earnings: earningsOf(each, nowMs),
  }))
  const fees = new Map<number, number>()
  for (const staker of stakers)
    for (const row of epochsOf(staker)) fees.set(row.epoch, (fees.get(row.epoch) ?? 0) + row.fees)
  const totalAt = (atMs: number) =>
    stakers.reduce((sum, staker) => {
      const { order, esOrder } = stakeAt(staker, atMs)
      return sum + order + esOrder
    }, 0)
  return {
    nowMs,
    stakers,
    totalAt,
    pool: (name) =>
      poolOf(
        POOLS[name],
        {
          firstEpoch: firstEpochOf(world),
          feesIn: (epoch) => fees.get(epoch) ?? 0,
          stakedAt: totalAt,
          priceAt: (atMs) => orderPriceAt(world.seed, atMs),
        },
        nowMs,
      ),
  }
}

function earningsOf(participant: Participant, nowMs: number): Earning[] {
  const current = epochOf(nowMs)
  return epochsOf(participant).map((row) => {
    const earned = pointsOf(row) * STAKING.earnedPerPoint
    const part = (percent: number) =>
      row.epoch < current ? mulDiv(earned, percent, 100, 'floor') : 0
    return {
      epoch: row.epoch,
      earned,
      vested: part(STAKING.vestingPercent),
      unstaked: part(STAKING.unstakingPercent),
    }
  })
}

/** The stake of a participant just before a time. */
export function stakeAt(
  { endowment, earnings }: Pick<Staker, 'endowment' | 'earnings'>,
  atMs: number,
) {
  let [order, esOrder] = [endowment, 0]
  for (const { epoch, earned, vested, unstaked } of earnings) {
    if (epochStartMs(epoch) >= atMs) break
    esOrder += earned - vested - unstaked
    if (vestingEndMs(epoch) <= atMs) order += vested
  }
  return { order, esOrder }
}

/** What an epoch has given vests from its end on. */
export function vestingStartMs(epoch: number): number {
  return epochStartMs(epoch + 1)
}

export function vestingEndMs(epoch: number): number {
  return vestingStartMs(epoch) + STAKING.vestingMs
}

/** What is unstaked takes the whole epoch after the one that gave it. */
export function unstakingEndMs(epoch: number): number {
  return epochStartMs(epoch + 2)
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
