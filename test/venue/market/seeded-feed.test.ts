import { describe, expect, test } from 'bun:test'
import type { Book, Level } from '../../../src/venue/market/feed.ts'
import { MARKETS } from '../../../src/venue/market/instruments.ts'
import { createFeed } from '../../../src/venue/market/seeded-feed.ts'
import { GENESIS_MS, NOW_MS } from './calls.ts'

const BTC = 'PERP_BTC_USDC'
const MINUTE_MS = 60_000
const ONE = 100_000_000n
const TIMES = Array.from({ length: 40 }, (_, position) => GENESIS_MS + position * 65_432_100)
const newFeed = (seed = 1) => createFeed({ seed, genesisMs: GENESIS_MS })

function prices({ bids, asks }: Book): bigint[] {
  return [...bids.toReversed(), ...asks].map(({ price }) => price)
}

/** What is left of an order's value, in units of 10^-16 USDC, after it took all levels within bounds. */
function unfilled(levels: readonly Level[], isWithin: (price: bigint) => boolean): bigint {
  const taken = levels.filter(({ price }) => isWithin(price))
  return (
    10_000n * ONE * ONE - taken.reduce((sum, { price, quantity }) => sum + price * quantity, 0n)
  )
}

describe.each([...MARKETS.values()].map((market) => [market.symbol, market] as const))(
  '%s',
  (symbol, market) => {
    const feed = newFeed()

    test('quotes a book that rises from the worst bid over the mark to the worst ask, on tick', () => {
      for (const atMs of TIMES) {
        const book = feed.book(symbol, atMs)
        const mark = feed.mark(symbol, atMs)
        expect(book.bids.length).toBe(40)
        expect(book.asks.length).toBe(40)
        expect(book.bids[0]?.price).toBeLessThan(mark)
        expect(book.asks[0]?.price).toBeGreaterThan(mark)
        const ladder = prices(book)
        expect(
          ladder.every(
            (price, position) => position === 0 || price > (ladder[position - 1] ?? price),
          ),
        ).toBe(true)
        expect(
          [mark, feed.index(symbol, atMs), ...ladder].filter(
            (price) => price % market.quoteTick !== 0n || price <= 0n,
          ),
        ).toEqual([])
        const sizes = [...book.bids, ...book.asks].map(({ quantity }) => quantity)
        expect(
          sizes.filter(
            (size) =>
              size % market.baseTick !== 0n || size < market.baseMin || size > market.baseMax,
          ),
        ).toEqual([])
      }
    })

    test('has the depth for a market order of ten thousand dollars within the price range', () => {
      for (const atMs of TIMES) {
        const { bids, asks } = feed.book(symbol, atMs)
        const mark = feed.mark(symbol, atMs)
        const highest = (mark * (ONE + market.priceRange)) / ONE
        const lowest = (mark * (ONE - market.priceRange)) / ONE
        expect(unfilled(asks, (price) => price <= highest)).toBeLessThanOrEqual(0n)
        expect(unfilled(bids, (price) => price >= lowest)).toBeLessThanOrEqual(0n)
      }
    })

    test('trades every minute, in order, at the best price of the moment and no more than its size', () => {
      for (const fromMs of TIMES.slice(0, 5)) {
        const trades = feed.trades(symbol, fromMs, fromMs + 10 * MINUTE_MS)
        expect(trades.length).toBeGreaterThanOrEqual(18)
        expect(trades.length).toBeLessThan(100)
        expect(trades.map(({ atMs }) => atMs)).toEqual(
          trades.map(({ atMs }) => atMs).sort((a, b) => a - b),
        )
        for (const { atMs, side, price, quantity } of trades) {
          const { asks, bids } = feed.book(symbol, atMs)
          const best = side === 'BUY' ? asks[0] : bids[0]
          expect(price).toBe(best?.price ?? 0n)
          expect(quantity).toBeLessThanOrEqual(best?.quantity ?? 0n)
          expect(quantity > 0n && quantity % market.baseTick === 0n).toBe(true)
        }
      }
    })

    test('has an open interest of the order of its turnover, with both sides', () => {
      for (const atMs of TIMES) {
        const { total, tradersLong, tradersShort } = feed.openInterest(symbol, atMs)
        const usdc = Number((total * feed.mark(symbol, atMs)) / ONE) / 1e8
        expect(usdc / market.dailyTurnoverUsdc).toBeWithin(0.3, 1)
        expect(tradersLong > 0n && tradersLong < total).toBe(true)
        expect(tradersShort > 0n && tradersShort < total).toBe(true)
        expect(usdc).toBeLessThan(market.tier.openInterestMaxUsdc)
      }
    })
  },
)

describe('the feed', () => {
  test('stands still within a bucket and moves from one to another', () => {
    const feed = newFeed()
    const startMs = Math.floor(NOW_MS / feed.bucketMs) * feed.bucketMs
    expect(feed.book(BTC, startMs + feed.bucketMs - 1)).toEqual(feed.book(BTC, startMs))
    expect(feed.book(BTC, startMs + feed.bucketMs)).not.toEqual(feed.book(BTC, startMs))
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
    for (const atMs of TIMES) walked.day(BTC, atMs)
    const view = (feed: ReturnType<typeof newFeed>) => [
      feed.book(BTC, NOW_MS),
      feed.day(BTC, NOW_MS),
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
  const execution = {
    atMs: NOW_MS - 1000,
    side: 'BUY',
    price: 700_000_000_0000n,
    quantity: 5000n,
  } as const

  test('tells the latest trades up to now, newest first, and none to come', () => {
    const feed = newFeed()
    const ticks = feed.tape(BTC, NOW_MS, 50)
    expect(ticks.length).toBe(50)
    expect([...ticks].reverse()).toEqual(
      feed.trades(BTC, ticks.at(-1)?.atMs ?? 0, NOW_MS + 1).slice(-50),
    )
  })

  test('tells executions among the seeded trades, which stay what they were', () => {
    const feed = newFeed()
    const seeded = feed.trades(BTC, NOW_MS - MINUTE_MS, NOW_MS)
    feed.record(BTC, execution)
    expect(feed.tape(BTC, NOW_MS, 30)).toContainEqual(execution)
    expect(feed.tape(BTC, execution.atMs - 1, 30)).not.toContainEqual(execution)
    expect(feed.tape('PERP_ETH_USDC', NOW_MS, 30)).not.toContainEqual(execution)
    expect(feed.trades(BTC, NOW_MS - MINUTE_MS, NOW_MS)).toEqual(seeded)
  })
})
