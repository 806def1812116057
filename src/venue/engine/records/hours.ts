import { HOUR_MS } from '../../../spec/durations.ts'
import { tagOwner } from '../../programs/tags.ts'
import type { Keeper } from '../keeper.ts'
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

/** What users traded in the running hour and those before it. */
export type HourKeeper = Keeper & {
  /** Oldest first. */
  readonly rows: readonly HourRow[]
}

/** The running hour and those before it that make a day. */
export const HOURS_KEPT = 24

export function createHours(): HourKeeper {
  const rows: HourRow[] = []
  const current = new Map<string, HourRow>()

  function enter(row: HourRow): void {
    current.set(keyOf(row), row)
    rows.push(row)
  }

  function begin(hour: number): void {
    if (rows.at(-1)?.hour === hour) return
    current.clear()
    const kept = rows.findIndex((row) => row.hour > hour - HOURS_KEPT)
    rows.splice(0, kept < 0 ? rows.length : kept)
  }

  function count(order: Order, { market, price, quantity, atMs }: Match): void {
    const { account } = order.exposure
    if (account.kind !== 'user') return
    const hour = Math.floor(atMs / HOUR_MS)
    begin(hour)
    const of = { hour, account: account.number, market: market.number }
    const empty = { ...of, tagOwner: tagOwner(order.orderTag), quantity: 0, amount: 0 }
    const row = current.get(keyOf(empty)) ?? empty
    if (row === empty) enter(row)
    row.quantity += quantity
    row.amount += worthOf(market.spec, price, quantity)
  }

  return {
    name: 'hours',
    rows,
    observer: {
      matched: (match) => {
        count(match.taker, match)
        count(match.maker, match)
      },
    },
    save: () => rows,
    load: (_world, saved) => {
      // Only `save` above has written it; an older snapshot has none.
      for (const row of (saved ?? []) as HourRow[]) {
        begin(row.hour)
        enter(row)
      }
    },
  }
}

function keyOf({ account, market, tagOwner: owner }: HourRow): string {
  return `${account}/${market}/${owner ?? ''}`
}
