import { expect, test } from 'bun:test'
import type { Interval } from '../../../src/contract/durations.ts'
import type { Row } from '../../../src/core/json.ts'
import { candlesProjection } from '../../../src/live/projections/candles.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SYMBOL = 'PERP_ETH_USDC'

const row = (timestamp: number, price: string): Row => ({
  ...{ open: price, high: price, low: price, close: price, volume: '1' },
  timestamp,
})

/** A projection that has read these rows, and of hours these. */
async function loaded(interval: Interval, whole: readonly Row[], hourly: readonly Row[] = []) {
  const none = () => Promise.reject(new Error('not read'))
  const reads = { markets: none, trades: none, liquidations: none, funding: none, status: none }
  const projection = candlesProjection(
    {
      reads: {
        ...reads,
        ticks: none,
        candles: async (_, asked) => (asked === interval ? whole : hourly),
      },
      feed: { book: none, subscribe: () => () => undefined },
      clock: { nowMs: () => DAY_MS },
      dropped: () => undefined,
    },
    SYMBOL,
    interval,
  )
  await projection.load()
  const deltaOf = (startTime: number, price: number) => {
    const prices = { open: price, high: price, low: price, close: price, volume: 1 }
    projection.apply({ topic: '', atMs: DAY_MS, data: { ...prices, startTime } })
    return projection.drainDelta()?.data
  }
  return { projection, deltaOf }
}

test('a candle that has changed is the delta, and one that is as it was is none', async () => {
  const { projection, deltaOf } = await loaded('1h', [row(0, '1'), row(HOUR_MS, '2')])
  expect(deltaOf(HOUR_MS, 2)).toBeUndefined()
  expect(deltaOf(HOUR_MS, 3)).toEqual({ rows: [row(HOUR_MS, '3')] })
  expect(deltaOf(2 * HOUR_MS, 4)).toEqual({ rows: [row(2 * HOUR_MS, '4')] })
  const rows = [row(0, '1'), row(HOUR_MS, '3'), row(2 * HOUR_MS, '4')]
  expect(projection.snapshot()).toEqual({ rows })
})

test('a candle before the last changes nothing', async () => {
  const { projection, deltaOf } = await loaded('1h', [row(0, '1'), row(HOUR_MS, '2')])
  expect(deltaOf(0, 9)).toBeUndefined()
  expect(projection.snapshot()).toEqual({ rows: [row(0, '1'), row(HOUR_MS, '2')] })
})

test('an hour grows the candle of several hours that it is in, and begins the next', async () => {
  const { deltaOf } = await loaded('4h', [row(0, '1')], [row(2 * HOUR_MS, '1')])
  const grown = { open: '1', high: '5', low: '1', close: '5', volume: '2', timestamp: 0 }
  expect(deltaOf(3 * HOUR_MS, 5)).toEqual({ rows: [grown] })
  expect(deltaOf(4 * HOUR_MS, 6)).toEqual({ rows: [row(4 * HOUR_MS, '6')] })
})
