import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkExchange, worldHash } from '../../../src/simulator/engine/check.ts'
import { applyRecord, type TapeBooks } from '../../../src/tapes/books.ts'
import { BEGIN_MS, book, gap, MARKET, MIDDLE, playing, STREAMS, trade, whole } from './fixture.ts'

describe('a played tape', () => {
  test('shows the recorded book after each of its changes, and is consistent', () => {
    fc.assert(
      fc.property(STREAMS, ({ records, endMs }) => {
        const venue = playing(records)
        const books: TapeBooks = new Map()
        applyRecord(books, MARKET)
        for (let ms = 0; ms <= endMs; ms += 1) {
          const now = records.filter((record) => 'atUs' in record && msOf(record.atUs) === ms)
          for (const record of now) applyRecord(books, record)
          venue.to(ms)
          const isLast = now.at(-1)?.kind === 'book' && !isGapNext(records, now.at(-1))
          if (isLast && ms < endMs) expect([venue.bids(), venue.asks()]).toEqual(recorded(books))
        }
        expect(checkExchange(venue.world().exchange)).toEqual([])
        expect([venue.bids(), venue.asks()]).toEqual([[], []])
      }),
      { numRuns: 40 },
    )
  })

  test('has one hash in one step or many, restarted anywhere, with orders of users', () => {
    fc.assert(
      fc.property(STREAMS, fc.nat(), fc.nat(30), ({ records, endMs }, pick, size) => {
        const at = pick % (endMs + 1)
        const runs = [false, true].map((isRestarted) => {
          const venue = playing(records)
          if (isRestarted) for (let ms = 0; ms < at; ms += 1) venue.to(ms)
          venue.to(at)
          venue.order('BUY', -2, 20 + size)
          venue.order('BUY', 2, 20)
          if (isRestarted) venue.restart()
          venue.to(endMs + 100)
          expect(checkExchange(venue.world().exchange)).toEqual([])
          return worldHash(venue.world())
        })
        expect(runs[1]).toBe(runs[0])
      }),
      { numRuns: 25 },
    )
  })

  test('has an index of its trades once a second, and no simulated traders', () => {
    const { to, world } = playing([
      whole(0, [[-1, 10]], [[1, 10]]),
      trade(0, 'BUY', 1, 1),
      trade(500, 'SELL', -1, 1),
      trade(1500, 'BUY', 8, 1),
      book(9000, [], [[1, 9]]),
    ])
    to(600)
    const [scene] = world().scenes
    expect(scene?.index).toBe(MIDDLE + 1)
    to(2000)
    expect(scene?.index).toBe(MIDDLE + 8)
    expect(scene?.market.last).toBe(MIDDLE + 8)
    expect(scene?.history.trades.map(({ price, quantity }) => [price - MIDDLE, quantity])).toEqual([
      [1, 1],
      [-1, 1],
      [8, 1],
    ])
    expect(world().agents.filter(({ role }) => role !== 'whale' && role !== 'liquidator')).toEqual(
      [],
    )
  })

  test('counts a price between two ticks for the worse one, also under more decimals, and follows a recorded index', () => {
    const fine = { ...MARKET, priceDecimals: 2, quantityDecimals: 6 } as const
    const levels = (...pairs: [number, number][]) =>
      pairs.flatMap(([hundredths, size]) => [10 * MIDDLE + hundredths, size])
    const at = (ms: number) => (BEGIN_MS + ms) * 1000
    const price = { value: 10 * MIDDLE + 25, decimals: 2 }
    const lifted = { price: 10 * MIDDLE + 2, quantity: 500 }
    const { to, bids, asks, world } = playing([
      whole(0, [[-1, 10]], [[1, 10]]),
      fine,
      {
        ...{ kind: 'book', market: 0, atUs: at(5), isWhole: false },
        bids: levels([-5, 70], [-8, 25]),
        asks: levels([2, 30], [10, 0]),
      },
      { kind: 'index', market: 0, atUs: at(6), price },
      { ...{ kind: 'trade', market: 0, atUs: at(2000), side: 'BUY' }, ...lifted },
      book(9000, [], []),
    ])
    to(0)
    expect([bids(), asks()]).toEqual([[[-1, 10]], [[1, 10]]])
    to(5)
    expect([bids(), asks()]).toEqual([[[-1, 19]], [[1, 3]]])
    to(2000)
    const [scene] = world().scenes
    expect(scene?.index).toBe(MIDDLE + 2.5)
    expect(scene?.market.last).toBe(MIDDLE + 1)
    expect(asks()).toEqual([])
  })
})

