import { describe, expect, test } from 'bun:test'
import { MARKETS } from '../../../src/simulator/listing/instruments.ts'
import { createFeed } from '../../../src/simulator/past/seeded-feed.ts'
import { NOW_MS, WORLD_START_MS } from '../feed/calls.ts'

const HOUR_MS = 3_600_000
const ONE = 100_000_000n
const feed = createFeed({ seed: 1, beginsAtMs: WORLD_START_MS })

describe.each([...MARKETS.values()].map((market) => [market.symbol, market] as const))(
  'the funding of %s',
  (symbol, market) => {
    const periodMs = market.fundingPeriodHours * HOUR_MS
    const settlements = feed.settlements(symbol, NOW_MS)

    test('settles at every multiple of its period in UTC and never in the future', () => {
      expect(settlements.filter(({ atMs }) => atMs % periodMs !== 0)).toEqual([])
      expect(settlements.length).toBe(
        Math.floor((NOW_MS - (settlements[0]?.atMs ?? 0)) / periodMs) + 1,
      )
      expect(settlements.at(-1)?.atMs).toBeLessThanOrEqual(NOW_MS)
    })

    test('keeps every rate within the floor and the cap, and leans both ways', () => {
      const rates = settlements.map(({ rate }) => rate)
      expect(
        rates.filter((rate) => rate < market.floorFunding || rate > market.capFunding),
      ).toEqual([])
      expect(rates.some((rate) => rate > 0n)).toBe(true)
      expect(new Set(rates).size).toBeGreaterThan(rates.length / 3)
    })

    test('sums mark times rate over all settlements', () => {
      let sum = 0n
      for (const { atMs, rate, sumUnitary } of settlements) {
        sum += (feed.mark(symbol, atMs) * rate) / ONE
        expect(sumUnitary).toBe(sum)
      }
      expect(feed.funding(symbol, NOW_MS).sumUnitary).toBe(sum)
    })

    test('changes its state at a settlement and not before', () => {
      const { lastAtMs, nextAtMs, lastRate } = feed.funding(symbol, NOW_MS)
      expect([lastAtMs, nextAtMs]).toEqual([settlements.at(-1)?.atMs ?? 0, lastAtMs + periodMs])
      const before = feed.funding(symbol, nextAtMs - 1)
      const after = feed.funding(symbol, nextAtMs)
      expect([before.lastRate, before.lastAtMs, before.nextAtMs]).toEqual([
        lastRate,
        lastAtMs,
        nextAtMs,
      ])
      expect([after.lastAtMs, after.nextAtMs]).toEqual([nextAtMs, nextAtMs + periodMs])
      expect(after.sumUnitary - before.sumUnitary).toBe(
        (feed.mark(symbol, nextAtMs) * after.lastRate) / ONE,
      )
      // The estimate has all but arrived by then.
      expect(Math.abs(Number(before.estimatedRate - after.lastRate))).toBeLessThan(30)
    })
  },
)

test('funding is the same whether asked in order or at once', () => {
  const walked = createFeed({ seed: 1, beginsAtMs: WORLD_START_MS })
  for (let atMs = WORLD_START_MS; atMs < NOW_MS; atMs += 7 * HOUR_MS)
    walked.funding('PERP_SOL_USDC', atMs)
  expect(walked.funding('PERP_SOL_USDC', NOW_MS)).toEqual(feed.funding('PERP_SOL_USDC', NOW_MS))
  expect(walked.funding('PERP_SOL_USDC', WORLD_START_MS)).toEqual(
    feed.funding('PERP_SOL_USDC', WORLD_START_MS),
  )
})

test('before its epoch a market has settled nothing', () => {
  const { sumUnitary } = feed.funding('PERP_SOL_USDC', WORLD_START_MS - 200 * 24 * HOUR_MS)
  expect(sumUnitary).toBe(0n)
  expect(feed.settlements('PERP_SOL_USDC', 0)).toEqual([])
})
