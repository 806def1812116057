import {
  TAPE_LIMITS,
  type TapeBook,
  TapeError,
  type TapeMarket,
  type TapeRecord,
} from './records.ts'

/** The state of one market at a time of the tape. Its book maps prices to quantities. */
export type BookState = {
  market: TapeMarket
  readonly bids: Map<number, number>
  readonly asks: Map<number, number>
  /** Whether a whole book was recorded since the last gap. */
  isKnown: boolean
  /** The time of the market's last record; null before the first. */
  lastUs: number | null
}

/** The markets of a tape by number. */
export type TapeBooks = Map<number, BookState>

/** Applies a record to the books. Throws TapeError for a record that contradicts the state. */
export function applyRecord(books: TapeBooks, record: TapeRecord): void {
  const state = books.get(record.market)
  if (record.kind === 'market') {
    if (state) redeclare(state, record)
    else books.set(record.market, openBook(record))
    return
  }
  if (!state) throw new TapeError(`market ${record.market} has not been declared`)
  if (record.kind === 'gap') clearBook(state)
  else if (record.kind === 'book') putBook(state, record)
  state.lastUs = record.atUs
}

/** A newly declared market, whose book is still unknown. */
export function openBook(market: TapeMarket): BookState {
  return { market, bids: new Map(), asks: new Map(), isKnown: false, lastUs: null }
}

function clearBook(state: BookState): void {
  state.bids.clear()
  state.asks.clear()
  state.isKnown = false
}

function putBook(state: BookState, { isWhole, bids, asks }: TapeBook): void {
  if (isWhole) {
    state.bids.clear()
    state.asks.clear()
    state.isKnown = true
  } else if (!state.isKnown) {
    throw new TapeError(`the book of ${state.market.symbol} changes while it is unknown`)
  }
  putLevels(state.bids, bids)
  putLevels(state.asks, asks)
}

function putLevels(side: Map<number, number>, levels: TapeBook['bids']): void {
  for (let at = 0; at < levels.length; at += 2) {
    const [price = 0, quantity = 0] = [levels[at], levels[at + 1]]
    if (quantity === 0) side.delete(price)
    else side.set(price, quantity)
  }
}

/** Changes a market's scales; its levels keep their values. Throws TapeError for another symbol or fewer decimals. */
export function redeclare(state: BookState, market: TapeMarket): void {
  const before = state.market
  if (before.symbol !== market.symbol)
    throw new TapeError(`market ${market.market} is ${before.symbol} and ${market.symbol}`)
  const price = 10 ** (market.priceDecimals - before.priceDecimals)
  const quantity = 10 ** (market.quantityDecimals - before.quantityDecimals)
  if (price < 1 || quantity < 1)
    throw new TapeError(`${market.symbol} is declared again with fewer decimals`)
  for (const side of [state.bids, state.asks]) rescale(side, price, quantity)
  state.market = market
}

function rescale(side: Map<number, number>, price: number, quantity: number): void {
  const levels = [...side].map(([at, size]) => [at * price, size * quantity] as const)
  if (levels.some((level) => level.some((value) => Math.abs(value) > TAPE_LIMITS.figureMax)))
    throw new TapeError('a book has a figure that is too large for its new decimals')
  side.clear()
  for (const [at, size] of levels) side.set(at, size)
}

/** All markets and all known books as records. Each side of a book starts at its best price. */
export function* bookRecords(books: TapeBooks): Generator<TapeRecord> {
  for (const { market, bids, asks, isKnown, lastUs } of books.values()) {
    yield market
    if (!isKnown || lastUs === null) continue
    const sides = { bids: sortedLevels(bids, -1), asks: sortedLevels(asks, 1) }
    yield { kind: 'book', market: market.market, atUs: lastUs, isWhole: true, ...sides }
  }
}

function sortedLevels(side: ReadonlyMap<number, number>, direction: 1 | -1): number[] {
  return [...side].sort(([a], [b]) => direction * (a - b)).flat()
}
