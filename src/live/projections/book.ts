import { STREAM_LIMITS } from '../../contract/stream/limits.ts'
import { formatDecimal, parseDecimal, SCALE } from '../../core/decimals.ts'
import type { FeedMessage } from '../../core/feed.ts'
import {
  type BookChanges,
  bookChanges,
  isNextMessage,
  type LevelChanges,
  LIVE_TOPICS,
} from '../../upstream/wire/live.ts'
import type { Projection, ProjectionSources, TopicChange } from './projection.ts'

/** Quantities by price, both scaled. */
type Side = Map<bigint, bigint>
type Level = readonly [price: bigint, quantity: bigint]
type Levels = readonly Level[]
/** Best first. */
type Sides = { readonly asks: Levels; readonly bids: Levels }

/** Number of decimal places of a market's prices and quantities. */
type DecimalPlaces = { readonly price: number; readonly quantity: number }

/** All levels from the venue's messages, and the last published levels. Times are the venue's. */
type Book = {
  asks: Side
  bids: Side
  /** Time of the last message. */
  lastMs: number
  /** Whether the book is unchanged since it was read. */
  isFresh: boolean
  crossedSinceMs: number | null
  places: DecimalPlaces
  shown: Sides
  shownMs: number
}

/**
 * The order book of one market. It holds all levels and publishes the best levels. A change is the difference between
 * two publications, so it covers all messages in between. A crossed book is not published; a book that stays crossed
 * counts as a gap.
 */
export function bookProjection(
  { feed, reads, clock }: ProjectionSources,
  symbol: string,
): Projection {
  let book = emptyBook()
  return {
    topics: [LIVE_TOPICS.book(symbol)],
    load: async () => {
      const [ticks, message] = await Promise.all([reads.ticks(symbol), feed.book(symbol)])
      const places = { price: decimalPlaces(ticks.price), quantity: decimalPlaces(ticks.quantity) }
      book = snapshotBook(message, places)
    },
    apply: (message) => apply(book, message, clock.nowMs()),
    snapshot: () => bookSnapshot(symbol, book.shown, book.shownMs, book.places),
    drainDelta: () => drainDelta(book, clock.nowMs()),
  }
}

function emptyBook(): Book {
  return {
    asks: new Map(),
    bids: new Map(),
    lastMs: 0,
    isFresh: true,
    crossedSinceMs: null,
    places: { price: 0, quantity: 0 },
    shown: { asks: [], bids: [] },
    shownMs: 0,
  }
}

/** The book of a snapshot message. Throws MalformedMessage, and RangeError for a crossed book. */
function snapshotBook({ data, atMs }: FeedMessage, places: DecimalPlaces): Book {
  const book = { ...emptyBook(), places, lastMs: atMs, shownMs: atMs }
  putChanges(book, bookChanges(data))
  book.shown = bestLevels(book.asks, book.bids)
  if (isCrossed(book.shown)) throw new RangeError('crossed book')
  return book
}

function putChanges({ asks, bids }: Book, changes: BookChanges): void {
  putLevels(asks, changes.asks)
  putLevels(bids, changes.bids)
}

function apply(book: Book, { data, atMs }: FeedMessage, nowMs: number): boolean {
  const changes = bookChanges(data)
  // The read book already contains this message.
  if (atMs <= book.lastMs) return true
  if (!isNextMessage(book, changes)) return false
  book.isFresh = false
  book.lastMs = atMs
  putChanges(book, changes)
  const { crossedSinceMs } = book
  return crossedSinceMs === null || nowMs - crossedSinceMs < STREAM_LIMITS.bookCrossedMaxMs
}

