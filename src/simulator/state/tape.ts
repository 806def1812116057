import type { BookState } from '../../tapes/books.ts'
import type { TapeReader } from '../../tapes/read.ts'
import type { RecordedTape } from '../../tapes/recorded.ts'
import type { TapeGap, TapeRecord } from '../../tapes/records.ts'
import type { Account, EngineMarket } from './state.ts'

/** A tape for a world, and the venue's time at which its first record is played. */
export type TapeToPlay = RecordedTape & {
  readonly startsAtMs: number
  /** Whether requests bring the records, as for a live market. Absent: the records come from the tape. */
  readonly isMirror?: true
}

/** The tape of a world that mirrors live markets: its symbols, and nothing recorded. */
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

/** A tape that is the background liquidity of a world, and how far it has been played. */
export type Playback = {
  /** Whether requests bring the records. */
  readonly isMirror: boolean
  readonly reader: TapeReader
  /** The venue's time minus the tape's time. */
  readonly shiftMs: number
  /** The owner of all recorded liquidity. */
  readonly account: Account
  /** By the number in the tape. Markets that the world does not have are left out. */
  readonly markets: Map<number, TapedMarket>
  /** The same by the number in the world. */
  readonly byMarket: Map<number, TapedMarket>
  /** The markets of the world by symbol. */
  readonly bySymbol: ReadonlyMap<string, EngineMarket>
  /** The symbols of the tape. */
  readonly symbols: ReadonlySet<string>
  readonly gaps: ReadonlyMap<number, readonly TapeGap[]>
  /** How many records have been played. */
  played: number
  /** The record after them; null at the end. */
  next: TapeRecord | null
}

/** How recorded figures of a market become ticks and steps: they are multiplied, then divided. */
export type Scale = { readonly price: Ratio; readonly quantity: Ratio }

export type Ratio = { readonly times: number; readonly by: number }

/** A market whose book is recorded. A level's key is its tick times the sign of the side. */
export type TapedMarket = {
  readonly market: EngineMarket
  /** The book with the figures of the tape. */
  readonly recorded: BookState
  scale: Scale
  /** Recorded steps by the key of their level. */
  readonly levels: Map<number, number>
  /** The levels whose orders may differ from what is recorded. */
  readonly touched: Set<number>
  /** Whether the tape has index prices of this market. */
  isIndexed: boolean
  /** When the index last followed the tape. */
  indexAtMs: number
  /** How many gaps of this market have been played. */
  gapsPlayed: number
}

/** How far a tape has been played, as plain data. */
export type PlaybackRow = {
  readonly account: number
  readonly played: number
  /** The books of a mirror, which no tape holds. */
  readonly books?: readonly BookRow[]
  readonly markets: readonly (readonly [
    number: number,
    row: Pick<TapedMarket, 'isIndexed' | 'indexAtMs' | 'gapsPlayed'> & {
      readonly touched: readonly number[]
    },
  ])[]
}

/** A book as plain data: levels as price and quantity. */
type BookRow = Pick<BookState, 'market'> & {
  readonly number: number
  readonly bids: readonly Level[]
  readonly asks: readonly Level[]
}
type Level = readonly [price: number, quantity: number]

/** The plain data of a playback. */
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

/** Whether a market's liquidity comes from the tape. */
export function isTaped(tape: Pick<Playback, 'symbols'> | null, { spec }: EngineMarket): boolean {
  return tape?.symbols.has(spec.symbol) ?? false
}
