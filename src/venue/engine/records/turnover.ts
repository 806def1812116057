import { DAY_MS } from '../../../spec/durations.ts'
import type { Keeper } from '../keeper.ts'
import { worthOf } from '../markets.ts'
import { MICRO } from '../units.ts'

/** An amount that one safe integer of micro-USDC does not hold: whole USDC, and the micros beside them. */
export type Total = { usdc: number; micros: number }

/** What all markets traded on one UTC day, each trade counted once. */
export type TurnoverDay = Total & { readonly day: number; trades: number }

/** What all markets have traded since genesis. */
export type TurnoverKeeper = Keeper & {
  /** The latest days with trades, oldest first: enough for a year. */
  readonly days: readonly TurnoverDay[]
  /** Over all days, those that are no longer kept as well. */
  readonly lifetime: Readonly<Total>
  /** Since when it has been counted. */
  readonly fromMs: () => number
}

const DAYS_KEPT_MAX = 400

export function createTurnover(): TurnoverKeeper {
  const days: TurnoverDay[] = []
  const lifetime: Total = { usdc: 0, micros: 0 }
  let fromMs = 0

  function dayOf(atMs: number): TurnoverDay {
    const day = Math.floor(atMs / DAY_MS)
    const newest = days.at(-1)
    if (newest?.day === day) return newest
    const fresh = { day, usdc: 0, micros: 0, trades: 0 }
    days.push(fresh)
    if (days.length > DAYS_KEPT_MAX) days.shift()
    return fresh
  }

  return {
    name: 'turnover',
    days,
    lifetime,
    fromMs: () => fromMs,
    begin: ({ nowMs }) => {
      fromMs = nowMs
    },
    observer: {
      matched: ({ market, price, quantity, atMs }) => {
        const amount = worthOf(market.spec, price, quantity)
        const today = dayOf(atMs)
        today.trades += 1
        add(today, amount)
        add(lifetime, amount)
      },
    },
    save: () => ({ days, lifetime, fromMs }),
    load: (_world, saved) => {
      // Only `save` above has written it; an older snapshot has none.
      const kept = saved as Saved | undefined
      if (!kept) return
      days.push(...kept.days)
      Object.assign(lifetime, kept.lifetime)
      fromMs = kept.fromMs
    },
  }
}

type Saved = {
  readonly days: readonly TurnoverDay[]
  readonly lifetime: Total
  readonly fromMs: number
}

function add(total: Total, amount: number): void {
  const micros = total.micros + (amount % MICRO)
  total.usdc += Math.floor(amount / MICRO) + Math.floor(micros / MICRO)
  total.micros = micros % MICRO
}
