import { DAY_MS } from '../../contract/durations.ts'
import { safeMulDiv, sumBy } from '../base/units.ts'
import type { VenueState } from '../exchange/state.ts'
import { allParticipants, type Participant, participantEpochs } from './participants.ts'
import { type PoolName, poolBatches } from './pools.ts'
import { epochAt, epochStartMs, firstEpoch } from './tables.ts'

/**
 * The wire has no message for staking, so trading earns stakes: each point earns esORDER, which is staked at once.
 * After the epoch, a part of it starts to vest as ORDER and a part is unstaked. Amounts are micro-ORDER and
 * micro-esORDER.
 */
const STAKING = {
  earnedPerPoint: 1000,
  vestingPercent: 40,
  unstakingPercent: 20,
  vestingMs: 90 * DAY_MS,
} as const

/** A participant with its earnings by epoch, oldest first. Vested and unstaked parts are 0 until the epoch ends. */
export type Staker = ReturnType<typeof toStaker>

export function toStaker(participant: Participant, nowMs: number) {
  const earnings = participantEpochs(participant).map(({ epoch, fees, points }) => {
    const earned = points * STAKING.earnedPerPoint
    const part = (percent: number) =>
      epoch < epochAt(nowMs) ? safeMulDiv(earned, percent, 100, 'floor') : 0
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
  const order = endowment + sumBy(free, ({ vested }) => vested)
  const esOrder = sumBy(done, ({ earned, vested, unstaked }) => earned - vested - unstaked)
  return { order, esOrder, all: order + esOrder }
}

/** The sum of several participants' stakes just before a time. */
export function totalStake(stakers: readonly Staker[], atMs: number): number {
  return sumBy(stakers, (staker) => stakeAt(staker, atMs).all)
}

/** The time at which the earnings of an epoch have vested. Vesting begins at the end of the epoch. */
export function vestingEndMs(epoch: number): number {
  return epochStartMs(epoch + 1) + STAKING.vestingMs
}

/** All stakes at a time, and the batches of a pool, oldest first. The last batch is still running. */
export type Staking = ReturnType<typeof stakingState>

export function stakingState(exchange: VenueState, nowMs: number) {
  const { seed, beginsAtMs } = exchange.simulation().engine.world
  const stakers = allParticipants(exchange, nowMs).map((each) => toStaker(each, nowMs))
  const first = firstEpoch({ beginsAtMs })
  const earnings = Map.groupBy(
    stakers.flatMap((each) => each.earnings),
    ({ epoch }) => epoch,
  )
  const epochs = Array.from({ length: epochAt(nowMs) - first + 1 }, (_, at) => ({
    epoch: first + at,
    fees: sumBy(earnings.get(first + at) ?? [], ({ fees }) => fees),
    staked: totalStake(stakers, epochStartMs(first + at)),
  }))
  return {
    nowMs,
    seed,
    stakers,
    batches: (name: PoolName) => poolBatches(name, seed, epochs, nowMs),
  }
}
