import { SECOND_MS } from '../../contract/durations.ts'
import type { BookState } from '../../tapes/books.ts'
import { type TapeBook, TapeError, type TapeRecord, type TapeTrade } from '../../tapes/records.ts'
import { openMarketAccount } from '../state/accounts.ts'
import type { ExchangeState } from '../state/exchange.ts'
import {
  type Account,
  BUY,
  type EngineMarket,
  type EngineOrder,
  SELL,
  type SideSign,
} from '../state/state.ts'
import type { Playback, PlaybackRow, TapedMarket, TapeToPlay } from '../state/tape.ts'
import {
  addMarket,
  clear,
  putLevel,
  putLevels,
  type RecordedMove,
  recordedMove,
  recordedSteps,
  recordedTick,
  rescale,
} from './recorded.ts'
import { growLevel, passTrade, printTrade, shrinkLevel } from './resting-fills.ts'

type Opening = {
  readonly account: Account
  readonly markets: readonly EngineMarket[]
  /** How far the tape has been played; null for a new world. */
  readonly row: PlaybackRow | null
}

/** Opens a tape whose recorded orders are played into a world's books. */
export function openPlayback(tape: TapeToPlay, opening: Opening): Playback {
  const { account, markets, row } = opening
  const { reader, books } = tape.from(row?.played ?? 0)
  const playback: Playback = {
    isMirror: tape.isMirror === true,
    reader,
    shiftMs: tape.startsAtMs - Math.floor(tape.firstUs / 1000),
    account,
    markets: new Map(),
    byMarket: new Map(),
    symbols: tape.symbols,
    bySymbol: new Map(markets.map((market) => [market.spec.symbol, market])),
    gaps: tape.gaps,
    played: row?.played ?? 0,
    next: readNext(reader),
  }
  const rows = new Map(row?.markets)
  for (const [number, state] of books) restoreMarket(playback, number, state, rows.get(number))
  for (const { number, ...state } of row?.books ?? [])
    restoreMarket(playback, number, state, rows.get(number))
  return playback
}

/** A book that was restored from a snapshot. */
type Book = Pick<BookState, 'market'> & {
  readonly bids: Iterable<readonly [price: number, quantity: number]>
  readonly asks: Iterable<readonly [price: number, quantity: number]>
}

