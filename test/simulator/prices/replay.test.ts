import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ACTIVITIES, type Activity } from '../../../src/contract/venue/activity.ts'
import { REQUESTS } from '../../../src/simulator/engine/requests.ts'
import { advance, createWorld } from '../../../src/simulator/engine/run.ts'
import { MARKETS } from '../../../src/simulator/listing/instruments.ts'
import { placeOrder } from '../../../src/simulator/orders/place.ts'
import { PLAIN_ORDER } from '../../../src/simulator/orders/request.ts'
import { replayedPrices, stillPricesAt } from '../../../src/simulator/prices/replay.ts'
import {
  BASE_FEES,
  deposit,
  openAccount,
  openMarketAccount,
} from '../../../src/simulator/state/accounts.ts'
import { notionalAt } from '../../../src/simulator/state/markets.ts'
import { type Account, BUY } from '../../../src/simulator/state/state.ts'
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

test('a file that was saved again in other zones, units and orders has the same prices', () => {
  const at = (second: number, time: (ms: number) => string) =>
    `${BTC},${time(START_MS + second * 1000)},${60_000 + second},${60_009 + second},59990,${60_001 + second},1`
  const iso = (ms: number) => new Date(ms).toISOString()
  const seconds = Array.from({ length: 60 }, (_, minute) => minute * 60)
  const saved = (time: (ms: number) => string) =>
    seconds.map((second) => at(second, time)).join('\n')
  const prices = (text: string) => seconds.map((second) => priceAt(text, second + 10))
  const one = prices(saved(String))
  expect(new Set(one).size).toBe(60)
  for (const time of [
    (ms: number) => String(ms / 1000),
    (ms: number) => `${ms}000`,
    (ms: number) => `${ms}000000`,
    iso,
    (ms: number) => iso(ms).slice(0, 19).replace('T', ' '),
    (ms: number) => iso(ms + 7_200_000).replace('Z', '+02:00'),
  ])
    expect(prices(saved(time))).toEqual(one)
  expect(prices(saved(String).split('\n').reverse().join('\n'))).toEqual(one)
})

test.each([
  ['a price without an end', 'PERP_BTC_USDC,1767229200000,1,Infinity,1,2,1'],
  ['a time of no unit', 'PERP_BTC_USDC,17672292000,1,3,1,2,1'],
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

/** The world of one market whose index follows a file. */
function followingWorld(text: string, activity: Activity) {
  const listed = [...MARKETS.values()].filter(({ symbol }) => symbol === BTC)
  const prices = replayedPrices(text, SPECS)
  const world = createWorld({
    ...{ seed: 1, beginsAtMs: START_MS, prices, listed, activity },
    startOf: () => ({ index: prices.priceAt(BTC, START_MS) ?? 0, sumUnitary: 0, lastRate: 0 }),
  })
  const [market] = world.exchange.markets
  if (!market) throw new Error(BTC)
  return { world, market, prices }
}

/** Twelve minutes of which each opens where the one before closed, 2 % away from its own close. */
const STEEP = Array.from({ length: 12 }, (_, at) => {
  const [open, close] = [60_000 + 1200 * at, 60_000 + 1200 * (at + 1)]
  return `${BTC},${START_MS + at * MINUTE_MS},${open},${close + 300},${open - 300},${close},1`
}).join('\n')

/** Candles of a second that stand, but for one whose low is a fifth below. */
const SPIKE_AT = 200
const SPIKED = Array.from({ length: 400 }, (_, at) => {
  const low = at === SPIKE_AT ? 48_000 : 60_000
  return `${BTC},${START_MS + at * 1000},60000,60000,${low},60000,1`
}).join('\n')

/** Buys for nine times the 10,000 USDC of a new account. */
function buyLong({ world, market }: ReturnType<typeof followingWorld>) {
  const account = openAccount(world.exchange, { key: 'long', fees: BASE_FEES, leverage: 10 })
  deposit(world.exchange, account, 10_000_000_000)
  const quantity = Math.floor(90_000_000_000 / notionalAt(market.spec, market.mark, 1))
  const order = { ...PLAIN_ORDER, account, market, side: BUY, quantity, type: 'MARKET' } as const
  placeOrder(world.exchange, order, world.nowMs)
  return account
}

describe.each([...ACTIVITIES])('in a world of %s traders', (activity) => {
  test('the index is that of the file within a second, and the mark follows it', () => {
    const { world, market, prices } = followingWorld(STEEP, activity)
    for (let second = 2; second < 12 * 60; second += 1) {
      advance(world, START_MS + second * 1000)
      const lately = [0, 250, 500, 750, 1000].map(
        (ms) => prices.priceAt(BTC, START_MS + second * 1000 - ms) ?? 0,
      )
      const [least, most] = [Math.min(...lately), Math.max(...lately)]
      expect(market.index).toBeWithin(Math.floor(least), Math.ceil(most) + 1)
      expect(Math.abs(market.mark / market.index - 1)).toBeLessThan(0.02)
    }
  })

  test('a low between two seconds liquidates an account at its time, and nothing does before', () => {
    const opened = followingWorld(SPIKED, activity)
    const { world, market } = opened
    const seen: { atMs: number; account: Account }[] = []
    world.exchange.observers.push({ liquidated: (each) => void seen.push(each) })
    advance(world, START_MS + 100_000)
    const account = buyLong(opened)
    expect(openMarketAccount(account, market).quantity).toBeGreaterThan(0)
    advance(world, START_MS + SPIKE_AT * 1000)
    expect(seen.filter((each) => each.account === account)).toEqual([])
    advance(world, START_MS + (SPIKE_AT + 1) * 1000)
    const own = seen.filter((each) => each.account === account)
    expect(own[0]?.atMs).toBe(START_MS + SPIKE_AT * 1000 + 333)
    expect(openMarketAccount(account, market).quantity).toBe(0)
    // The next candle is at the old price again.
    expect(market.index).toBe(600_000)
  })

  test('a shock keeps its distance from the file, and a frozen index stands until it follows again', () => {
    const { world, market, prices } = followingWorld(STEEP, activity)
    const fileAt = (second: number) => prices.priceAt(BTC, START_MS + second * 1000) ?? 0
    advance(world, START_MS + 60_000)
    REQUESTS.gap(world, { market: 0, share: -0.1 }, world.nowMs)
    advance(world, START_MS + 120_000)
    expect(market.index / fileAt(120)).toBeWithin(0.8995, 0.9005)
    REQUESTS.freeze(world, { market: 0, forMs: 60_000 }, world.nowMs)
    advance(world, START_MS + 179_000)
    expect(market.index / fileAt(120)).toBeWithin(0.8995, 0.9005)
    advance(world, START_MS + 240_000)
    expect(market.index / fileAt(240)).toBeWithin(0.8995, 0.9005)
  })
})

test('a world that was away catches up by the file: each low that nobody saw liquidates', () => {
  const opened = followingWorld(SPIKED, 'normal')
  const { world, market } = opened
  advance(world, START_MS + 100_000)
  const account = buyLong(opened)
  REQUESTS.goCoarsely(world, { untilMs: START_MS + 390_000 })
  advance(world, START_MS + 390_000)
  expect(openMarketAccount(account, market).quantity).toBe(0)
  expect(market.index).toBe(600_000)
})
