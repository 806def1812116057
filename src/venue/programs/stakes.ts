import { DAY_MS } from '../../spec/durations.ts'
import type { Account } from '../engine/state.ts'
import { mulDiv } from '../engine/units.ts'
import { epochOf, epochStartMs } from './epochs.ts'
import { type Merits, pointsOf } from './merits.ts'

/**
 * Nobody signs a stake on this wire, so that trading stakes: each point earns esORDER, which is staked at once. When
 * its epoch has ended, a part of it vests and a part is unstaked; what has vested is ORDER, and staked. Amounts are
 * micro-ORDER and micro-esORDER.
 */
const STAKING = {
  earnedPerPoint: 1000,
  vestingPercent: 40,
  unstakingPercent: 20,
  vestingMs: 90 * DAY_MS,
} as const

/** What an account earned in one epoch, and where it went. */
export type Earning = {
  readonly epoch: number
  readonly earned: number
  /** Zero until the epoch has ended. */
  readonly vested: number
  readonly unstaked: number
}

/** What an account has staked. */
export type Stake = { readonly order: number; readonly esOrder: number }

/** What an account has earned up to now, oldest first. */
export function earningsOf(merits: Merits, account: Account, nowMs: number): readonly Earning[] {
  const current = epochOf(nowMs)
  return merits.epochsOf(account).map((row) => {
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

/** What of an account was staked at a time, of earnings up to then. */
export function stakeAt(endowment: number, earnings: readonly Earning[], atMs: number): Stake {
  let [order, esOrder] = [endowment, 0]
  for (const { epoch, earned, vested, unstaked } of earnings) {
    if (epochStartMs(epoch) >= atMs) break
    esOrder += earned - vested - unstaked
    if (vestingEndMs(epoch) <= atMs) order += vested
  }
  return { order, esOrder }
}

/** What an epoch has given begins to vest when it ends. */
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
