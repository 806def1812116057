import { createSha256 } from '../core/digest.ts'
import { applyRecord, bookRecords, type TapeBooks } from './books.ts'
import { createDecoder } from './decode.ts'
import { createEncoder } from './encode.ts'
import {
  type FrameHeader,
  frameEnd,
  HEAD_BYTES,
  readDecompressed,
  type TapeSource,
} from './frames.ts'
import { hasFrameBehind, indexTape } from './read.ts'
import { TapeError, type TapeGap, type TapeMarket, type TapeRecord } from './records.ts'

/** The number of records of each kind in a market, and the total length of its gaps. */
export type MarketSummary = {
  market: TapeMarket
  books: number
  trades: number
  prices: number
  fundings: number
  gaps: number
  gapUs: number
  firstUs: number | null
  lastUs: number | null
}

export type TapeSummary = {
  readonly bytes: number
  readonly frames: number
  readonly records: number
  /** Bytes after the last whole frame, left by an interrupted write. */
  readonly tornBytes: number
  readonly markets: readonly MarketSummary[]
  readonly gaps: readonly TapeGap[]
  /** A hash of all records that does not depend on frames. Two recordings of the same messages have equal hashes. */
  readonly hash: string
  /** Damage and contradictions, one sentence each. */
  readonly broken: readonly string[]
}

/** Reads a whole tape and checks the checksums, the records, and the books that frames repeat. */
export function inspectTape(source: TapeSource): TapeSummary {
  const { frames, tailBytes } = indexTape(source)
  const tally = createTally()
  const broken: string[] = []
  try {
    for (const frame of frames) readFrame(source, frame, tally)
  } catch (error) {
    if (!(error instanceof TapeError)) throw error
    broken.push(error.message)
  }
  const last = frames.at(-1)
  const endBytes = last ? frameEnd(last) : HEAD_BYTES
  const isDamaged = tailBytes > 0 && hasFrameBehind(source, endBytes + 1)
  if (isDamaged) broken.push(`this tape is damaged at byte ${endBytes}, and goes on behind it`)
  return {
    bytes: source.sizeBytes(),
    frames: frames.length,
    records: tally.records(),
    tornBytes: isDamaged ? 0 : tailBytes,
    markets: [...tally.markets.values()],
    gaps: tally.gaps,
    hash: tally.hash(),
    broken,
  }
}

type Tally = ReturnType<typeof createTally>

function createTally() {
  const books: TapeBooks = new Map()
  const markets = new Map<number, MarketSummary>()
  const gaps: TapeGap[] = []
  const encoder = createEncoder()
  const hash = createSha256()
  let records = 0
  return {
    books,
    markets,
    gaps,
    records: () => records,
    hash: () => hash.update(encoder.take()).digest('hex'),
    add: (record: TapeRecord) => {
      applyRecord(books, record)
      count(markets, record)
      if (record.kind === 'gap') gaps.push(record)
      records += 1
      encoder.add(record)
      // Hashes after a fixed number of records, so that the hash does not depend on frames.
      if (records % HASHED_RECORDS === 0) hash.update(encoder.take())
    },
  }
}

const HASHED_RECORDS = 10_000

function count(markets: Map<number, MarketSummary>, record: TapeRecord): void {
  const known = markets.get(record.market)
  if (record.kind === 'market') {
    if (known) known.market = record
    else markets.set(record.market, { ...NOTHING, market: record })
    return
  }
  if (!known) return
  known.firstUs ??= record.atUs
  known.lastUs = record.atUs
  if (record.kind === 'gap') known.gapUs += record.atUs - record.fromUs
  known[COUNTED[record.kind]] += 1
}

const NOTHING = {
  books: 0,
  trades: 0,
  prices: 0,
  fundings: 0,
  gaps: 0,
  gapUs: 0,
  firstUs: null,
  lastUs: null,
}
const COUNTED = {
  book: 'books',
  trade: 'trades',
  mark: 'prices',
  index: 'prices',
  funding: 'fundings',
  gap: 'gaps',
} as const

/** Adds a frame's records. Throws TapeError for a frame that is damaged or contradicts earlier frames. */
function readFrame(source: TapeSource, frame: FrameHeader, tally: Tally): void {
  const decoder = createDecoder(readDecompressed(source, frame))
  const repeated = createEncoder()
  const expected = createEncoder()
  if (frame.isKey) for (const record of bookRecords(tally.books)) expected.add(record, true)
  let records = 0
  for (let record = decoder.next(); record; record = decoder.next()) {
    if (decoder.isRepeated()) {
      repeated.add(record, true)
      continue
    }
    tally.add(record)
    records += 1
  }
  const isSame = Buffer.compare(repeated.take(), expected.take()) === 0
  if (!isSame || records !== frame.records)
    throw new TapeError(`the frame at byte ${frame.at} contradicts those before it`)
}