function drainDelta(book: Book, nowMs: number): TopicChange | undefined {
  if (book.lastMs === book.shownMs) return undefined
  const { shown, places, lastMs } = book
  const sides = bestLevels(book.asks, book.bids)
  if (isCrossed(sides)) {
    book.crossedSinceMs ??= nowMs
    return undefined
  }
  book.crossedSinceMs = null
  book.shown = sides
  book.shownMs = lastMs
  const asks = differences(shown.asks, sides.asks).map((level) => levelText(level, places))
  const bids = differences(shown.bids, sides.bids).map((level) => levelText(level, places))
  if (asks.length + bids.length === 0) return undefined
  return { type: 'delta', data: { asks, bids, ts: lastMs } }
}

/** Applies a message's levels; a quantity of zero removes a level. */
function putLevels(side: Side, changes: LevelChanges): void {
  for (const [price, quantity] of scaledLevels(changes)) {
    if (quantity === 0n) side.delete(price)
    else side.set(price, quantity)
  }
}

/** The published levels. */
function bestLevels(asks: Side, bids: Side): Sides {
  return {
    asks: bestFirst(asks, (a, b) => a < b),
    bids: bestFirst(bids, (a, b) => a > b),
  }
}

/** Whether the best bid reaches the best ask, which no valid book has. */
function isCrossed({ asks: [ask], bids: [bid] }: Sides): boolean {
  return ask !== undefined && bid !== undefined && bid[0] >= ask[0]
}

/** The difference of two states: changed and new levels, and zeros for removed levels. */
function differences(before: Levels, after: Levels): Levels {
  const old = new Map(before)
  const kept = new Set(after.map(([price]) => price))
  const changed = after.filter(([price, quantity]) => old.get(price) !== quantity)
  const gone = before.filter(([price]) => !kept.has(price)).map(([price]) => [price, 0n] as const)
  return [...changed, ...gone]
}

/** A book in the route's format; an empty side leaves middle and spread empty. */
function bookSnapshot(symbol: string, { asks, bids }: Sides, ts: number, places: DecimalPlaces) {
  const ask = asks[0]?.[0]
  const bid = bids[0]?.[0]
  const isTwoSided = ask !== undefined && bid !== undefined
  return {
    symbol,
    mid_price: isTwoSided ? formatDecimal((ask + bid) / 2n, SCALE) : '',
    spread: isTwoSided ? paddedDecimal(ask - bid, places.price) : '',
    asks: asks.map((level) => levelRow(level, places)),
    bids: bids.map((level) => levelRow(level, places)),
    ts,
  }
}

/** A level of a change: price and quantity as text. */
function levelText(
  [price, quantity]: Level,
  places: DecimalPlaces,
): readonly [price: string, quantity: string] {
  return [
    paddedDecimal(price, places.price),
    quantity === 0n ? '0' : paddedDecimal(quantity, places.quantity),
  ]
}

/** The decimal places of a tick. */
function decimalPlaces(tick: string): number {
  return formatDecimal(parseDecimal(tick, SCALE) ?? 1n, SCALE).split('.')[1]?.length ?? 0
}

function levelRow(level: Level, places: DecimalPlaces) {
  const [price, quantity] = levelText(level, places)
  return { price, quantity }
}

/** A value with the tick's number of decimal places, or more if needed. */
function paddedDecimal(value: bigint, places: number): string {
  const [whole = '', fraction = ''] = formatDecimal(value, SCALE).split('.')
  return places === 0 && fraction === '' ? whole : `${whole}.${fraction.padEnd(places, '0')}`
}

function bestFirst(side: Side, isBetter: (a: bigint, b: bigint) => boolean): Levels {
  const sorted = [...side].sort(([a], [b]) => (isBetter(a, b) ? -1 : 1))
  return sorted.slice(0, STREAM_LIMITS.bookLevels)
}

function scaledLevels(changes: LevelChanges): Levels {
  return changes.flatMap(([price, quantity]) => {
    const level = [parseDecimal(String(price), SCALE), parseDecimal(String(quantity), SCALE)]
    const [scaledPrice = null, scaledQuantity = null] = level
    return scaledPrice === null || scaledQuantity === null ? [] : [[scaledPrice, scaledQuantity]]
  })
}
