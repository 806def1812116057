import { SECOND_MS } from '../../spec/durations.ts'
import { type BookState, openBook, redeclare } from '../../tape/books.ts'
import {
  type TapeBook,
  TapeError,
  type TapeLevels,
  type TapeMarket,
  type TapeRecord,
  type TapeTrade,
} from '../../tape/records.ts'
import { marketAccountOf } from '../state/accounts.ts'
import type { Exchange } from '../state/exchange.ts'
import { type Account, BUY, type Market, type Order, SELL, type Side } from '../state/state.ts'
import type { Playback, PlaybackRow, TapedMarket, TapeToPlay } from '../state/tape.ts'
import { growLevel, passTrade, printTrade, shrinkLevel } from './levels.ts'
import { scaleOf, stepsOf, tickOf, ticksOf } from './scale.ts'

type Opening = {
  readonly account: Account
  readonly markets: readonly Market[]
  /** How far it has been played; null for a new world. */
  readonly row: PlaybackRow | null
}

/** Opens a tape as the background of a world. */
export function openPlayback(tape: TapeToPlay, opening: Opening): Playback {
  const { account, markets, row } = opening
  const { reader, books } = tape.from(row?.played ?? 0)
  const playback: Playback = {
    reader,
    shiftMs: tape.startsAtMs - Math.floor(tape.firstUs / 1000),
    account,
    markets: new Map(),
    byMarket: new Map(),
    symbols: tape.symbols,
    bySymbol: new Map(markets.map((market) => [market.spec.symbol, market])),
    gaps: tape.gaps,
    played: row?.played ?? 0,
    next: nextOf(reader),
  }
  const rows = new Map(row?.markets)
  for (const [number, state] of books) restoreMarket(playback, number, state, rows.get(number))
  return playback
}

function restoreMarket(
  playback: Playback,
  number: number,
  { market: declared, bids, asks }: BookState,
  row: PlaybackRow['markets'][number][1] | undefined,
): void {
  const taped = addMarket(playback, number, declared)
  if (!taped) return
  for (const [price, quantity] of bids) putLevel(taped, BUY, price, quantity)
  for (const [price, quantity] of asks) putLevel(taped, SELL, price, quantity)
  const { touched = [], ...rest } = row ?? {}
  taped.touched.clear()
  for (const key of touched) taped.touched.add(key)
  Object.assign(taped, rest)
}

function addMarket(
  { markets, byMarket, bySymbol }: Playback,
  number: number,
  declared: TapeMarket,
): TapedMarket | null {
  const market = bySymbol.get(declared.symbol)
  if (!market) return null
  const taped: TapedMarket = {
    ...{ market, recorded: openBook(declared), scale: scaleOf(declared, market.spec) },
    ...{ levels: new Map(), touched: new Set() },
    ...{ isIndexed: false, indexAtMs: 0, gapsPlayed: 0 },
  }
  markets.set(number, taped)
  byMarket.set(market.number, taped)
  return taped
}

/** When the next record is due, venue time; null at the end of the tape. */
export function nextDueMs({ next, shiftMs }: Playback): number | null {
  if (next === null) return null
  return next.kind === 'market' ? 0 : Math.floor(next.atUs / 1000) + shiftMs
}

/** A market's new index in ticks. */
export type IndexMove = { readonly market: Market; readonly index: number }

/** Plays all records that are due. Returns the indexes that they moved. */
export function playUntil(exchange: Exchange, playback: Playback, atMs: number): IndexMove[] {
  const moves = new Map<Market, number>()
  for (
    let dueMs = nextDueMs(playback);
    dueMs !== null && dueMs <= atMs;
    dueMs = nextDueMs(playback)
  ) {
    const record = playback.next
    if (record) play({ exchange, playback, moves, atMs }, record)
    playback.played += 1
    playback.next = nextOf(playback.reader)
  }
  if (playback.next === null)
    for (const taped of playback.markets.values())
      withdraw({ exchange, playback, moves, atMs }, taped)
  return Array.from(moves, ([market, index]) => ({ market, index }))
}

/** A damaged frame is the end of a tape. */
function nextOf(reader: Playback['reader']): TapeRecord | null {
  try {
    return reader.next()
  } catch (error) {
    if (error instanceof TapeError) return null
    throw error
  }
}

type Playing = {
  readonly exchange: Exchange
  readonly playback: Playback
  readonly moves: Map<Market, number>
  readonly atMs: number
}

