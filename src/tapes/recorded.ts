import { applyRecord, type TapeBooks } from './books.ts'
import { createDecoder } from './decode.ts'
import { type FrameHeader, readDecompressed, type TapeSource } from './frames.ts'
import { booksAtEnd, indexTape, readFrames, type TapeReader } from './read.ts'
import { TapeError, type TapeGap } from './records.ts'

/** A tape that can be read from any record. */
export type RecordedTape = {
  /** An identity that stays the same when the tape grows. */
  readonly identity: string
  /** The time of the first record. */
  readonly firstUs: number
  /** The time of the first whole book, otherwise of the first record. */
  readonly wholeUs: number
  readonly symbols: ReadonlySet<string>
  /** The gaps of each market in order, by the market's number. */
  readonly gaps: ReadonlyMap<number, readonly TapeGap[]>
  /** One of the first prices of a market in USDC; null if the first records contain no price. */
  readonly firstPrice: (symbol: string) => number | null
  /** A reader that continues after this number of records, and the books at that position. */
  readonly from: (records: number) => { readonly reader: TapeReader; readonly books: TapeBooks }
}

/** Number of records in which the first prices are searched. */
const FIRST_RECORDS = 100_000

/** Opens a tape up to its last whole frame. Throws TapeError for an invalid or empty tape. */
export function openRecorded(source: TapeSource): RecordedTape {
  const { frames } = indexTape(source)
  const [first] = frames
  if (!first) throw new TapeError('this tape has no records')
  const symbols = new Set([...booksAtEnd(source).values()].map(({ market }) => market.symbol))
  const prices = firstPrices(readFrames(source, frames, 0), symbols.size)
  const firstUs = frames.find((frame) => frame.firstUs > 0)?.firstUs ?? 0
  return {
    identity: first.checksum.toString(16),
    firstUs,
    wholeUs: firstSnapshotUs(readFrames(source, frames, 0)) ?? firstUs,
    symbols,
    gaps: readGaps(source, frames),
    firstPrice: (symbol) => prices.get(symbol) ?? null,
    from: (records) => readFrom(source, frames, records),
  }
}

function readGaps(
  source: TapeSource,
  frames: readonly FrameHeader[],
): ReadonlyMap<number, readonly TapeGap[]> {
  const gaps = new Map<number, TapeGap[]>()
  for (const frame of frames) {
    if (!frame.hasGaps) continue
    const decoder = createDecoder(readDecompressed(source, frame), false)
    for (let record = decoder.next(); record; record = decoder.next()) {
      if (record.kind !== 'gap') continue
      const own = gaps.get(record.market) ?? []
      own.push(record)
      gaps.set(record.market, own)
    }
  }
  return gaps
}

/** Number of records in which the first whole book is searched. */
const SNAPSHOT_SEARCH_RECORDS = 2_000_000

function firstSnapshotUs(reader: TapeReader): number | null {
  for (let read = 0; read < SNAPSHOT_SEARCH_RECORDS; read += 1) {
    const record = reader.next()
    if (record === null) return null
    if (record.kind === 'book' && record.isWhole) return record.atUs
  }
  return null
}

/** The first index, mark or trade price of each market. */
function firstPrices(reader: TapeReader, markets: number): ReadonlyMap<string, number> {
  const books: TapeBooks = new Map()
  const prices = new Map<string, number>()
  for (let read = 0; read < FIRST_RECORDS && prices.size < markets; read += 1) {
    const record = reader.next()
    if (record === null) break
    applyRecord(books, record)
    const market = books.get(record.market)?.market
    if (!market || !('price' in record) || prices.has(market.symbol)) continue
    const { price } = record
    const { value, decimals } =
      typeof price === 'number' ? { value: price, decimals: market.priceDecimals } : price
    prices.set(market.symbol, value / 10 ** decimals)
  }
  return prices
}

function readFrom(source: TapeSource, frames: readonly FrameHeader[], records: number) {
  let key = 0
  let before = 0
  let count = 0
  for (const [number, frame] of frames.entries()) {
    if (count > records) break
    if (frame.isKey) [key, before] = [number, count]
    count += frame.records
  }
  const books: TapeBooks = new Map()
  const reader = readFrames(source, frames, key)
  const repeated = key === 0 ? 0 : repeatedIn(source, frames[key])
  for (let skipped = 0; skipped < repeated + records - before; skipped += 1) {
    const record = reader.next()
    if (record === null) break
    applyRecord(books, record)
  }
  return { reader, books }
}

/** The number of records at the beginning of a key frame that repeat earlier state. */
function repeatedIn(source: TapeSource, frame: FrameHeader | undefined): number {
  if (!frame) return 0
  const decoder = createDecoder(readDecompressed(source, frame))
  let repeated = 0
  while (decoder.next() !== null && decoder.isRepeated()) repeated += 1
  return repeated
}
