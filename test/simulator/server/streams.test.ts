// Slow: a book is compared after each of hundreds of messages.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../../runs.ts'
import type { WireClient } from '../../surface/wire-client.ts'
import { messagesOn, openWire } from './fixture.ts'

const ETH = 'PERP_ETH_USDC'
/** The figures are measured by a hundred thousand: 250 times as many. */
const BOOK_MESSAGES = runs(400)
const SUBSCRIBERS = 200

type Pair = readonly [price: number, quantity: number]
type Book = { readonly asks: readonly Pair[]; readonly bids: readonly Pair[] }

let wire: ReturnType<typeof openWire>
beforeEach(() => {
  wire = openWire()
  wire.pass(60_000)
})
afterEach(() => wire.stop())

/** A book as a client keeps it: a quantity of zero takes a level away. */
function keep(side: Map<number, number>, changes: readonly Pair[]): void {
  for (const [price, quantity] of changes)
    if (quantity === 0) side.delete(price)
    else side.set(price, quantity)
}

const sorted = (side: Map<number, number>, direction: 1 | -1): Pair[] =>
  [...side].sort(([a], [b]) => (a - b) * direction)

/** What somebody does between two looks: mostly nothing. */
const ACTIONS = ['none', 'none', 'none', 'BUY', 'SELL', 'rest', 'cancel'] as const

async function act(
  client: WireClient,
  action: (typeof ACTIONS)[number],
  mark: number,
): Promise<void> {
  const order = { symbol: ETH, order_quantity: 0.4 }
  const market = { ...order, order_type: 'MARKET' }
  if (action === 'BUY' || action === 'SELL')
    await client.call('POST', '/v1/order', { ...market, side: action })
  if (action === 'rest') {
    const price = Math.floor(mark * 10 - 3) / 10
    const limit = { ...order, order_type: 'POST_ONLY', order_price: price, side: 'BUY' }
    await client.call('POST', '/v1/order', limit)
  }
  if (action === 'cancel') await client.call('DELETE', `/v1/orders?symbol=${ETH}`)
}

