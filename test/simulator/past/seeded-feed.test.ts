import { describe, expect, test } from 'bun:test'
import { MARKETS } from '../../../src/simulator/listing/instruments.ts'
import { BUCKET_MS } from '../../../src/simulator/past/path.ts'
import { createFeed } from '../../../src/simulator/past/seeded-feed.ts'
import { NOW_MS, WORLD_START_MS } from '../feed/calls.ts'

const BTC = 'PERP_BTC_USDC'
const MINUTE_MS = 60_000
const TIMES = Array.from({ length: 40 }, (_, position) => WORLD_START_MS + position * 65_432_100)
const newFeed = (seed = 1) => createFeed({ seed, beginsAtMs: WORLD_START_MS })

describe.each([...MARKETS.values()].map((market) => [market.symbol, market] as const))(
  '%s',
  (symbol, market) => {
    const feed = newFeed()

    test('trades every minute, in order, on tick and on step, near the mark', () => {
      for (const fromMs of TIMES.slice(0, 5)) {
        const trades = feed.trades(symbol, fromMs, fromMs + 10 * MINUTE_MS)
        expect(trades.length).toBeGreaterThanOrEqual(18)
        expect(trades.length).toBeLessThan(100)
        expect(trades.map(({ atMs }) => atMs)).toEqual(
          trades.map(({ atMs }) => atMs).sort((a, b) => a - b),
        )
        for (const { atMs, side, price, quantity } of trades) {
          const mark = feed.mark(symbol, atMs)
          expect(side === 'BUY' ? price > mark : price < mark).toBe(true)
          expect(price % market.quoteTick).toBe(0n)
          expect(Number(price) / Number(mark)).toBeWithin(0.999, 1.001)
          expect(quantity > 0n && quantity % market.baseTick === 0n).toBe(true)
        }
      }
    })
  },
)

describe('the feed', () => {
  test('stands still within a bucket and moves from one to another', () => {
    const feed = newFeed()
    const startMs = Math.floor(NOW_MS / BUCKET_MS) * BUCKET_MS
    expect(feed.mark(BTC, startMs + BUCKET_MS - 1)).toBe(feed.mark(BTC, startMs))
    expect(feed.mark(BTC, startMs + BUCKET_MS)).not.toBe(feed.mark(BTC, startMs))
  })

  test('cuts trades at fromMs inclusive and toMs exclusive, and adds up from pieces', () => {
    const feed = newFeed()
    const whole = feed.trades(BTC, NOW_MS, NOW_MS + 5 * MINUTE_MS)
    const cut = whole[7]?.atMs ?? 0
    expect(feed.trades(BTC, NOW_MS, cut)).toEqual(whole.slice(0, 7))
    expect([
      ...feed.trades(BTC, NOW_MS, cut),
      ...feed.trades(BTC, cut, NOW_MS + 5 * MINUTE_MS),
    ]).toEqual([...whole])
    expect(feed.trades(BTC, cut, cut)).toEqual([])
  })

  test('is the same world for the same seed, whatever was asked before, and another for another', () => {
    const walked = newFeed()
    for (const atMs of TIMES) walked.funding(BTC, atMs)
    const view = (feed: ReturnType<typeof newFeed>) => [
      feed.mark(BTC, NOW_MS),
      feed.bar(BTC, NOW_MS - MINUTE_MS, NOW_MS),
      feed.funding(BTC, NOW_MS),
      feed.tape(BTC, NOW_MS, 20),
    ]
    expect(view(walked)).toEqual(view(newFeed()))
    expect(view(newFeed(2))).not.toEqual(view(newFeed()))
  })

  test('refuses a symbol that it does not have', () => {
    expect(() => newFeed().mark('PERP_NOPE_USDC', NOW_MS)).toThrow(RangeError)
  })
})

describe('the tape', () => {
  test('tells the latest trades up to now, newest first, and none to come', () => {
    const feed = newFeed()
    const ticks = feed.tape(BTC, NOW_MS, 50)
    expect(ticks.length).toBe(50)
    expect([...ticks].reverse()).toEqual(
      feed.trades(BTC, ticks.at(-1)?.atMs ?? 0, NOW_MS + 1).slice(-50),
    )
  })
})
