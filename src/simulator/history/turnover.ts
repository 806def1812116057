import { DAY_MS, HOUR_MS } from '../../contract/durations.ts'
import { openDayRow } from '../base/bounded-list.ts'
import { MICRO } from '../base/units.ts'
import { ORDER_ENUMS } from '../orders/request.ts'
import { notionalAt } from '../state/markets.ts'
import type { Match } from '../state/observer.ts'
import type { EngineOrder } from '../state/state.ts'
import { createEngineJournal, type EngineJournal } from './journal.ts'

/** An amount above the safe integers of micro-USDC, as whole USDC and remaining micro-USDC. */
export type Total = { usdc: number; micros: number }

/** The turnover of all markets on one UTC day, each trade counted once. */
export type TurnoverDay = Total & { readonly day: number; trades: number }

/** The turnover of all markets since the world began. */
export type TurnoverJournal = EngineJournal & {
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
  const journal = createEngineJournal('turnover', state, {
    begin: ({ nowMs }) => {
      state.fromMs = nowMs
    },
    observer: {
      matched: ({ market, price, quantity, atMs }) => {
        const amount = notionalAt(market.spec, price, quantity)
        const today = openDayRow(days, Math.floor(atMs / DAY_MS), newDay)
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

/** The trades of a user in a market and hour, by the builder of the orders' tags: steps and micro-USDC. */
export type HourRow = {
  /** Hours since 1970. */
  readonly hour: number
  readonly account: number
  readonly market: number
  /** The builder whose tag the orders carry. */
  readonly tagOwner: string | null
  quantity: number
  amount: number
}

/** The trades of users in the current hour and those before it. */
type HourJournal = EngineJournal & {
  /** Oldest first. */
  readonly rows: readonly HourRow[]
}

/** The current hour and the 23 before it. */
export const HOURS_KEPT = 24

export function createHours(): HourJournal {
  const rows: HourRow[] = []

  function count(order: EngineOrder, { market, price, quantity, atMs }: Match): void {
    const { account } = order.marketAccount
    if (account.kind !== 'user') return
    const hour = Math.floor(atMs / HOUR_MS)
    if (rows.at(-1)?.hour !== hour) drop(rows, hour)
    const key = { hour, account: account.number, market: market.number }
    const row = openHourRow(rows, { ...key, tagOwner: tagOwner(order.orderTag) })
    row.quantity += quantity
    row.amount += notionalAt(market.spec, price, quantity)
  }

  const journal = createEngineJournal('hours', rows, {
    observer: {
      matched: (match) => {
        count(match.taker, match)
        count(match.maker, match)
      },
    },
  })
  return { ...journal, rows }
}

function drop(rows: HourRow[], hour: number): void {
  const kept = rows.findIndex((row) => row.hour > hour - HOURS_KEPT)
  rows.splice(0, kept < 0 ? rows.length : kept)
}

/** The row of a key, searched among the newest and created when missing. */
function openHourRow(rows: HourRow[], key: Omit<HourRow, 'quantity' | 'amount'>): HourRow {
  const { hour, account, market, tagOwner: owner } = key
  for (let at = rows.length - 1; at >= 0 && rows[at]?.hour === hour; at--) {
    const row = rows[at]
    if (row?.account === account && row.market === market && row.tagOwner === owner) return row
  }
  const fresh = { ...key, quantity: 0, amount: 0 }
  rows.push(fresh)
  return fresh
}

const ENUM_TAG = /^enum:([^:]{1,64}):([A-Z0-9_]{1,36})$/

/** The builder whose tag an order carries, `enum:<builder>:<id>`; null for any other text. */
function tagOwner(tag: string | null): string | null {
  if (tag === null) return null
  const [, owner = null, id] = ENUM_TAG.exec(tag) ?? []
  return ORDER_ENUMS.some((each) => each.id === id) ? owner : null
}
