import { describe, expect, test } from 'bun:test'
import type { Tick } from '../../../src/simulator/listing/feed.ts'
import { MARKETS } from '../../../src/simulator/listing/instruments.ts'
import { emptyBar, foldTrade } from '../../../src/simulator/past/bar.ts'
import { createCandles, HISTORY_MS } from '../../../src/simulator/past/candles.ts'
import { createFeed } from '../../../src/simulator/past/seeded-feed.ts'
import { NOW_MS, WORLD_START_MS } from '../feed/calls.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS
const ETH = 'PERP_ETH_USDC'
const past = createFeed({ seed: 1, beginsAtMs: WORLD_START_MS })

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

/** The candles of a market, all of whose trades were before genesis. */
function chartOf(symbol: string) {
  const market = MARKETS.get(symbol)
  if (!market) throw new RangeError(symbol)
  return createCandles({
    market,
    beginsAtMs: Number.POSITIVE_INFINITY,
    before: (fromMs, toMs) => past.bar(symbol, fromMs, toMs),
    since: emptyBar,
    lastTicks: () => 0,
  })
}

describe('candles', () => {
  test.each([1, 3, 5, 15, 30, 60, 240])(
    'of %d minutes are exactly the trades within them',
    (minutes) => {
      const spanMs = minutes * MINUTE_MS
      const candles = chartOf(ETH).range(spanMs, NOW_MS - 3 * spanMs, NOW_MS + 1, NOW_MS)
      expect(candles.length).toBe(3)
      for (const { startMs, ...figures } of candles) {
        const endMs = Math.min(startMs + spanMs, NOW_MS + 1)
        expect(figures).toEqual(aggregate(past.trades(ETH, startMs, endMs)))
      }
    },
  )

  test('of a day are the candles of its minutes, in every market', () => {
    const midnightMs = Math.floor(NOW_MS / DAY_MS) * DAY_MS
    for (const symbol of [...past.instruments.keys()].slice(0, 12)) {
      const minutes = chartOf(symbol).range(MINUTE_MS, midnightMs, NOW_MS + 1, NOW_MS)
      const [day] = chartOf(symbol).range(DAY_MS, midnightMs, NOW_MS + 1, NOW_MS)
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
    for (const nowMs of [
      NOW_MS,
      Math.floor(NOW_MS / HOUR_MS) * HOUR_MS,
      Math.floor(NOW_MS / HOUR_MS) * HOUR_MS - 1,
    ]) {
      const minuteMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS
      const fromMs = minuteMs - DAY_MS
      const minutes = chartOf(ETH).range(MINUTE_MS, fromMs, nowMs + 1, nowMs)
      const day = chartOf(ETH).day(nowMs)
      expect(minutes.length).toBeGreaterThanOrEqual(1440)
      const trades = [...past.trades(ETH, fromMs, nowMs + 1)]
      expect(day).toEqual({ ...aggregate(trades), count: trades.length })
      expect(day.close).toBe(minutes.at(-1)?.close ?? 0n)
      expect(day.open).toBe(minutes[0]?.open ?? 0n)
    }
  })

  test('grow with time and know nothing of what is to come', () => {
    const startMs = Math.floor(NOW_MS / HOUR_MS) * HOUR_MS
    const at = (nowMs: number) => chartOf(ETH).range(HOUR_MS, startMs, startMs + HOUR_MS, nowMs)[0]
    const whole = at(startMs + 2 * HOUR_MS)
    expect(at(startMs + 10 * MINUTE_MS)).toEqual({
      startMs,
      ...aggregate(past.trades(ETH, startMs, startMs + 10 * MINUTE_MS + 1)),
    })
    expect(at(startMs + 10 * MINUTE_MS)?.volume).toBeLessThan(whole?.volume ?? 0n)
    expect(at(startMs + HOUR_MS)).toEqual(whole)
    expect(chartOf(ETH).range(HOUR_MS, NOW_MS + 1, NOW_MS + DAY_MS, NOW_MS)).toEqual([])
  })

  test.each([0, 17])(
    'join what was before a genesis at minute %d with what came since, within one candle as well',
    (minute) => {
      const hourMs = Math.floor(NOW_MS / HOUR_MS) * HOUR_MS
      const beginsAtMs = hourMs + minute * MINUTE_MS
      const trade = { atMs: beginsAtMs + MINUTE_MS, price: 123_456, quantity: 789 }
      const market = MARKETS.get(ETH)
      if (!market) throw new RangeError(ETH)
      const chart = createCandles({
        market,
        beginsAtMs,
        before: (fromMs, toMs) => past.bar(ETH, fromMs, toMs),
        since: (fromMs, toMs) => {
          const bar = emptyBar()
          if (trade.atMs >= fromMs && trade.atMs < toMs)
            foldTrade(bar, trade.atMs, trade.price, trade.quantity)
          return bar
        },
        lastTicks: () => 0,
      })
      const startMs = Math.floor(NOW_MS / DAY_MS) * DAY_MS
      const [day] = chart.range(DAY_MS, startMs, NOW_MS + 1, NOW_MS)
      const tick = {
        atMs: trade.atMs,
        side: 'BUY',
        price: BigInt(trade.price) * market.quoteTick,
        quantity: BigInt(trade.quantity) * market.baseTick,
      } as const
      expect(day).toEqual({
        startMs,
        ...aggregate([...past.trades(ETH, startMs, beginsAtMs), tick]),
      })
      expect(chart.range(HOUR_MS, hourMs, NOW_MS + 1, NOW_MS)).toEqual([
        { startMs: hourMs, ...aggregate([...past.trades(ETH, hourMs, beginsAtMs), tick]) },
      ])
    },
  )

  test('stand still at the last price when a day saw no trade', () => {
    const market = MARKETS.get(ETH)
    if (!market) throw new RangeError(ETH)
    const sources = { market, beginsAtMs: 0, before: emptyBar, since: emptyBar }
    const chart = createCandles({ ...sources, lastTicks: () => 250_000 })
    const price = 250_000n * market.quoteTick
    expect(chart.day(NOW_MS)).toEqual({
      ...{ open: price, high: price, low: price, close: price },
      ...{ volume: 0n, amount: 0n, count: 0 },
    })
    expect(chart.range(HOUR_MS, NOW_MS - DAY_MS, NOW_MS, NOW_MS)).toEqual([])
  })

  test('reach back sixty days and no further, however much is asked for', () => {
    const days = chartOf(ETH).range(DAY_MS, 0, NOW_MS + 1, NOW_MS)
    expect(days.length).toBe(HISTORY_MS / DAY_MS)
    expect(days[0]?.startMs).toBeLessThan(WORLD_START_MS - 30 * DAY_MS)
    expect(chartOf(ETH).range(MINUTE_MS, 0, NOW_MS - HISTORY_MS, NOW_MS)).toEqual([])
  })

  test('of a week begin on Mondays', () => {
    const weeks = chartOf(ETH).range(WEEK_MS, 0, NOW_MS + 1, NOW_MS)
    expect(weeks.length).toBeGreaterThan(7)
    expect(
      weeks.map(({ startMs }) => new Date(startMs).getUTCDay()).filter((day) => day !== 1),
    ).toEqual([])
  })
})
