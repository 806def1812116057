import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { advance, createWorld } from '../../../src/venue/engine/run.ts'
import { MARKETS } from '../../../src/venue/listing/instruments.ts'
import { replayedPrices, stillPricesAt } from '../../../src/venue/prices/replay.ts'
import { runs } from '../../runs.ts'

const BTC = 'PERP_BTC_USDC'
const SPECS = new Map([[BTC, { tick: 10_000_000 }]])
const START_MS = 1_767_225_600_000
const MINUTE_MS = 60_000

const FILE = `symbol,time,open,high,low,close,volume
PERP_BTC_USDC,1767225600000,60000,60300,59900,60200,5
PERP_BTC_USDC,1767225660,60200,60200,60000,60100,4
PERP_BTC_USDC,2026-01-01T00:10:00Z,59000,59500,58000,58500,4
`

const priceAt = (text: string, seconds: number, symbol = BTC) =>
  replayedPrices(text, SPECS).priceAt(symbol, START_MS + seconds * 1000)

test('a candle is gone through from its open by both extremes to its close', () => {
  expect([0, 20, 40, 59.999].map((seconds) => priceAt(FILE, seconds))).toEqual([
    600_000, 599_000, 603_000, 602_000,
  ])
  // A candle that falls has its high first.
  expect([60, 80, 100, 119.999].map((seconds) => priceAt(FILE, seconds))).toEqual([
    602_000, 602_000, 600_000, 601_000,
  ])
})

test('in a gap and after the last candle the price stands, before the first there is none', () => {
  expect([120, 300, 599.999, 600].map((seconds) => priceAt(FILE, seconds))).toEqual([
    601_000, 601_000, 601_000, 590_000,
  ])
  expect(priceAt(FILE, 99_999)).toBe(585_000)
  expect(priceAt(FILE, -1)).toBeNull()
  expect(priceAt(FILE, 0, 'PERP_ETH_USDC')).toBeNull()
})

test('what stands still is known with the time since when', () => {
  const source = replayedPrices(FILE, SPECS)
  const at = (seconds: number) =>
    stillPricesAt(source, [BTC, 'PERP_ETH_USDC'], START_MS + seconds * 1000)
  expect(at(-1)).toEqual({ moving: 0, still: 2, stillSince: { [BTC]: null } })
  expect(at(0)).toEqual({ moving: 1, still: 1, stillSince: {} })
  expect(at(130)?.stillSince).toEqual({ [BTC]: '2026-01-01T00:02:00.000Z' })
  expect(at(600)?.moving).toBe(1)
  expect(at(99_999)?.stillSince).toEqual({ [BTC]: '2026-01-01T00:11:00.000Z' })
  expect(stillPricesAt({ kind: 'seeded' }, [BTC], START_MS)).toBeNull()
})

test.each([
  ['too few columns', 'PERP_BTC_USDC,1767225600000,1,2'],
  ['a low above the open', 'PERP_BTC_USDC,1767225600000,1,3,2,2,1'],
  ['no time', 'PERP_BTC_USDC,soon,1,3,1,2,1'],
  ['a price that is none', 'PERP_BTC_USDC,1767225600000,1,x,1,2,1'],
  ['the time of another', 'PERP_BTC_USDC,1767225660000,1,3,1,2,1'],
])('a row with %s is refused by its line', (_, line) => {
  expect(() => replayedPrices(`${FILE}${line}`, SPECS)).toThrow('line 5')
})

type Candle = readonly [open: number, high: number, low: number, close: number]

/** Index prices that a world has in each minute of a file, in ticks. */
function lived(candles: readonly (Candle | null)[]): readonly Candle[] {
  const listed = [...MARKETS.values()].filter(({ symbol }) => symbol === BTC)
  const rows = candles.flatMap((candle, at) =>
    candle ? [`${BTC},${START_MS + at * MINUTE_MS},${candle.map((usd) => usd).join()},1`] : [],
  )
  const prices = replayedPrices(rows.join('\n'), SPECS)
  const [scene] = listed
  const world = createWorld({
    ...{ seed: 1, beginsAtMs: START_MS, prices, listed, populate: false },
    startOf: () => ({ index: prices.priceAt(BTC, START_MS) ?? 0, sumUnitary: 0, lastRate: 0 }),
  })
  const [market] = world.exchange.markets
  if (!scene || !market) throw new Error(BTC)
  return candles.map((_, at) => {
    const seen: number[] = []
    const endMs = START_MS + (at + 1) * MINUTE_MS
    for (let ms = START_MS + at * MINUTE_MS; ms < endMs; ms += 1000) {
      for (const exactMs of [ms, ms + 999]) {
        advance(world, exactMs)
        seen.push(market.index)
      }
    }
    return [seen[0] ?? 0, Math.max(...seen), Math.min(...seen), seen.at(-1) ?? 0] as const
  })
}

test('in a world, each candle’s open, high, low and close are its index, whatever the candles are', () => {
  const usd = fc.integer({ min: 40_000, max: 80_000 })
  const candle = fc
    .tuple(usd, usd, fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 5_000 }))
    .map(
      ([open, close, above, below]): Candle => [
        open,
        Math.max(open, close) + above,
        Math.min(open, close) - below,
        close,
      ],
    )
  const files = fc.property(
    candle,
    fc.array(fc.option(candle, { freq: 5 }), { minLength: 3, maxLength: 12 }),
    (first, others) => {
      const candles = [first, first, ...others]
      let close = 0
      for (const [at, seen] of lived(candles).entries()) {
        const expected = candles[at]?.map((price) => price * 10) ?? [close, close, close, close]
        expect([...seen]).toEqual(expected)
        close = seen[3]
      }
    },
  )
  fc.assert(files, { numRuns: runs(40), seed: 18, endOnFailure: true })
})
