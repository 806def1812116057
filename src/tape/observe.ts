import { SECOND_MS } from '../spec/durations.ts'
import { applyRecord, type BookState, type TapeBooks } from './books.ts'
import type { TapeReader } from './read.ts'
import { TapeError, type TapeMarket, type TapeRecord, type TapeTrade } from './records.ts'
import { finiteOf, type Print } from './statistics.ts'

const LOOKS_A_MINUTE = 60

/** The best price of each side and what is offered there: USDC and base units. */
export type Best = {
  readonly bid: number
  readonly ask: number
  readonly bidQuantity: number
  readonly askQuantity: number
}

/** Takes what happens in a market and what its book shows once a second. */
export function createObserver() {
  const prints: Print[] = []
  const [middles, spreads, offers]: [number[], number[], number[]] = [[], [], []]
  let [looks, bestChanges] = [0, 0]
  let before: Best | null = null
  let beganAtMs: number | null = null
  return {
    /** Trades of one side and moment are one order. */
    trade: (atMs: number, side: 1 | -1, price: number, quantity: number) => {
      const last = prints.at(-1)
      const usdc = price * quantity
      if (last?.atMs === atMs && last.side === side) {
        last.quantity += quantity
        last.usdc += usdc
      } else prints.push({ atMs, side, quantity, usdc })
    },
    /** What the book shows in a second; null while it is unknown or has one side. */
    look: (best: Best | null, atMs: number) => {
      beganAtMs ??= atMs - SECOND_MS
      looks += 1
      spreads.push(best ? ((best.ask - best.bid) / middleOf(best)) * 10_000 : Number.NaN)
      if (best) offers.push((best.bid * best.bidQuantity + best.ask * best.askQuantity) / 2)
      if (isOther(before, best)) bestChanges += 1
      before = best
      if (looks % LOOKS_A_MINUTE === 0) middles.push(best ? Math.log(middleOf(best)) : Number.NaN)
    },
    seen: () => ({ prints, middles, spreads, offers, bestChanges, beganAtMs: beganAtMs ?? 0 }),
  }
}

function middleOf({ bid, ask }: Best): number {
  return (bid + ask) / 2
}

/** Whether both prices are known and one of them is another. */
function isOther(before: Best | null, best: Best | null): boolean {
  return before !== null && best !== null && (before.bid !== best.bid || before.ask !== best.ask)
}

/** What an observer has seen; offers are the USDC at the best prices, the mean of both sides, once a second. */
export type Seen = ReturnType<ReturnType<typeof createObserver>['seen']>

/** What a tape shows of a market, from its first whole book on. Throws TapeError for one that never has a whole book. */
export function observeTape(reader: TapeReader, symbol: string) {
  const books: TapeBooks = new Map()
  const watch: Watch = { observer: createObserver(), firstMs: null, lookAtMs: 0 }
  for (let record = reader.next(); record; record = reader.next()) {
    const state = books.get(record.market)
    if (record.kind === 'market' || state?.market.symbol !== symbol) applyRecord(books, record)
    else {
      lookUntil(watch, state, record)
      applyRecord(books, record)
      take(watch, state, record)
    }
  }
  const { observer, firstMs, lookAtMs } = watch
  const seen = observer.seen()
  if (firstMs === null || finiteOf(seen.spreads).length === 0)
    throw new TapeError(`this tape has no second of the whole book of ${symbol}`)
  return { seen, firstMs, lastMs: lookAtMs - SECOND_MS }
}

type DatedRecord = Exclude<TapeRecord, TapeMarket>

type Watch = {
  readonly observer: ReturnType<typeof createObserver>
  /** When the book was known first. */
  firstMs: number | null
  lookAtMs: number
}

/** Looks at the book in each second up to a record. In a gap it is unknown from the gap's begin on. */
function lookUntil(watch: Watch, state: BookState, record: DatedRecord): void {
  if (watch.firstMs === null) return
  const untilMs = (record.kind === 'gap' ? record.fromUs : record.atUs) / 1000
  for (; watch.lookAtMs <= untilMs; watch.lookAtMs += SECOND_MS)
    watch.observer.look(bestOf(state), watch.lookAtMs)
}

function take(watch: Watch, state: BookState, record: DatedRecord): void {
  if (record.kind === 'trade') takeTrade(watch.observer, state, record)
  if (!state.isKnown || watch.firstMs !== null) return
  watch.firstMs = record.atUs / 1000
  watch.lookAtMs = Math.ceil(watch.firstMs / SECOND_MS) * SECOND_MS
}

function takeTrade(
  observer: ReturnType<typeof createObserver>,
  { market: { priceDecimals, quantityDecimals } }: BookState,
  { atUs, side, price, quantity }: TapeTrade,
): void {
  const sign = side === 'BUY' ? 1 : -1
  observer.trade(
    Math.floor(atUs / 1000),
    sign,
    price / 10 ** priceDecimals,
    quantity / 10 ** quantityDecimals,
  )
}

function bestOf({ market, bids, asks, isKnown }: BookState): Best | null {
  if (!isKnown || bids.size === 0 || asks.size === 0) return null
  let [bid, ask] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (const price of bids.keys()) if (price > bid) bid = price
  for (const price of asks.keys()) if (price < ask) ask = price
  const [price, quantity] = [10 ** market.priceDecimals, 10 ** market.quantityDecimals]
  return {
    ...{ bid: bid / price, ask: ask / price },
    bidQuantity: (bids.get(bid) ?? 0) / quantity,
    askQuantity: (asks.get(ask) ?? 0) / quantity,
  }
}
