import { Failure } from '../../core/failure.ts'
import { isObject, type Row } from '../../core/json.ts'
import type { UpstreamResponse } from '../../core/ports.ts'
import type { Query } from '../../core/query.ts'
import { requiredSymbol } from '../../upstream/wire/symbol.ts'
import { type Answer, uncachedAnswer } from '../cache/answer.ts'
import { rowShape } from '../scrub/decimal-rows.ts'
import { queriedPayload, sendQuery } from '../venue/read.ts'
import { publicText, type TimedMarketAccess } from './cached-answers.ts'
import { readListed } from './operations.ts'
import { decimalText, plainRows } from './rows.ts'
import { convertibleRows, toInteger } from './typed-rows.ts'

const BOOK_LEVELS = 100

/** The current order book of one market. Every call reads it from the venue. */
export async function orderbook(deps: TimedMarketAccess, asked: Query): Promise<Answer> {
  const symbol = requiredSymbol(asked)
  const query = { type: 'orderbook', symbol, max_level: BOOK_LEVELS }
  const read = async () => bookIn(deps, await sendQuery(deps, query))
  const book = await readListed(deps, symbol, read, (found) => found === null)
  if (!book) throw new Failure('upstream_unavailable')
  return uncachedAnswer(publicText(deps, orderbookText(symbol, book, deps.venueClock.nowMs())))
}

type Book = {
  readonly payload: Row
  /** The sides as JSON text, in the form of the answer. */
  readonly asks: string
  readonly bids: string
}

const SIDES = ['asks', 'bids'] as const
/** The shape of a level in the answer. */
const PLAIN_LEVEL = rowShape([
  ['price', 'decimal'],
  ['quantity', 'decimal'],
])

/** The book in the venue's answer; null if a side is missing. */
function bookIn(deps: TimedMarketAccess, response: UpstreamResponse): Book | null {
  const plain = plainRows(response, SIDES, PLAIN_LEVEL)
  if (plain) {
    const [asks = '', bids = ''] = plain.lists.map(({ text }) => `[${text}]`)
    return { payload: plain.payload, asks, bids }
  }
  const payload = queriedPayload(response)
  if (!isObject(payload) || !SIDES.some((side) => side in payload)) return null
  const [asks = '', bids = ''] = SIDES.map((side) =>
    JSON.stringify(bookLevels(deps, payload[side])),
  )
  return { payload, asks, bids }
}

// If a side is empty the venue sends no mid price; the answer then has empty strings instead of null.
function orderbookText(symbol: string, { payload, asks, bids }: Book, nowMs: number): string {
  const head = JSON.stringify({
    symbol,
    mid_price: decimalText(payload['mid_price']) ?? '',
    spread: decimalText(payload['spread']) ?? '',
  })
  const ts = toInteger(payload['ts']) ?? nowMs
  return `${head.slice(0, -1)},"asks":${asks},"bids":${bids},"ts":${JSON.stringify(ts)}}`
}

function bookLevels(deps: TimedMarketAccess, side: unknown): readonly Row[] {
  return convertibleRows(deps, 'orderbook', Array.isArray(side) ? side : [], toLevel)
}

/** Parses a level, `{price, quantity}` or `[price, quantity]`; null unless both are amounts. */
function toLevel(level: unknown): Row | null {
  const [price, quantity] = levelAmounts(level).map(decimalText)
  const isLevel = price && quantity && !price.startsWith('-') && !quantity.startsWith('-')
  return isLevel ? { price, quantity } : null
}

function levelAmounts(level: unknown): readonly unknown[] {
  if (Array.isArray(level)) return level.slice(0, 2)
  return isObject(level) ? [level['price'], level['quantity']] : []
}
