import { DAY_MS } from '../../spec/durations.ts'
import { mulDiv, sumOf } from '../base/units.ts'
import type { VenueState } from '../exchange/state.ts'
import { epochsOf, type Participant, participantsOf, pointsOf } from './participants.ts'
import { type Batch, batchesOf, type PoolName } from './pools.ts'
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

/** A participant's earnings in one epoch; parts are zero until the epoch has ended. */
type Earning = {
  readonly epoch: number
  readonly earned: number
  readonly vested: number
  readonly unstaked: number
}

/** A participant with its earnings up to now, oldest first. */
export type Staker = Participant & { readonly earnings: readonly Earning[] }

/** All stakes as of now. */
export type Staking = {
  readonly nowMs: number
  readonly seed: number
  readonly stakers: readonly Staker[]
  /** The batches of a pool, oldest first; the last one is running. */
  readonly batches: (name: PoolName) => readonly Batch[]
}

/** The stakes of all participants. */
export function stakingOf(exchange: VenueState, nowMs: number): Staking {
  const { seed, beginsAtMs } = exchange.simulation().engine.world
  const stakers = participantsOf(exchange, nowMs).map((each) => ({
    ...each,
    earnings: earningsOf(each, nowMs),
  }))
  const fees = new Map<number, number>()
  for (const staker of stakers)
    for (const row of epochsOf(staker)) fees.set(row.epoch, (fees.get(row.epoch) ?? 0) + row.fees)
  const parts = {
    ...{ seed, nowMs, firstEpoch: firstEpochOf({ beginsAtMs }) },
    feesIn: (epoch: number) => fees.get(epoch) ?? 0,
    stakedAt: (atMs: number) => totalOf(stakers, atMs),
  }
  return { nowMs, seed, stakers, batches: (name) => batchesOf(name, parts) }
}

function earningsOf(participant: Participant, nowMs: number): Earning[] {
  const current = epochOf(nowMs)
  return epochsOf(participant).map((row) => {
    const earned = pointsOf(row) * STAKING.earnedPerPoint
    const part = (percent: number) =>
      row.epoch < current ? mulDiv(earned, percent, 100, 'floor') : 0
    return {
      ...{ epoch: row.epoch, earned },
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
