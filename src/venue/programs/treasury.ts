import type { Account } from '../engine/state.ts'
import { tradersOf } from '../exchange/seat.ts'
import type { Exchange } from '../exchange/state.ts'
import type { Merits } from './merits.ts'
import { POOLS, type Pool, poolOf } from './pools.ts'
import { type Earning, earningsOf, type Stake, stakeAt } from './stakes.ts'

/** Everything that is staked, and what the pools make of it, as of now. */
export type Treasury = {
  readonly stakeOf: (account: Account) => Stake
  readonly earningsOf: (account: Account) => readonly Earning[]
  /** What all had staked at a time. */
  readonly totalAt: (atMs: number) => number
  readonly pool: (name: keyof typeof POOLS) => Pool
}

/** Adds up the stakes of all who trade. */
export function treasuryOf(exchange: Exchange, merits: Merits, nowMs: number): Treasury {
  const { firstEpoch, endowments } = merits.past()
  const holders = tradersOf(exchange).map((account) => ({
    account,
    endowment: endowments.get(account.number) ?? 0,
    earnings: earningsOf(merits, account, nowMs),
  }))
  const byNumber = new Map(holders.map((holder) => [holder.account.number, holder]))
  const fees = new Map<number, number>()
  for (const { account } of holders)
    for (const row of merits.epochsOf(account))
      fees.set(row.epoch, (fees.get(row.epoch) ?? 0) + row.fees)

  function stakesAt(atMs: number): Map<number, number> {
    return new Map(
      holders.map(({ account, endowment, earnings }) => {
        const { order, esOrder } = stakeAt(endowment, earnings, atMs)
        return [account.number, order + esOrder] as const
      }),
    )
  }

  return {
    earningsOf: ({ number }) => byNumber.get(number)?.earnings ?? [],
    stakeOf: ({ number }) => {
      const holder = byNumber.get(number)
      return holder ? stakeAt(holder.endowment, holder.earnings, nowMs + 1) : NOTHING
    },
    totalAt: (atMs) => {
      let total = 0
      for (const stake of stakesAt(atMs).values()) total += stake
      return total
    },
    pool: (name) =>
      poolOf(
        POOLS[name],
        {
          seed: exchange.floor().engine.world.seed,
          firstEpoch,
          feesIn: (epoch) => fees.get(epoch) ?? 0,
          stakesAt,
        },
        nowMs,
      ),
  }
}

const NOTHING: Stake = { order: 0, esOrder: 0 }
