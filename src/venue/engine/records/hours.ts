import { HOUR_MS } from '../../../spec/durations.ts'
import { tagOwner } from '../../programs/tags.ts'
import { createJournal, type Journal } from '../journal.ts'
import { worthOf } from '../markets.ts'
import type { Match } from '../observer.ts'
import type { Order } from '../state.ts'

/** What a user's orders with one builder's tags, or without, traded in a market in one hour: steps and micro-USDC. */
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

/** The trading of users in the running hour and those before it. */
export type HourJournal = Journal & {
  /** Oldest first. */
  readonly rows: readonly HourRow[]
}

/** The running hour and those before it that make a day. */
export const HOURS_KEPT = 24

export function createHours(): HourJournal {
  const rows: HourRow[] = []

  function count(order: Order, { market, price, quantity, atMs }: Match): void {
    const { account } = order.exposure
    if (account.kind !== 'user') return
    const hour = Math.floor(atMs / HOUR_MS)
    if (rows.at(-1)?.hour !== hour) drop(rows, hour)
    const key = { hour, account: account.number, market: market.number }
    const row = rowOf(rows, { ...key, tagOwner: tagOwner(order.orderTag) })
    row.quantity += quantity
    row.amount += worthOf(market.spec, price, quantity)
  }

  const journal = createJournal('hours', rows, {
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

/** The row of a key, which is among the newest where there is one. */
function rowOf(rows: HourRow[], key: Omit<HourRow, 'quantity' | 'amount'>): HourRow {
  const { hour, account, market, tagOwner: owner } = key
  for (let at = rows.length - 1; at >= 0 && rows[at]?.hour === hour; at--) {
    const row = rows[at]
    if (row?.account === account && row.market === market && row.tagOwner === owner) return row
  }
  const fresh = { ...key, quantity: 0, amount: 0 }
  rows.push(fresh)
  return fresh
}
