import { DAY_MS, HOUR_MS } from '../../contract/durations.ts'
import { openDayRow } from '../base/bounded-list.ts'
import { MICRO } from '../base/units.ts'
import { ORDER_ENUMS } from '../orders/request.ts'
import { notionalAt } from '../state/markets.ts'
import type { Match } from '../state/observer.ts'
import type { EngineOrder } from '../state/state.ts'
import { createEngineJournal, type EngineJournal } from './journal.ts'

/** An amount that may exceed the safe integers of micro-USDC: whole USDC, and the remaining micro-USDC. */
export type Total = { usdc: number; micros: number }

/** The turnover of all markets on one UTC day. Each trade counts once. */
export type TurnoverDay = Total & { readonly day: number; trades: number }

/** The turnover of all markets since the world began. */
export type TurnoverJournal = EngineJournal & {
  /** The latest days with trades, oldest first; at least a year. */
  readonly days: readonly TurnoverDay[]
  /** The turnover of all days, including days no longer listed. */
  readonly lifetime: Readonly<Total>
  /** The time at which the turnover began to be counted. */
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

/** Users' trades in a market and hour, by the builder in their orders' tags: in steps and in micro-USDC. */
export type HourRow = {
  /** Hours since 1970. */
  readonly hour: number
  readonly account: number
  readonly market: number
  /** The builder in the orders' tags; null for orders without such a tag. */
  readonly tagOwner: string | null
  quantity: number
  amount: number
}

/** Users' trades of the current hour and of the 23 hours before. */
type HourJournal = EngineJournal & {
  /** Rows, oldest first. */
  readonly rows: readonly HourRow[]
}

/** Hours that are kept: the current one and the 23 before it. */
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

/** The row with a key. Only the newest rows are searched; a missing row is created. */
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

/** The builder in an order tag `enum:<builder>:<id>`; null for any other tag. */
function tagOwner(tag: string | null): string | null {
  if (tag === null) return null
  const [, owner = null, id] = ENUM_TAG.exec(tag) ?? []
  return ORDER_ENUMS.some((each) => each.id === id) ? owner : null
}
