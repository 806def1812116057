import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { openTapeFile } from '../../src/tapes/file.ts'
import { FRAME_HEADER_BYTES, HEAD_BYTES } from '../../src/tapes/frames.ts'
import { inspectTape } from '../../src/tapes/inspect.ts'
import { indexTape } from '../../src/tapes/read.ts'
import { TAPE_LIMITS, type TapeTrade } from '../../src/tapes/records.ts'
import { openTapeWriter } from '../../src/tapes/write.ts'
import { marketRecord, RECORDS, recordsIn, SMALL_FRAMES, tapeOf, written } from './fixture.ts'

describe('a tape', () => {
  // Slow: a hundred tapes are written, packed and read.
  test('gives back exactly the records that were written, in order', () => {
    fc.assert(
      fc.property(RECORDS, (records) => {
        const tape = tapeOf(written(records))
        expect(recordsIn(tape)).toEqual(records)
        const { broken, tornBytes, records: count } = inspectTape(tape)
        expect({ broken, tornBytes, count }).toEqual({
          broken: [],
          tornBytes: 0,
          count: records.length,
        })
      }),
    )
  })

  test('that is cut anywhere is the whole frames before the cut, and is gone on with there', () => {
    fc.assert(
      fc.property(RECORDS, fc.double({ min: 0, max: 1, noNaN: true }), (records, share) => {
        const bytes = written(records)
        const cut = HEAD_BYTES + Math.floor((bytes.length - HEAD_BYTES) * share)
        const tape = tapeOf(bytes.slice(0, cut))
        const whole = indexTape(tape).frames.reduce((sum, frame) => sum + frame.records, 0)
        const { cutBytes, add, flush } = openTapeWriter(tape, SMALL_FRAMES)
        expect(cutBytes).toBe(cut - tape.sizeBytes())
        for (const record of records.slice(whole)) add(record)
        flush()
        expect(recordsIn(tape)).toEqual(records)
        expect(inspectTape(tape).broken).toEqual([])
      }),
    )
  })

  test('whose disk is full says so once, and writes nothing behind what is missing', () => {
    const file = tapeOf()
    let isFull = false
    const append = (bytes: Uint8Array) => {
      if (isFull) throw new Error('full')
      file.append(bytes)
    }
    const writer = openTapeWriter({ ...file, append }, SMALL_FRAMES)
    writer.add(marketRecord(0))
    writer.flush()
    const before = file.all()
    isFull = true
    expect(() => {
      writer.add(marketRecord(1))
      writer.flush()
    }).toThrow('full')
    isFull = false
    writer.add(marketRecord(2))
    writer.flush()
    expect(file.all()).toEqual(before)
    expect(() => openTapeFile('/dev/full', 'append').append(new Uint8Array(9))).toThrow(
      '/dev/full is on a disk that is full',
    )
  })

  test('shows every flipped bit, and gives none of the records that it is in', () => {
    fc.assert(
      fc.property(RECORDS, fc.nat(), fc.nat(7), (records, place, bit) => {
        const bytes = written(records)
        const at = HEAD_BYTES + (place % (bytes.length - HEAD_BYTES))
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
        const { broken, tornBytes } = inspectTape(tapeOf(bytes))
        expect(broken.length + tornBytes).toBeGreaterThan(0)
        const { records: count } = inspectTape(tapeOf(bytes))
        expect(count).toBeLessThan(records.length)
      }),
    )
  })

  test('is read from a time on with its markets and books first', () => {
    fc.assert(
      fc.property(RECORDS, fc.nat(), (records, pick) => {
        const tape = tapeOf(written(records))
        const { frames } = indexTape(tape)
        const frame = frames[pick % frames.length]
        const read = recordsIn(tape, frame?.firstUs ?? 0)
        const rest = records.slice(-1)
        expect(read.slice(-1)).toEqual(rest)
        const after = tapeOf(written(read))
        expect(booksAtEnd(after)).toEqual(booksAtEnd(tape))
      }),
    )
  })

  test('has a hash of its records, whatever its frames are', () => {
    fc.assert(
      fc.property(RECORDS, (records) => {
        const [small, large] = [SMALL_FRAMES, { frameBytes: 1e6, keyFrameEvery: 1 }].map(
          (framing) => inspectTape(tapeOf(written(records, framing))).hash,
        )
        expect(small).toBe(large)
      }),
    )
    const [one, other] = [TRADE, { ...TRADE, price: 101 }].map(
      (trade) => inspectTape(tapeOf(written([marketRecord(0), trade]))).hash,
    )
    expect(one).not.toBe(other)
  })
})