describe('live data', () => {
  test(
    'a book that is kept by its updates is the one that is read, whatever happens',
    async () => {
      const client = await wire.client('a')
      const asked = async (): Promise<Book & { timestamp: number }> => {
        const { data } = JSON.parse(await client.call('GET', `/v1/orderbook/${ETH}?max_level=100`))
        const pairs = (levels: readonly { price: number; quantity: number }[]) =>
          levels.map(({ price, quantity }): Pair => [price, quantity])
        return { ...data, asks: pairs(data.asks), bids: pairs(data.bids) }
      }
      const first = await asked()
      const asks = new Map<number, number>()
      const bids = new Map<number, number>()
      keep(asks, first.asks)
      keep(bids, first.bids)
      let messages = 0
      let lastMs: number | null = null
      const end = wire.venue.live.subscribe(`${ETH}@orderbookupdate`, {
        opened: () => undefined,
        lost: () => undefined,
        message: ({ data, atMs }) => {
          const update = data as Book & { prevTs: number }
          if (lastMs !== null) expect(update.prevTs).toBe(lastMs)
          lastMs = atMs
          messages += 1
          keep(asks, update.asks)
          keep(bids, update.bids)
        },
      })
      const actions = fc.sample(fc.constantFrom(...ACTIONS), { numRuns: 500, seed: 11 })
      for (let step = 0; messages < BOOK_MESSAGES; step++) {
        wire.pass(2000)
        if (step % 20 !== 0) continue
        await act(client, actions[(step / 20) % actions.length] ?? 'none', first.bids[0]?.[0] ?? 0)
        const book = await asked()
        expect(sorted(asks, 1)).toEqual([...book.asks])
        expect(sorted(bids, -1)).toEqual([...book.bids])
      }
      end()
      expect(messages).toBeGreaterThanOrEqual(BOOK_MESSAGES)
    },
    300_000 + 20 * BOOK_MESSAGES,
  )

  test('executions are the rows of trades, each once, however many an order has', async () => {
    const client = await wire.client('a')
    const own = await wire.own(client)
    own.send({ event: 'subscribe', topic: 'executionreport' })
    await own.level()
    const order = { symbol: ETH, order_type: 'MARKET' }
    for (let round = 0; round < 12; round++) {
      for (const side of ['BUY', 'SELL'])
        await client.call('POST', '/v1/order', { ...order, side, order_quantity: 12 })
      wire.pass(60_000)
    }
    const { bids } = JSON.parse(await client.call('GET', `/v1/orderbook/${ETH}`)).data
    const limit = { symbol: ETH, order_type: 'LIMIT', side: 'SELL', order_quantity: 0.3 }
    await client.call('POST', '/v1/order', { ...limit, order_price: bids[0].price + 0.1 })
    wire.pass(600_000, 10)
    await own.level()
    const { rows } = JSON.parse(await client.call('GET', '/v1/trades?size=500')).data
    const reports = messagesOn(own.texts, 'executionreport').map(
      ({ data }) => data as Record<string, unknown>,
    )
    const executed = reports.filter(({ tradeId }) => tradeId !== 0)
    expect(executed.length).toBeGreaterThan(50)
    expect(
      executed.map((report) => ({
        id: report['tradeId'],
        order_id: report['orderId'],
        executed_price: report['executedPrice'],
        executed_quantity: report['executedQuantity'],
        executed_timestamp: report['timestamp'],
        fee: report['fee'],
        is_maker: report['maker'] ? 1 : 0,
        side: report['side'],
      })),
    ).toEqual(
      rows.toReversed().map((row: Record<string, unknown>) => ({
        id: row['id'],
        order_id: row['order_id'],
        executed_price: row['executed_price'],
        executed_quantity: row['executed_quantity'],
        executed_timestamp: row['executed_timestamp'],
        fee: row['fee'],
        is_maker: row['is_maker'],
        side: row['side'],
      })),
    )
    const ends = reports.filter(({ status }) => status === 'FILLED' || status === 'CANCELLED')
    expect(new Set(ends.map(({ orderId }) => orderId)).size).toBe(ends.length)
  })

  test('the trades of a market are all told, however many come at once', async () => {
    const socket = await wire.open()
    socket.send({ event: 'subscribe', topic: `${ETH}@trade` })
    await socket.level()
    const fromMs = wire.nowMs()
    wire.pass(3_600_000)
    await socket.level()
    const client = await wire.client('a')
    const path = `/v1/public/market_trades?symbol=${ETH}&limit=1000`
    const { rows } = JSON.parse(await client.call('GET', path)).data
    const read = rows.filter(
      (row: { executed_timestamp: number }) => row.executed_timestamp > fromMs,
    )
    expect(read.length).toBeGreaterThan(50)
    expect(
      messagesOn(socket.texts, `${ETH}@trade`).map(({ ts, data }) => ({ ts, ...(data as object) })),
    ).toEqual(
      read.toReversed().map((row: Record<string, unknown>) => ({
        ts: row['executed_timestamp'],
        symbol: ETH,
        price: row['executed_price'],
        size: row['executed_quantity'],
        side: row['side'],
      })),
    )
  })

  test(`${SUBSCRIBERS} subscribers are told the same`, async () => {
    const sockets = await Promise.all(Array.from({ length: SUBSCRIBERS }, () => wire.open()))
    for (const socket of sockets)
      socket.send({ event: 'subscribe', topic: `${ETH}@orderbookupdate` })
    await Promise.all(sockets.map(({ level }) => level()))
    wire.pass(900_000, 60)
    await Promise.all(sockets.map(({ level }) => level()))
    const [first, ...others] = sockets.map(({ texts }) => texts.slice(1))
    expect(first?.length).toBeGreaterThan(10)
    for (const texts of others) expect(texts).toEqual(first ?? [])
    for (const socket of sockets) socket.close()
  })
})
