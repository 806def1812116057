import { isObject } from '../../core/json.ts'
import type { Row } from './rows.ts'
import { type LiveTopic, type Source, whole } from './topic.ts'

const BOOK_LEVELS = 100

/** The order book as the wire writes it: pairs of numbers. Undefined where there is no such market. */
export function bookNow({ peek }: Pick<Source, 'peek'>, symbol: string): Row | undefined {
  const body = JSON.stringify({ type: 'orderbook', symbol, max_level: BOOK_LEVELS })
  const found = peek('/v1/public/query', { body })
  if (!isObject(found)) return undefined
  return { symbol, asks: pairsOf(found['asks']), bids: pairsOf(found['bids']) }
}

/** The whole book, each time it has changed. */
export function wholeBook(symbol: string): LiveTopic {
  return { ...book(symbol), beatMs: 1000, isState: true, tell: whole }
}

/** What of the book has changed: a quantity of zero takes a level away. */
export function book(symbol: string): LiveTopic {
  return {
    symbol,
    beatMs: 200,
    read: (source) => bookNow(source, symbol),
    tell: (now, before) => {
      if (!isObject(now) || !isObject(before)) return []
      const asks = levelsChanged(now['asks'], before['asks'])
      const bids = levelsChanged(now['bids'], before['bids'])
      return asks.length + bids.length === 0 ? [] : [{ symbol, asks, bids }]
    },
  }
}

type Pair = readonly [price: unknown, quantity: unknown]

function pairsOf(levels: unknown): readonly Pair[] {
  return (Array.isArray(levels) ? levels : [])
    .filter(isObject)
    .map(({ price, quantity }) => [Number(price), Number(quantity)])
}

function levelsChanged(now: unknown, before: unknown): readonly Pair[] {
  const [after, old] = [quantities(now), quantities(before)]
  const changed = [...after].filter(([price, quantity]) => old.get(price) !== quantity)
  return [
    ...changed,
    ...[...old.keys()].filter((price) => !after.has(price)).map((price) => [price, 0] as const),
  ]
}

function quantities(levels: unknown): Map<unknown, unknown> {
  return new Map(Array.isArray(levels) ? levels : [])
}
