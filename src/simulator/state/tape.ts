import type { BookState } from '../../tapes/books.ts'
import type { TapeReader } from '../../tapes/read.ts'
import type { RecordedTape } from '../../tapes/recorded.ts'
import type { TapeGap, TapeRecord } from '../../tapes/records.ts'
import type { Account, EngineMarket } from './state.ts'

/** A tape for a world, and the venue time at which its first record is played. */
export type TapeToPlay = RecordedTape & {
  readonly startsAtMs: number
  /** Present if the records come from a live market, in requests. Absent if the tape contains the records. */
  readonly isMirror?: true
}

/** The tape of a world that mirrors live markets. It has symbols but no records. */
export function mirrorTape(
  symbols: ReadonlySet<string>,
  firstPrice: RecordedTape['firstPrice'],
): TapeToPlay {
  const empty = { reader: { next: () => null }, books: new Map() }
  const none = {
    identity: '',
    firstUs: 0,
    wholeUs: 0,
    startsAtMs: 0,
    gaps: new Map(),
    from: () => empty,
  }
  return { ...none, symbols, firstPrice, isMirror: true }
}

/** A tape whose recorded orders are played into a world's books, with the state of the playback. */
export type Playback = {
  /** Whether the records come from a live market, in requests. */
  readonly isMirror: boolean
  readonly reader: TapeReader
  /** Venue time minus tape time, in ms. */
  readonly shiftMs: number
  /** The account that owns all recorded orders. */
  readonly account: Account
  /** Markets by their number in the tape. Markets that the world does not have are left out. */
  readonly markets: Map<number, TapedMarket>
  /** The markets of `markets`, by their number in the world. */
  readonly byMarket: Map<number, TapedMarket>
  /** The world's markets by symbol. */
  readonly bySymbol: ReadonlyMap<string, EngineMarket>
  /** The symbols of the tape. */
  readonly symbols: ReadonlySet<string>
  readonly gaps: ReadonlyMap<number, readonly TapeGap[]>
  /** How many records have been played. */
  played: number
  /** The next record; null at the end. */
  next: TapeRecord | null
}

/** Ratios that convert a market's recorded figures to ticks and steps: a multiplier and a divisor. */
export type Scale = { readonly price: Ratio; readonly quantity: Ratio }

export type Ratio = { readonly times: number; readonly by: number }

/** A market whose book is recorded. A level's key is side × tick, so an ask's key is negative. */
export type TapedMarket = {
  readonly market: EngineMarket
  /** The book in the tape's own figures. */
  readonly recorded: BookState
  scale: Scale
  /** Recorded steps of each level, by the level's key. */
  readonly levels: Map<number, number>
  /** Levels whose orders may differ from the recorded quantities. */
  readonly touched: Set<number>
  /** Whether the tape has index prices of this market. */
  isIndexed: boolean
  /** The time at which the index last followed the tape. */
  indexAtMs: number
  /** How many gaps of this market have been played. */
  gapsPlayed: number
}

/** The stored form of a playback. */
export type PlaybackRow = {
  readonly account: number
  readonly played: number
  /** The books of a mirror. They are stored because no tape contains a mirror's books. */
  readonly books?: readonly BookRow[]
  readonly markets: readonly (readonly [
    number: number,
    row: Pick<TapedMarket, 'isIndexed' | 'indexAtMs' | 'gapsPlayed'> & {
      readonly touched: readonly number[]
    },
  ])[]
}

/** A book as plain data. Each level is a price and a quantity. */
type BookRow = Pick<BookState, 'market'> & {
  readonly number: number
  readonly bids: readonly Level[]
  readonly asks: readonly Level[]
}
type Level = readonly [price: number, quantity: number]

/** How far a tape has been played, as plain data. */
export function playbackRow(playback: Playback): PlaybackRow {
  const { account, played, markets } = playback
  return {
    account: account.number,
    played,
    ...(playback.isMirror && { books: Array.from(markets, bookRow) }),
    markets: Array.from(markets, ([number, { touched, isIndexed, indexAtMs, gapsPlayed }]) => [
      number,
      { touched: [...touched].sort((a, b) => a - b), isIndexed, indexAtMs, gapsPlayed },
    ]),
  }
}

function bookRow([number, { recorded }]: readonly [number, TapedMarket]): BookRow {
  const { market, bids, asks } = recorded
  return { number, market, bids: [...bids], asks: [...asks] }
}

/** Whether the tape provides a market's liquidity. */
export function isTaped(tape: Pick<Playback, 'symbols'> | null, { spec }: EngineMarket): boolean {
  return tape?.symbols.has(spec.symbol) ?? false
}
