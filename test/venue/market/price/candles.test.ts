import { describe, expect, test } from 'bun:test'
import type { Tick } from '../../../../src/venue/market/feed.ts'
import { HISTORY_MS } from '../../../../src/venue/market/price/candles.ts'
import { createFeed, type MarketFeed } from '../../../../src/venue/market/seeded-feed.ts'
import { GENESIS_MS, NOW_MS } from '../calls.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS
const ETH = 'PERP_ETH_USDC'
const newFeed = () => createFeed({ seed: 1, genesisMs: GENESIS_MS })

const least = (values: readonly bigint[]) => values.toSorted((a, b) => Number(a - b))[0] ?? 0n
const most = (values: readonly bigint[]) => values.toSorted((a, b) => Number(b - a))[0] ?? 0n

/** A candle computed the long way, from ticks as anyone can read them. */
function aggregate(ticks: readonly Tick[]) {
  const prices = ticks.map(({ price }) => price)
  return {
    open: prices[0] ?? 0n,
    high: most(prices),
    low: least(prices),
    close: prices.at(-1) ?? 0n,
    volume: ticks.reduce((sum, { quantity }) => sum + quantity, 0n),
    amount:
      ticks.reduce((sum, { price, quantity }) => sum + price * quantity, 0n) / 10_000_000_000n,
  }
}

function tradesOf(feed: MarketFeed, symbol: string, fromMs: number, toMs: number): Tick[] {
  const count = feed.trades(symbol, fromMs, toMs).length + 50
  return feed
    .tape(symbol, toMs - 1, count)
    .filter(({ atMs }) => atMs >= fromMs)
    .reverse()
}

describe('candles', () => {
  test.each([1, 3, 5, 15, 30, 60, 240])(
    'of %d minutes are exactly the trades within them',
    (minutes) => {
      const feed = newFeed()
      const spanMs = minutes * MINUTE_MS
      const candles = feed.candles(ETH, spanMs, NOW_MS - 3 * spanMs, NOW_MS + 1, NOW_MS)
      expect(candles.length).toBe(3)
      for (const { startMs, ...figures } of candles) {
        const endMs = Math.min(startMs + spanMs, NOW_MS + 1)
        expect(figures).toEqual(aggregate(feed.trades(ETH, startMs, endMs)))
      }
    },
  )

  test('of a day are the candles of its minutes, in every market', () => {
    const feed = newFeed()
    const midnightMs = Math.floor(NOW_MS / DAY_MS) * DAY_MS
    for (const symbol of [...feed.instruments.keys()].slice(0, 12)) {
      const minutes = feed.candles(symbol, MINUTE_MS, midnightMs, NOW_MS + 1, NOW_MS)
      const [day] = feed.candles(symbol, DAY_MS, midnightMs, NOW_MS + 1, NOW_MS)
      expect(day).toEqual({
        startMs: midnightMs,
        open: minutes[0]?.open ?? 0n,
        high: most(minutes.map(({ high }) => high)),
        low: least(minutes.map(({ low }) => low)),
        close: minutes.at(-1)?.close ?? 0n,
        volume: minutes.reduce((sum, { volume }) => sum + volume, 0n),
        amount: minutes.reduce((sum, { amount }) => sum + amount, 0n),
      })
    }
  })

  test('give the figures of 24 hours: the running minute and the 1440 before it', () => {
    const feed = newFeed()
    for (const nowMs of [
      NOW_MS,
      Math.floor(NOW_MS / HOUR_MS) * HOUR_MS,
      Math.floor(NOW_MS / HOUR_MS) * HOUR_MS - 1,
    ]) {
      const minuteMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS
      const fromMs = minuteMs - DAY_MS
      const minutes = feed.candles(ETH, MINUTE_MS, fromMs, nowMs + 1, nowMs)
      const day = feed.day(ETH, nowMs)
      expect(minutes.length).toBeGreaterThanOrEqual(1440)
      expect(day).toEqual(aggregate(feed.trades(ETH, fromMs, nowMs + 1)))
      expect(day.close).toBe(minutes.at(-1)?.close ?? 0n)
      expect(day.open).toBe(minutes[0]?.open ?? 0n)
    }
  })

  test('grow with time and know nothing of what is to come', () => {
    const feed = newFeed()
    const startMs = Math.floor(NOW_MS / HOUR_MS) * HOUR_MS
    const at = (nowMs: number) => feed.candles(ETH, HOUR_MS, startMs, startMs + HOUR_MS, nowMs)[0]
    const whole = at(startMs + 2 * HOUR_MS)
    expect(at(startMs + 10 * MINUTE_MS)).toEqual({
      startMs,
      ...aggregate(feed.trades(ETH, startMs, startMs + 10 * MINUTE_MS + 1)),
    })
    expect(at(startMs + 10 * MINUTE_MS)?.volume).toBeLessThan(whole?.volume ?? 0n)
    expect(at(startMs + HOUR_MS)).toEqual(whole)
    expect(feed.candles(ETH, HOUR_MS, NOW_MS + 1, NOW_MS + DAY_MS, NOW_MS)).toEqual([])
  })

  test('count executions of users, also in an hour that was already computed', () => {
    const feed = newFeed()
    const startMs = Math.floor(NOW_MS / HOUR_MS) * HOUR_MS - 5 * HOUR_MS
    const hour = () => feed.candles(ETH, HOUR_MS, startMs, startMs + HOUR_MS, NOW_MS)[0]
    const before = hour()
    const beforeOther = feed.day('PERP_BTC_USDC', NOW_MS)
    const high = 9_999_000_000_00n
    feed.record(ETH, { atMs: startMs + 1_800_000, side: 'BUY', price: high, quantity: 30_000n })
    const last = {
      atMs: startMs + HOUR_MS - 1,
      side: 'SELL',
      price: 2000_00000000n,
      quantity: 10_000n,
    } as const
    feed.record(ETH, last)
    expect(hour()).toEqual({
      startMs,
      ...aggregate(tradesOf(feed, ETH, startMs, startMs + HOUR_MS)),
    })
    expect(hour()?.high).toBe(high)
    expect(hour()?.close).toBe(last.price)
    expect(hour()?.volume).toBe((before?.volume ?? 0n) + 40_000n)
    expect(feed.day(ETH, NOW_MS).high).toBe(high)
    expect(feed.day('PERP_BTC_USDC', NOW_MS)).toEqual(beforeOther)
  })

  test('reach back sixty days and no further, however much is asked for', () => {
    const feed = newFeed()
    const days = feed.candles(ETH, DAY_MS, 0, NOW_MS + 1, NOW_MS)
    expect(days.length).toBe(HISTORY_MS / DAY_MS)
    expect(days[0]?.startMs).toBeLessThan(GENESIS_MS - 30 * DAY_MS)
    expect(feed.candles(ETH, MINUTE_MS, 0, NOW_MS - HISTORY_MS, NOW_MS)).toEqual([])
  })

  test('of a week begin on Mondays', () => {
    const weeks = newFeed().candles(ETH, WEEK_MS, 0, NOW_MS + 1, NOW_MS)
    expect(weeks.length).toBeGreaterThan(7)
    expect(
      weeks.map(({ startMs }) => new Date(startMs).getUTCDay()).filter((day) => day !== 1),
    ).toEqual([])
  })
})
