import { describe, expect, test } from 'bun:test'
import { createFeed } from '../../../src/venue/market/seeded-feed.ts'
import { createTraders } from '../../../src/venue/market/traders.ts'
import { GENESIS_MS, NOW_MS } from './calls.ts'

const MINUTE_MS = 60_000
const feed = createFeed({ seed: 1, genesisMs: GENESIS_MS })
const traders = createTraders(feed)
const sum = (values: readonly bigint[]) => values.reduce((all, value) => all + value, 0n)

describe('the seeded traders', () => {
  const { atMs, rows } = traders(NOW_MS)

  test('are at least sixty, each with an address of its own in full', () => {
    expect(rows.length).toBeGreaterThanOrEqual(60)
    expect(new Set(rows.map(({ address }) => address)).size).toBe(rows.length)
    expect(rows.filter(({ address }) => !/^0x[0-9a-f]{40}$/.test(address))).toEqual([])
  })

  test('trade more in a longer window than in the shorter ones it holds', () => {
    for (const { records } of rows) {
      expect(records['24h'].volume).toBeGreaterThan(0n)
      expect(records['7d'].volume).toBeGreaterThan(records['24h'].volume)
      expect(records['30d'].volume).toBeGreaterThan(records['7d'].volume)
    }
  })

  test('win and lose, within what their volume allows', () => {
    const results = rows.flatMap(({ records }) => Object.values(records))
    expect(results.some(({ pnl }) => pnl > 0n) && results.some(({ pnl }) => pnl < 0n)).toBe(true)
    for (const { pnl, volume, winPercent } of results) {
      expect((pnl < 0n ? -pnl : pnl) * 100n).toBeLessThan(volume)
      expect(winPercent).toBeWithin(0, 101)
    }
  })

  test('hold together what the markets report as open', () => {
    const open = [...feed.instruments.keys()].reduce((all, symbol) => {
      const { tradersLong, tradersShort } = feed.openInterest(symbol, atMs)
      return all + (feed.mark(symbol, atMs) * (tradersLong + tradersShort)) / 10_000_000_000n
    }, 0n)
    const held = sum(rows.map(({ notional }) => notional))
    expect(Number(held - open) / Number(open)).toBeWithin(-1e-6, 1e-6)
  })

  test('move with the minutes and are the same for the same seed', () => {
    expect(atMs).toBe(Math.floor(NOW_MS / MINUTE_MS) * MINUTE_MS)
    expect(traders(atMs).rows).toEqual(rows)
    expect(traders(NOW_MS + MINUTE_MS).rows).not.toEqual(rows)
    expect(createTraders(createFeed({ seed: 1, genesisMs: GENESIS_MS }))(NOW_MS)).toEqual({
      atMs,
      rows,
    })
    const others = createTraders(createFeed({ seed: 2, genesisMs: GENESIS_MS }))(NOW_MS)
    const known = new Set(rows.map(({ address }) => address))
    expect(others.rows.filter(({ address }) => known.has(address))).toEqual([])
  })
})
