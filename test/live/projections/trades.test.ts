import { expect, test } from 'bun:test'
import type { Row } from '../../../src/core/json.ts'
import { tradesProjection } from '../../../src/live/projections/events.ts'

const SYMBOL = 'PERP_ETH_USDC'
const READ_MS = 1_700_000_000_000

const row = (executed_timestamp: number, price: string): Row => ({
  ...{ symbol: SYMBOL, side: 'BUY', executed_price: price, executed_quantity: '1' },
  executed_timestamp,
})
const message = (atMs: number, price: number, symbol = SYMBOL) => ({
  topic: '',
  atMs,
  data: { symbol, side: 'BUY', price, size: 1 },
})

/** A projection that has read these trades, newest first. */
function tape(...trades: readonly Row[]) {
  const none = () => Promise.reject(new Error('not read'))
  const reads = { markets: none, liquidations: none, funding: none, status: none, ticks: none }
  return tradesProjection(
    {
      reads: { ...reads, candles: none, trades: async () => trades },
      feed: { book: none, subscribe: () => () => undefined },
      clock: { nowMs: () => READ_MS },
      dropped: () => undefined,
    },
    SYMBOL,
  )
}

test('a trade that came while the tape was read counts once, whether it was on it or not', async () => {
  const trades = tape(row(READ_MS, '100'), row(READ_MS - 1, '99'))
  await trades.load()
  // On the tape; on it; not on it, though the same; of another price; later; of another market.
  for (const [atMs, price] of [
    [READ_MS - 1, 99],
    [READ_MS, 100],
    [READ_MS, 100],
    [READ_MS, 101],
    [READ_MS + 1, 102],
  ] as const)
    trades.apply(message(atMs, price))
  trades.apply(message(READ_MS + 1, 103, 'PERP_BTC_USDC'))
  const prices = (rows: unknown) =>
    (rows as readonly Row[]).map(({ executed_price }) => Number(executed_price))
  expect(prices(Object(trades.drainDelta()).data.trades)).toEqual([102, 101, 100])
  expect(prices(Object(trades.snapshot()).trades)).toEqual([102, 101, 100, 100, 99])
})

test('a trade that came after the tape was taken counts, whatever its time', async () => {
  const trades = tape(row(READ_MS, '100'))
  await trades.load()
  expect(trades.drainDelta()).toBeUndefined()
  trades.apply(message(READ_MS - 1, 99))
  trades.apply(message(READ_MS, 100))
  expect(Object(trades.drainDelta()).data.trades).toHaveLength(2)
  // What is read anew is taken anew.
  await trades.load()
  trades.apply(message(READ_MS - 1, 99))
  expect(trades.drainDelta()).toBeUndefined()
})