function booksAtEnd(tape: ReturnType<typeof tapeOf>) {
  const { books } = openTapeWriter(tape, TAPE_LIMITS)
  return [...books.values()].map(({ market, bids, asks, isKnown }) => [
    market.symbol,
    new Map([...bids].sort()),
    new Map([...asks].sort()),
    isKnown,
  ])
}

const TRADE: TapeTrade = {
  kind: 'trade',
  market: 0,
  atUs: 5,
  side: 'BUY',
  price: 100,
  quantity: 7,
}

describe('a tape refuses', () => {
  test('another file, another version, and damage before its end', () => {
    const bytes = written([
      marketRecord(0),
      TRADE,
      TRADE,
      TRADE,
      TRADE,
      TRADE,
      TRADE,
      TRADE,
      TRADE,
      TRADE,
      TRADE,
      TRADE,
    ])
    const other = Uint8Array.from(bytes)
    other[HEAD_BYTES - 2] = 9
    expect(() => openTapeWriter(tapeOf(other), TAPE_LIMITS)).toThrow('version 9')
    expect(() => openTapeWriter(tapeOf(new Uint8Array(30).fill(65)), TAPE_LIMITS)).toThrow(
      'no tape',
    )
    const damaged = Uint8Array.from(bytes)
    damaged[HEAD_BYTES + FRAME_HEADER_BYTES - 1] =
      1 ^ (damaged[HEAD_BYTES + FRAME_HEADER_BYTES - 1] ?? 0)
    expect(() => openTapeWriter(tapeOf(damaged), TAPE_LIMITS)).toThrow('damaged at byte 20')
  })

  test('figures that it cannot hold exactly, and records that cannot follow', () => {
    const tape = tapeOf()
    const { add, flush } = openTapeWriter(tape, TAPE_LIMITS)
    add(marketRecord(0))
    for (const price of [0.5, 2 ** 52, Number.NaN])
      expect(() => add({ ...TRADE, price })).toThrow(RangeError)
    expect(() => add({ ...TRADE, market: 1 })).toThrow('not been declared')
    const change = { kind: 'book', market: 0, atUs: 1, bids: [5, 1], asks: [] } as const
    expect(() => add({ ...change, isWhole: false })).toThrow('unknown')
    add({ ...change, isWhole: true })
    add({ kind: 'gap', market: 0, fromUs: 1, atUs: 9, cause: 'connection' })
    expect(() => add({ ...change, isWhole: false })).toThrow('unknown')
    flush()
    expect(recordsIn(tape).map(({ kind }) => kind)).toEqual(['market', 'book', 'gap'])
  })

  test('a market under another symbol or with fewer decimals, and keeps values under more', () => {
    const tape = tapeOf()
    const { add, books } = openTapeWriter(tape, TAPE_LIMITS)
    const market = marketRecord(0)
    if (market.kind !== 'market') throw new Error('no market')
    add(market)
    add({ kind: 'book', market: 0, atUs: 1, isWhole: true, bids: [5, 1], asks: [6, 2] })
    add({ ...market, priceDecimals: 3 })
    expect(books.get(0)?.bids).toEqual(new Map([[500, 1]]))
    expect(() => add({ ...market, priceDecimals: 2 })).toThrow('fewer decimals')
    expect(() => add({ ...market, priceDecimals: 3, symbol: 'PERP_X_USDC' })).toThrow('PERP_X_USDC')
  })
})
