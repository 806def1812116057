import type { FeedMessage } from '../../core/feed.ts'
import { STREAM_LIMITS } from '../../spec/stream/limits.ts'
import { bookChanges, LIVE_TOPICS } from '../../wire/live.ts'
import {
  bestLevels,
  wholeBook as bookSnapshot,
  differences,
  isCrossed,
  type Places,
  pairOf,
  placesOf,
  putLevels,
  type Side,
  type Sides,
} from './levels.ts'
import type { Change, Projection, ProjectionParts } from './projection.ts'

/** Every level of the venue's messages, and those that were shown last. Times are the venue's. */
type Book = {
  asks: Side
  bids: Side
  /** Of the last message. */
  lastMs: number
  /** Whether no message has followed what was read. */
  isFresh: boolean
  crossedSinceMs: number | null
  places: Places
  shown: Sides
  shownMs: number
}

type BookChanges = ReturnType<typeof bookChanges>

/**
 * The order book of one market: the venue's levels by price, the best of them shown. What changed is the difference
 * of what is shown, so that it follows whatever was coalesced. A crossed book is not shown; one that stays crossed
 * counts as a gap.
 */
export function bookProjection(
  { feed, reads, clock }: ProjectionParts,
  symbol: string,
): Projection {
  let book = emptyBook()
  return {
    topics: [LIVE_TOPICS.book(symbol)],
    load: async () => {
      const [ticks, message] = await Promise.all([reads.ticks(symbol), feed.book(symbol)])
      const places = { price: placesOf(ticks.price), quantity: placesOf(ticks.quantity) }
      book = bookOf(message, places)
    },
    apply: (message) => apply(book, message, clock.nowMs()),
    snapshot: () => bookSnapshot(symbol, book.shown, book.shownMs, book.places),
    drainDelta: () => take(book, clock.nowMs()),
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

/** The book of a message that has all of it. Throws MalformedMessage, and RangeError when it is crossed. */
function bookOf({ data, atMs }: FeedMessage, places: Places): Book {
  const book = { ...emptyBook(), places, lastMs: atMs, shownMs: atMs }
  put(book, bookChanges(data))
  book.shown = bestLevels(book.asks, book.bids)
  if (isCrossed(book.shown)) throw new RangeError('crossed book')
  return book
}

function put({ asks, bids }: Book, changes: BookChanges): void {
  putLevels(asks, changes.asks)
  putLevels(bids, changes.bids)
}

function apply(book: Book, { data, atMs }: FeedMessage, nowMs: number): boolean {
  const changes = bookChanges(data)
  // What the book was read with already.
  if (atMs <= book.lastMs) return true
  if (!follows(book, changes)) return false
  book.isFresh = false
  book.lastMs = atMs
  put(book, changes)
  const { crossedSinceMs } = book
  return crossedSinceMs === null || nowMs - crossedSinceMs < STREAM_LIMITS.bookCrossedMaxMs
}

/** Whether a message continues a book that was read or changed last at a time. */
export function follows(
  { lastMs, isFresh }: Pick<Book, 'lastMs' | 'isFresh'>,
  { previousMs }: Pick<BookChanges, 'previousMs'>,
): boolean {
  if (previousMs === undefined || previousMs === lastMs) return true
  // A book that was read stands between two messages.
  return isFresh && previousMs < lastMs
}

function take(book: Book, nowMs: number): Change | undefined {
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
  const asks = differences(shown.asks, sides.asks).map((level) => pairOf(level, places))
  const bids = differences(shown.bids, sides.bids).map((level) => pairOf(level, places))
  if (asks.length + bids.length === 0) return undefined
  return { type: 'delta', data: { asks, bids, ts: lastMs } }
}