function play(playing: Playing, record: TapeRecord): void {
  const { playback, moves } = playing
  const taped = playback.markets.get(record.market)
  if (record.kind === 'market') {
    if (taped) rescale(taped, record)
    else addMarket(playback, record.market, record)
    return
  }
  if (!taped) return
  if (record.kind === 'gap') {
    withdraw(playing, taped)
    taped.gapsPlayed += 1
    return
  }
  if (record.kind === 'book') playBook(playing, taped, record)
  else if (record.kind === 'trade') playTrade(playing, taped, record)
  else if (record.kind === 'index') {
    taped.isIndexed = true
    moves.set(taped.market, ticksOf(record.price, taped.market.spec))
  }
  const gap = playback.gaps.get(record.market)?.[taped.gapsPlayed]
  if (gap && record.atUs >= gap.fromUs) withdraw(playing, taped)
}

function rescale(taped: TapedMarket, declared: TapeMarket): void {
  redeclare(taped.recorded, declared)
  taped.scale = scaleOf(declared, taped.market.spec)
}

function playBook(playing: Playing, taped: TapedMarket, { isWhole, bids, asks }: TapeBook): void {
  if (isWhole) clear(taped)
  putLevels(taped, BUY, bids)
  putLevels(taped, SELL, asks)
  show(playing, taped)
}

function putLevels(taped: TapedMarket, side: Side, levels: TapeLevels): void {
  for (let at = 0; at < levels.length; at += 2)
    putLevel(taped, side, levels[at] ?? 0, levels[at + 1] ?? 0)
}

/** Notes a recorded quantity. Prices between two ticks count for one level. */
function putLevel(taped: TapedMarket, side: Side, price: number, quantity: number): void {
  const { recorded, scale, levels, touched } = taped
  const { spec } = taped.market
  const tick = tickOf(scale, side, price)
  if (tick < spec.priceMin || tick > spec.priceMax) return
  const own = side === BUY ? recorded.bids : recorded.asks
  const change = stepsOf(scale, quantity) - stepsOf(scale, own.get(price) ?? 0)
  if (quantity === 0) own.delete(price)
  else own.set(price, quantity)
  const key = side * tick
  const steps = (levels.get(key) ?? 0) + change
  if (steps === 0) levels.delete(key)
  else levels.set(key, steps)
  touched.add(key)
}

/** Forgets the recorded book of a market. */
function clear({ recorded, levels, touched }: TapedMarket): void {
  recorded.bids.clear()
  recorded.asks.clear()
  for (const key of levels.keys()) touched.add(key)
  levels.clear()
}

/** Takes the recorded liquidity of a market out of its book: what is there now is unknown. */
function withdraw(playing: Playing, taped: TapedMarket): void {
  clear(taped)
  show(playing, taped)
}

/** Brings the levels that have changed to what the tape shows: less first, so that the book does not meet itself. */
function show({ exchange, playback, atMs }: Playing, taped: TapedMarket): void {
  const { market, levels, touched } = taped
  if (market.status !== 'ACTIVE') return
  const own = marketAccountOf(playback.account, market)
  // In one order, however the world came here.
  const changed = [...touched].sort((a, b) => a - b)
  touched.clear()
  for (const change of [shrinkLevel, growLevel])
    for (const key of changed) {
      const side = key > 0 ? BUY : SELL
      const steps = levels.get(key) ?? 0
      change(exchange, { own, side, price: Math.abs(key), steps }, atMs)
    }
}

/** Lets a recorded trade fill users' orders in turn; the next change of the book shows what is left. */
function playTrade(
  { exchange, playback, moves, atMs }: Playing,
  taped: TapedMarket,
  trade: TapeTrade,
): void {
  const { market, scale, touched } = taped
  if (market.status !== 'ACTIVE') return
  const side: Side = trade.side === 'BUY' ? BUY : SELL
  const price = tickOf(scale, side === BUY ? SELL : BUY, trade.price)
  const steps = stepsOf(scale, trade.quantity)
  if (steps === 0 || price < market.spec.priceMin || price > market.spec.priceMax) return
  const passing = { own: marketAccountOf(playback.account, market), side, price, steps }
  touched.add(-side * price)
  const left = steps - passTrade(exchange, passing, atMs)
  if (left > 0) printTrade(exchange, { ...passing, steps: left }, atMs)
  if (taped.isIndexed || atMs - taped.indexAtMs < SECOND_MS) return
  taped.indexAtMs = atMs
  moves.set(market, price)
}

/** Notes a level whose recorded orders the engine has changed: the next recorded change of its book shows it again. */
export function touch(playback: Playback, { marketAccount, side, price }: Order): void {
  if (marketAccount.account !== playback.account) return
  playback.byMarket.get(marketAccount.market.number)?.touched.add(side * price)
}
