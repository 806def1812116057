import { type Exact, memberOf, rowsOf, textOf } from '../../../common/exact-json.ts'
import { withRows } from '../candle-rows.ts'

/** A message of the server about one topic. */
export type Told = { readonly type: string; readonly data: Exact }

const TRADES_MAX = 50

/** What follows a topic's first message is this: levels that changed, rows that were added, or all of it anew. */
const TAKES: Readonly<Record<string, (before: Exact, change: Exact) => Exact>> = {
  orderbook: (before, change) => ({
    asks: patched(before, change, 'asks'),
    bids: patched(before, change, 'bids'),
  }),
  trades: (before, change) => ({
    trades: [...rowsOf(change, 'trades'), ...rowsOf(before, 'trades')].slice(0, TRADES_MAX),
  }),
  candles: withRows,
}

/** The state of a topic after a message. */
export function taken(topic: string, before: Exact | null, { type, data }: Told): Exact {
  if (type === 'snapshot' || before === null) return data
  const [name = ''] = topic.split(':')
  return TAKES[name]?.(before, data) ?? data
}

/** One side of a book after a change: `[price, quantity]`, of which a quantity of 0 removes the level. */
function patched(before: Exact, change: Exact, side: 'asks' | 'bids'): Exact {
  const levels = new Map(rowsOf(before, side).map((row) => [textOf(row, 'price'), row]))
  for (const pair of rowsOf(change, side)) {
    if (!Array.isArray(pair)) continue
    const [price, quantity]: readonly Exact[] = pair
    if (typeof price !== 'string' || typeof quantity !== 'string') continue
    if (quantity === '0') levels.delete(price)
    else levels.set(price, { price, quantity })
  }
  const sign = side === 'asks' ? 1 : -1
  // Floats order the levels, and nothing else is done with them.
  const priceOf = (row: Exact) => sign * Number(textOf(row, 'price'))
  return [...levels.values()].sort((a, b) => priceOf(a) - priceOf(b))
}

/** The number of a member that counts; NaN where there is none. */
export function countOf(message: Exact, name: string): number {
  const text = memberOf(message, name)
  return typeof text === 'string' ? Number(text) : Number.NaN
}