function restoreMarket(
  playback: Playback,
  number: number,
  { market: declared, bids, asks }: Book,
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

/** When the next record is due, by the venue's clock; null at the end of the tape. */
export function nextDueMs({ next, shiftMs }: Playback): number | null {
  if (next === null) return null
  return next.kind === 'market' ? 0 : Math.floor(next.atUs / 1000) + shiftMs
}

/** Plays all records that are due. Returns the changed prices and rates. */
export function playUntil(
  exchange: ExchangeState,
  playback: Playback,
  atMs: number,
): ReadonlyMap<EngineMarket, RecordedMove> {
  const moves = new Map<EngineMarket, RecordedMove>()
  for (
    let dueMs = nextDueMs(playback);
    dueMs !== null && dueMs <= atMs;
    dueMs = nextDueMs(playback)
  ) {
    const record = playback.next
    if (record) play({ exchange, playback, moves, atMs }, record)
    playback.played += 1
    playback.next = readNext(playback.reader)
  }
  if (playback.next === null)
    for (const taped of playback.markets.values())
      removeRecordedOrders({ exchange, playback, moves, atMs }, taped)
  return moves
}

/** Plays records of mirrored markets. Returns the changed prices and rates. */
export function playRecords(
  exchange: ExchangeState,
  playback: Playback,
  { records, atMs }: { readonly records: readonly TapeRecord[]; readonly atMs: number },
): ReadonlyMap<EngineMarket, RecordedMove> {
  const moves = new Map<EngineMarket, RecordedMove>()
  for (const record of records) play({ exchange, playback, moves, atMs }, record)
  return moves
}

/** A damaged frame ends the tape. */
function readNext(reader: Playback['reader']): TapeRecord | null {
  try {
    return reader.next()
  } catch (error) {
    if (error instanceof TapeError) return null
    throw error
  }
}

type Playing = {
  readonly exchange: ExchangeState
  readonly playback: Playback
  readonly moves: Map<EngineMarket, RecordedMove>
  readonly atMs: number
}

function play(playing: Playing, record: TapeRecord): void {
  const { playback } = playing
  const taped = playback.markets.get(record.market)
  if (record.kind === 'market') {
    if (taped) rescale(taped, record)
    else addMarket(playback, record.market, record)
    return
  }
  if (!taped) return
  if (record.kind === 'gap') {
    playGap(playing, taped)
    return
  }
  if (record.kind === 'book') playBook(playing, taped, record)
  else if (record.kind === 'trade') playTrade(playing, taped, record)
  else {
    taped.isIndexed ||= record.kind === 'index'
    move(playing.moves, taped.market, recordedMove(record, taped.market.spec))
  }
  const gap = playback.gaps.get(record.market)?.[taped.gapsPlayed]
  if (gap && record.atUs >= gap.fromUs) removeRecordedOrders(playing, taped)
}

function move(moves: Playing['moves'], market: EngineMarket, more: RecordedMove): void {
  moves.set(market, { ...moves.get(market), ...more })
}

function playGap(playing: Playing, taped: TapedMarket): void {
  // While a mirrored book is unknown, the market fills no orders, so resting orders stay.
  if (playing.playback.isMirror) taped.market.isAway = true
  else removeRecordedOrders(playing, taped)
  taped.gapsPlayed += 1
}

function playBook(playing: Playing, taped: TapedMarket, { isWhole, bids, asks }: TapeBook): void {
  if (isWhole) {
    clear(taped)
    taped.market.isAway = false
  }
  putLevels(taped, BUY, bids)
  putLevels(taped, SELL, asks)
  show(playing, taped)
}

/** Removes the recorded orders of a market from its book, because the recorded book is unknown. */
function removeRecordedOrders(playing: Playing, taped: TapedMarket): void {
  clear(taped)
  show(playing, taped)
}

/** Applies the recorded quantities to the changed levels. Reductions come first, so that no bid meets an ask. */
function show({ exchange, playback, atMs }: Playing, taped: TapedMarket): void {
  const { market, levels, touched } = taped
  if (market.status !== 'ACTIVE') return
  const own = openMarketAccount(playback.account, market)
  // Sorted, so that the result does not depend on the order in which levels changed.
  const changed = [...touched].sort((a, b) => a - b)
  touched.clear()
  for (const change of [shrinkLevel, growLevel])
    for (const key of changed) {
      const side = key > 0 ? BUY : SELL
      const steps = levels.get(key) ?? 0
      change(exchange, { own, side, price: Math.abs(key), steps }, atMs)
    }
}

/** Lets a recorded trade fill users' orders in queue order. The next change of the book shows what is left. */
function playTrade(
  { exchange, playback, moves, atMs }: Playing,
  taped: TapedMarket,
  trade: TapeTrade,
): void {
  const { market, scale, touched } = taped
  if (market.status !== 'ACTIVE') return
  const side: SideSign = trade.side === 'BUY' ? BUY : SELL
  const price = recordedTick(scale, side === BUY ? SELL : BUY, trade.price)
  const steps = recordedSteps(scale, trade.quantity)
  if (steps === 0 || price < market.spec.priceMin || price > market.spec.priceMax) return
  const passing = { own: openMarketAccount(playback.account, market), side, price, steps }
  touched.add(-side * price)
  const left = steps - passTrade(exchange, passing, atMs)
  if (left > 0) printTrade(exchange, { ...passing, steps: left }, atMs)
  if (taped.isIndexed || atMs - taped.indexAtMs < SECOND_MS) return
  taped.indexAtMs = atMs
  move(moves, market, { index: price })
}

/** Marks a level whose recorded orders the engine has changed. The next recorded change of the book restores it. */
export function markLevelChanged(
  playback: Playback,
  { marketAccount, side, price }: EngineOrder,
): void {
  if (marketAccount.account !== playback.account) return
  playback.byMarket.get(marketAccount.market.number)?.touched.add(side * price)
}
