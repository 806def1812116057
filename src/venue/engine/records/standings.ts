import { DAY_MS } from '../../../spec/durations.ts'
import type { Keeper } from '../keeper.ts'
import type { Account } from '../state.ts'

/** How often an account traded on one UTC day, and how often it closed something with a gain. */
export type StandingDay = { readonly day: number; trades: number; closes: number; wins: number }

/** What the leaderboard knows beyond balances and volumes: of agents and users alike. */
export type StandingKeeper = Keeper & {
  /** Oldest first. */
  readonly of: (account: Account) => readonly StandingDay[]
}

/** The longest window of the leaderboard, and a day cut at either end. */
const DAYS_KEPT_MAX = 32

export function createStandings(): StandingKeeper {
  const standings = new Map<number, StandingDay[]>()

  function of({ number }: Account): StandingDay[] {
    const known = standings.get(number)
    if (known) return known
    const fresh: StandingDay[] = []
    standings.set(number, fresh)
    return fresh
  }

  function count(account: Account, pnl: number, atMs: number): void {
    const today = dayOf(of(account), Math.floor(atMs / DAY_MS))
    today.trades += 1
    if (pnl !== 0) today.closes += 1
    if (pnl > 0) today.wins += 1
  }

  return {
    name: 'standings',
    of,
    observer: {
      matched: ({ taker, maker, takerPnl, makerPnl, atMs }) => {
        count(taker.exposure.account, takerPnl, atMs)
        count(maker.exposure.account, makerPnl, atMs)
      },
    },
    save: () => [...standings],
    load: (_world, saved) => {
      // Only `save` above has written it; an older snapshot has none.
      for (const [account, days] of (saved ?? []) as [number, StandingDay[]][])
        standings.set(account, days)
    },
  }
}

function dayOf(days: StandingDay[], day: number): StandingDay {
  const newest = days.at(-1)
  if (newest?.day === day) return newest
  const today = { day, trades: 0, closes: 0, wins: 0 }
  days.push(today)
  if (days.length > DAYS_KEPT_MAX) days.shift()
  return today
}
