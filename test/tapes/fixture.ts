import fc from 'fast-check'
import type { TapeFile } from '../../src/tapes/file.ts'
import type { TapeSource } from '../../src/tapes/frames.ts'
import { openTapeReader } from '../../src/tapes/read.ts'
import { GAP_CAUSES, type TapeRecord } from '../../src/tapes/records.ts'
import { openTapeWriter } from '../../src/tapes/write.ts'

/** Frames so small that a few records make several of them. */
export const SMALL_FRAMES = { frameBytes: 40, keyFrameEvery: 3 }

/** A tape in memory. */
export function tapeOf(bytes: Uint8Array = new Uint8Array()): TapeFile & { all: () => Uint8Array } {
  let held = Uint8Array.from(bytes)
  return {
    all: () => held,
    sizeBytes: () => held.length,
    read: (at, length) => held.slice(at, at + length),
    append: (more) => {
      held = Uint8Array.from([...held, ...more])
    },
    truncate: (length) => {
      held = held.slice(0, length)
    },
    close: () => undefined,
  }
}

/** The bytes of a tape of records. */
export function written(records: readonly TapeRecord[], framing = SMALL_FRAMES): Uint8Array {
  const file = tapeOf()
  const writer = openTapeWriter(file, framing)
  for (const record of records) writer.add(record)
  writer.flush()
  return file.all()
}

/** All records of a tape. */
export function recordsIn(source: TapeSource, fromUs: number | null = null): TapeRecord[] {
  const reader = openTapeReader(source, fromUs)
  const records: TapeRecord[] = []
  for (let record = reader.next(); record; record = reader.next()) records.push(record)
  return records
}

const figure = fc.maxSafeInteger().map((value) => Math.trunc(value / 8) + 0)
const size = fc.integer({ min: 1, max: 2 ** 51 })
const timeUs = fc.integer({ min: 0, max: 4_000_000_000_000_000 })
const decimals = fc.integer({ min: 0, max: 8 })
const own = fc.record({ value: figure, decimals })
const level = fc.tuple(figure, fc.oneof(fc.constant(0), size))
const levels = fc.array(level, { maxLength: 4 }).map((rows) => rows.flat())
const market = fc.integer({ min: 0, max: 2 })
const dated = { market, atUs: timeUs }

/** Three markets, and records that follow them; a market's book begins whole, and again after a gap. */
export const RECORDS = fc
  .array(
    fc.oneof(
      fc.record({
        kind: fc.constant('book'),
        ...dated,
        isWhole: fc.boolean(),
        bids: levels,
        asks: levels,
      }),
      fc.record({
        kind: fc.constant('trade'),
        ...dated,
        side: fc.constantFrom('BUY', 'SELL'),
        price: figure,
        quantity: size,
      }),
      fc.record({ kind: fc.constantFrom('mark', 'index'), ...dated, price: own }),
      fc.record({ kind: fc.constant('funding'), ...dated, rate: own, nextUs: timeUs }),
      fc.record({
        kind: fc.constant('gap'),
        ...dated,
        fromUs: timeUs,
        cause: fc.constantFrom(...GAP_CAUSES),
      }),
    ),
    { maxLength: 60 },
  )
  .map((records) => ordered(records as readonly TapeRecord[]))

function ordered(records: readonly TapeRecord[]): TapeRecord[] {
  const known = new Set<number>()
  return [
    ...[0, 1, 2].map((number) => marketRecord(number)),
    ...records.map((record) => {
      if (record.kind === 'gap') known.delete(record.market)
      if (record.kind !== 'book') return record
      const isWhole = record.isWhole || !known.has(record.market)
      known.add(record.market)
      return { ...record, isWhole }
    }),
  ]
}

export function marketRecord(market: number): TapeRecord {
  return {
    kind: 'market',
    market,
    symbol: `PERP_M${market}_USDC`,
    priceDecimals: 1,
    quantityDecimals: 3,
    rules: '{}',
  }
}
