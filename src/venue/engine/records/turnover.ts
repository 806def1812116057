import { DAY_MS } from '../../../spec/durations.ts'
import { createJournal, type Journal } from '../journal.ts'
import { worthOf } from '../markets.ts'
import { dayOf } from '../ring.ts'
import { MICRO } from '../units.ts'

/** An amount that one safe integer of micro-USDC does not hold: whole USDC, and the micros beside them. */
export type Total = { usdc: number; micros: number }

/** What all markets traded on one UTC day, each trade counted once. */
export type TurnoverDay = Total & { readonly day: number; trades: number }

/** What all markets have traded since genesis. */
export type TurnoverJournal = Journal & {
  /** The latest days with trades, oldest first: enough for a year. */
  readonly days: readonly TurnoverDay[]
  /** Over all days, dropped ones included. */
  readonly lifetime: Readonly<Total>
  /** When counting began. */
  readonly fromMs: () => number
}

export function createTurnover(): TurnoverJournal {
  const days: TurnoverDay[] = []
  const lifetime: Total = { usdc: 0, micros: 0 }
  const state = { days, lifetime, fromMs: 0 }
  const journal = createJournal('turnover', state, {
    begin: ({ nowMs }) => {
      state.fromMs = nowMs
    },
    observer: {
      matched: ({ market, price, quantity, atMs }) => {
        const amount = worthOf(market.spec, price, quantity)
        const today = dayOf(days, Math.floor(atMs / DAY_MS), newDay)
        today.trades += 1
        add(today, amount)
        add(lifetime, amount)
      },
    },
  })
  return { ...journal, days, lifetime, fromMs: () => state.fromMs }
}

function newDay(day: number): TurnoverDay {
  return { day, usdc: 0, micros: 0, trades: 0 }
}

function add(total: Total, amount: number): void {
  const micros = total.micros + (amount % MICRO)
  total.usdc += Math.floor(amount / MICRO) + Math.floor(micros / MICRO)
  total.micros = micros % MICRO
}
