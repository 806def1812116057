import { expect, test } from 'bun:test'
import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { MarketRow } from '../../../src/contract/market.ts'
import { STREAMS } from '../../../src/contract/stream/topics.ts'
import type { Row } from '../../../src/core/json.ts'
import { tickersChangesProjection } from '../../../src/live/projections/markets.ts'
import type { Projection } from '../../../src/live/projections/projection.ts'
import { openVirtual, pass } from '../../simulator/embedded-fixture.ts'
import { publicGet } from '../../simulator/trading-wallet.ts'

const MINUTE_MS = 60_000

/** A projection of markets that a test reads and publishes, and its clock. */
function openProjection(first: readonly Row[]) {
  let nowMs = 0
  let rows = first
  const none = () => Promise.reject(new Error('not read'))
  const reads = { trades: none, candles: none, liquidations: none, funding: none, status: none }
  const projection = tickersChangesProjection({
    reads: { ...reads, ticks: none, markets: async () => rows },
    feed: { book: none, subscribe: () => () => undefined },
    clock: { nowMs: () => nowMs },
    dropped: () => undefined,
  })
  return {
    projection,
    pass: (ms: number) => {
      nowMs += ms
    },
    list: async (next: readonly Row[]) => {
      rows = next
      await projection.refresh?.run()
    },
  }
}

const row = (base: string, price: number, volume = 1): Row => ({
  symbol: `PERP_${base}_USDC`,
  mark_price: price,
  '24h_open': 100,
  '24h_close': 100,
  '24h_volume': volume,
  change24hPct: 0,
})

/** Publishes mark prices and volumes as the venue does. */
function publish({ apply }: Projection, base: string, mark: number, volume = 1): void {
  const symbol = `PERP_${base}_USDC`
  apply({ topic: 'markprices', atMs: 0, data: [{ symbol, price: mark }] })
  apply({ topic: 'tickers', atMs: 0, data: [{ symbol, volume }] })
}

test('only the fields of rows that moved are published, and nothing when none did', async () => {
  const { projection } = openProjection([row('ETH', 1), row('BTC', 1)])
  await projection.load()
  expect(projection.drainDelta()).toBeUndefined()
  publish(projection, 'ETH', 2)
  const markets = [{ symbol: 'PERP_ETH_USDC', mark_price: 2 }]
  expect(projection.drainDelta()).toEqual({ type: 'delta', data: { markets } })
  publish(projection, 'ETH', 3)
  publish(projection, 'ETH', 2)
  expect(projection.drainDelta()).toBeUndefined()
})

test('volumes wait for two minutes', async () => {
  const { projection, pass: wait } = openProjection([row('ETH', 1)])
  await projection.load()
  publish(projection, 'ETH', 1, 7)
  wait(2 * MINUTE_MS - 1)
  expect(projection.drainDelta()).toBeUndefined()
  wait(1)
  const markets = [{ symbol: 'PERP_ETH_USDC', '24h_volume': 7 }]
  expect(projection.drainDelta()?.data).toEqual({ markets })
  publish(projection, 'ETH', 1, 8)
  wait(MINUTE_MS)
  expect(projection.drainDelta()).toBeUndefined()
})

test('a listed or delisted market begins the rows anew', async () => {
  const { projection, list } = openProjection([row('ETH', 1)])
  await projection.load()
  await list([row('ETH', 1), row('BTC', 1)])
  expect(projection.drainDelta()).toMatchObject({
    type: 'snapshot',
    data: { markets: [{ symbol: 'PERP_ETH_USDC' }, { symbol: 'PERP_BTC_USDC' }] },
  })
  await list([row('SOL', 1), row('BTC', 1)])
  expect(projection.drainDelta()?.type).toBe('snapshot')
  expect(projection.drainDelta()).toBeUndefined()
})

type Markets = { readonly markets: readonly Row[] }

/** What a client does with a message, written apart from the page. */
function applied(before: readonly Row[], change: Markets): readonly Row[] {
  return before.map((known) =>
    Object.assign({}, known, ...change.markets.filter(({ symbol }) => symbol === known['symbol'])),
  )
}

function marketsIn(data: unknown): Markets {
  return JSON.parse(JSON.stringify(data))
}

test('a snapshot and the messages after it add up to the next snapshot', async () => {
  const step = fc.record({
    base: fc.constantFrom('ETH', 'BTC', 'SOL'),
    mark: fc.integer({ min: 1, max: 4 }),
    volume: fc.integer({ min: 1, max: 4 }),
    waitMs: fc.constantFrom(0, 5000, MINUTE_MS),
    isDrained: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { projection, pass: wait } = openProjection(
        ['ETH', 'BTC', 'SOL'].map((base) => row(base, 1)),
      )
      await projection.load()
      let known = marketsIn(projection.snapshot()).markets
      for (const { base, mark, volume, waitMs, isDrained } of steps) {
        publish(projection, base, mark, volume)
        wait(waitMs)
        const change = isDrained ? projection.drainDelta() : undefined
        if (change) known = applied(known, marketsIn(change.data))
        expect(marketsIn(projection.snapshot()).markets).toEqual([...known])
      }
    }),
  )
})

const BUDGET_BYTES = 6000
const { intervalMs: INTERVAL_MS } = STREAMS['tickers.changes']
const FIELDS = Object.keys(MarketRow.properties)

// Slow: 52 markets live for four minutes of their time.
test('the markets of the embedded venue take less than 6 kB a minute', async () => {
  const { venue } = openVirtual(1, undefined, undefined, null)
  const listed = async () => {
    const { body } = await venue.answer(publicGet('/v1/public/futures'))
    const rows: readonly Row[] = JSON.parse(body).data.rows
    return rows.map((found) => Object.fromEntries(FIELDS.map((field) => [field, found[field]])))
  }
  const { projection, pass: wait } = openProjection(await listed())
  await projection.load()
  let bytes = 0
  for (let atMs = 0; atMs < 4 * MINUTE_MS; atMs += INTERVAL_MS) {
    wait(INTERVAL_MS)
    pass(venue, INTERVAL_MS)
    for (const [topic, data] of messagesOf(await listed())) projection.apply({ topic, atMs, data })
    const { type, data } = projection.drainDelta() ?? {}
    if (!type) continue
    const head = { topic: 'tickers.changes', type, epoch: '6279e7f4c4ea.1', seq: atMs, ts: atMs }
    bytes += deflateRawSync(JSON.stringify({ ...head, data })).length + FRAME_BYTES
  }
  expect(bytes / 4).toBeLessThan(BUDGET_BYTES)
  expect(bytes / 4).toBeGreaterThan(BUDGET_BYTES / 20)
})

const FRAME_BYTES = 4

/** The venue's messages about all markets. */
function messagesOf(rows: readonly Row[]) {
  const tickers = rows.map((found) => ({
    symbol: found['symbol'],
    open: found['24h_open'],
    close: found['24h_close'],
    high: found['24h_high'],
    low: found['24h_low'],
    volume: found['24h_volume'],
    amount: found['24h_amount'],
  }))
  const marks = rows.map(({ symbol, mark_price }) => ({ symbol, price: mark_price }))
  const indexes = rows.map(({ symbol, index_price }) => ({
    symbol: String(symbol).replace('PERP', 'SPOT'),
    price: index_price,
  }))
  return [
    ['tickers', tickers],
    ['markprices', marks],
    ['indexprices', indexes],
  ] as const
}