function msOf(atUs: number): number {
  return Math.floor(atUs / 1000) - Date.UTC(2026, 0, 1)
}

/** Whether the next record is a gap that begins with this one. */
function isGapNext(records: readonly unknown[], last: unknown): boolean {
  return Object(records[records.indexOf(last) + 1]).kind === 'gap'
}

function recorded(books: TapeBooks) {
  const state = books.get(0)
  const rows = (side: ReadonlyMap<number, number> = new Map(), direction: 1 | -1) =>
    [...side]
      .map(([price, quantity]) => [price - MIDDLE, quantity])
      .sort(([a = 0], [b = 0]) => direction * (a - b))
  return [rows(state?.bids, -1), rows(state?.asks, 1)]
}

describe("a user's order in a recorded queue", () => {
  test('stands behind what was there, and loses what is cancelled before it in proportion', () => {
    const { to, order, queue } = playing([
      whole(0, [[-1, 10]], [[1, 10]]),
      book(10, [[-1, 15]], []),
      trade(20, 'SELL', -1, 4),
      book(21, [[-1, 11]], []),
      book(30, [[-1, 8]], []),
      trade(40, 'SELL', -1, 7),
      book(99, [], [[1, 9]]),
    ])
    to(0)
    const own = order('BUY', -1, 20)
    expect(queue(-1)).toBe('10 u20')
    to(10)
    expect(queue(-1)).toBe('10 u20 5')
    to(21)
    expect(queue(-1)).toBe('6 u20 5')
    to(30)
    expect(queue(-1)).toBe('5 u20 3')
    to(40)
    expect(queue(-1)).toBe('u18 3')
    expect(own).toMatchObject({ executed: 2, status: 'PARTIAL_FILLED' })
  })

  test('fills when the tape trades through it, no more than was traded, and when the book crosses it', () => {
    const { to, order, queue, asks, bids } = playing([
      whole(0, [[-3, 10]], [[3, 10]]),
      trade(10, 'SELL', -3, 8),
      book(20, [], [[-2, 5]]),
      book(30, [], [[-2, 5]]),
      book(99, [], []),
    ])
    to(0)
    const own = order('BUY', -1, 20)
    to(10)
    expect(own.executed).toBe(8)
    expect(bids()).toEqual([
      [-1, 12],
      [-3, 10],
    ])
    to(20)
    expect(own.executed).toBe(13)
    expect(asks()).toEqual([[3, 10]])
    to(30)
    expect(own).toMatchObject({ executed: 18, executedValue: 18 * (MIDDLE - 1) })
    expect(queue(-1)).toBe('u2')
  })

  test('takes what the tape shows, and its impact is gone with the next recorded change', () => {
    const asked = [
      [1, 100],
      [2, 50],
    ] as const
    const { to, order, asks, world } = playing([
      whole(0, [[-1, 10]], asked),
      book(50, [[-1, 11]], []),
      book(99, [], []),
    ])
    to(0)
    const own = order('BUY', 2, 120)
    const executedValue = 100 * (MIDDLE + 1) + 20 * (MIDDLE + 2)
    expect(own).toMatchObject({ status: 'FILLED', executedValue })
    expect(asks()).toEqual([[2, 30]])
    to(49)
    expect(asks()).toEqual([[2, 30]])
    to(50)
    expect(asks()).toEqual([
      [1, 100],
      [2, 50],
    ])
    expect(checkExchange(world().exchange)).toEqual([])
  })

  test('meets nothing in a gap and after the end', () => {
    const { to, order, bids, asks, world } = playing([
      whole(0, [[-1, 10]], [[1, 10]]),
      trade(5, 'BUY', 1, 1),
      gap(5, 50),
      whole(50, [[-1, 70]], [[1, 70]]),
      trade(60, 'BUY', 1, 1),
    ])
    to(4)
    expect(asks()).toEqual([[1, 10]])
    to(6)
    expect([bids(), asks()]).toEqual([[], []])
    const own = order('BUY', 2, 30)
    to(49)
    expect(own.executed).toBe(0)
    to(50)
    expect(own.executed).toBe(30)
    expect(asks()).toEqual([[1, 40]])
    to(60)
    expect([bids(), asks()]).toEqual([[], []])
    expect(checkExchange(world().exchange)).toEqual([])
  })
})
