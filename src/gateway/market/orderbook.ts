import { type Answer, fresh } from '../../cache/answer.ts'
import { Failure } from '../../core/failure.ts'
import { isObject, numberOf } from '../../core/json.ts'
import type { Query } from '../../core/query.ts'
import { symbolOf } from '../../wire/symbol.ts'
import { queryVenue } from '../venue-read.ts'
import { decimalText } from './decimal-text.ts'
import type { TimedDeps } from './deps.ts'
import { ofListed } from './listed.ts'
import type { WireRow } from './rows.ts'
import { publicReply } from './shaped.ts'

const BOOK_LEVELS = 100

/** The order book of one market as it is now: never cached, never shared in flight. */
export async function orderbook(deps: TimedDeps, asked: Query): Promise<Answer> {
  const symbol = symbolOf(asked)
  const query = { type: 'orderbook', symbol, max_level: BOOK_LEVELS }
  const read = async () => bookIn(await queryVenue(deps, query))
  const book = await ofListed(deps, symbol, read, (found) => found === null)
  if (!book) throw new Failure('upstream_unavailable')
  return fresh(publicReply(deps, bookOf(symbol, book, deps.venueClock.nowMs())))
}

/** What the venue sent, if it is a book at all: it has a side. */
function bookIn(payload: unknown): WireRow | null {
  return isObject(payload) && SIDES.some((side) => side in payload) ? payload : null
}

const SIDES = ['asks', 'bids'] as const

// An empty side leaves the venue without a middle; the strings of the answer are then empty, never null.
function bookOf(symbol: string, payload: WireRow, nowMs: number): WireRow {
  return {
    symbol,
    mid_price: decimalText(payload['mid_price']) ?? '',
    spread: decimalText(payload['spread']) ?? '',
    asks: levelsOf(payload['asks']),
    bids: levelsOf(payload['bids']),
    ts: Math.trunc(numberOf(payload['ts']) ?? nowMs),
  }
}

function levelsOf(side: unknown): readonly WireRow[] {
  return Array.isArray(side) ? side.flatMap(levelOf) : []
}

/** A level in either spelling, `{price, quantity}` or `[price, quantity]`; none where one of them is no amount. */
function levelOf(level: unknown): readonly WireRow[] {
  const [price, quantity] = amountsOf(level).map(decimalText)
  if (!price || !quantity || price.startsWith('-') || quantity.startsWith('-')) return []
  return [{ price, quantity }]
}

function amountsOf(level: unknown): readonly unknown[] {
  if (Array.isArray(level)) return level.slice(0, 2)
  return isObject(level) ? [level['price'], level['quantity']] : []
}
