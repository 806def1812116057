import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { isObject } from '../../../src/core/json.ts'
import type { WireSocket } from '../../surface/wire-client.ts'
import { messagesOn, openWire } from './fixture.ts'

const ETH = 'PERP_ETH_USDC'
const BOOK = ['asks', 'bids', 'symbol']
const TICKER = ['amount', 'close', 'count', 'high', 'low', 'open', 'symbol', 'volume']
const CHANGES = ['1h', '24h', '30d', '30m', '3d', '4h', '5m', '7d', 'last_price', 'symbol']

type Row = { readonly topic: string; readonly fields: readonly string[] }

/** Every public topic of the wire that has a state, with the fields of its data, or of each row of it. */
const STATES: readonly Row[] = [
  { topic: `${ETH}@orderbook`, fields: BOOK },
  { topic: `${ETH}@ticker`, fields: TICKER },
  { topic: 'tickers', fields: TICKER },
  { topic: 'demo$tickers', fields: TICKER },
  { topic: `demo$${ETH}@ticker`, fields: TICKER },
  { topic: `${ETH}@bbo`, fields: ['ask', 'askSize', 'bid', 'bidSize', 'symbol'] },
  { topic: 'bbos', fields: ['ask', 'askSize', 'bid', 'bidSize', 'symbol'] },
  { topic: 'SPOT_ETH_USDC@indexprice', fields: ['price', 'symbol'] },
  { topic: 'indexprices', fields: ['price', 'symbol'] },
  { topic: `${ETH}@markprice`, fields: ['price', 'symbol'] },
  { topic: 'markprices', fields: ['price', 'symbol'] },
  { topic: `${ETH}@openinterest`, fields: ['openInterest', 'symbol'] },
  { topic: `${ETH}@estfundingrate`, fields: ['fundingRate', 'fundingTs', 'symbol'] },
  { topic: 'price_changes', fields: CHANGES },
  { topic: 'traders_open_interests', fields: ['long_oi', 'short_oi', 'symbol'] },
  { topic: 'history_charts_1h', fields: ['price_list', 'symbol'] },
]
const KLINE = [
  'amount',
  'close',
  'endTime',
  'high',
  'low',
  'open',
  'startTime',
  'symbol',
  'type',
  'volume',
]

/** Topics that publish changes only. */
const PUBLIC_MESSAGES: readonly Row[] = [
  { topic: `${ETH}@orderbookupdate`, fields: ['asks', 'bids', 'prevTs', 'symbol'] },
  { topic: `${ETH}@trade`, fields: ['price', 'side', 'size', 'symbol'] },
  ...['1m', '5m', '15m', '30m', '1h', '1d', '1w', '1M'].map((interval) => ({
    topic: `${ETH}@kline_${interval}`,
    fields: KLINE,
  })),
]
/** Topics without an event in the scenario. */
const QUIET = ['liquidation', 'announcement', 'maintenance_status']

const PRIVATE_STATES: readonly Row[] = [
  { topic: 'account', fields: ['accountDetail'] },
  { topic: 'balance', fields: ['balances'] },
  { topic: 'position', fields: ['positions'] },
]
// biome-ignore format: read as a list
const PRIVATE_MESSAGES = [
  'executionreport', 'algoexecutionreport', 'algoexecutionreportv2', 'wallet', 'settle', 'liquidationsaccount',
  'liquidatorliquidations', 'assetconvert',
]
// biome-ignore format: read as a list
const REPORT = [
  'avgExecutedPrice', 'clientOrderId', 'executedPrice', 'executedQuantity', 'fee', 'feeAsset', 'maker', 'marginMode',
  'match_id', 'orderId', 'price', 'quantity', 'reason', 'seq', 'side', 'status', 'symbol', 'timestamp',
  'totalExecutedQuantity', 'totalFee', 'tradeId', 'type', 'visibleQuantity',
]

function fieldsOf(data: unknown): string[] {
  const row: unknown = Array.isArray(data) ? data[0] : data
  return isObject(row) ? Object.keys(row).sort() : []
}

const subscribe = (socket: WireSocket, topic: string) =>
  socket.send({ id: topic, event: 'subscribe', topic })

let wire: ReturnType<typeof openWire>
let socket: WireSocket
beforeAll(async () => {
  wire = openWire()
  wire.pass(60_000)
  socket = await wire.open()
})
afterAll(() => wire.stop())

describe('the public topics', () => {
  test('of a state are told at once, under the names of the wire', async () => {
    for (const { topic } of STATES) subscribe(socket, topic)
    await socket.level()
    for (const { topic, fields } of STATES) {
      expect(socket.texts).toContain(
        JSON.stringify({ id: topic, event: 'subscribe', success: true, ts: wire.nowMs() }),
      )
      const [first] = messagesOn(socket.texts, topic)
      expect([topic, fieldsOf(first?.data)]).toEqual([topic, [...fields]])
    }
  })

  test('of news are told when there is some', async () => {
    for (const { topic } of PUBLIC_MESSAGES) subscribe(socket, topic)
    for (const topic of QUIET) subscribe(socket, topic)
    await socket.level()
    for (const topic of [...PUBLIC_MESSAGES.map((each) => each.topic), ...QUIET])
      expect([topic, messagesOn(socket.texts, topic)]).toEqual([topic, []])
    wire.pass(120_000, 4)
    await socket.level()
    for (const { topic, fields } of PUBLIC_MESSAGES) {
      const [first] = messagesOn(socket.texts, topic)
      expect([topic, fieldsOf(first?.data)]).toEqual([topic, [...fields]])
    }
  })

  test('that there are not are refused by name, and so is a market', async () => {
    const asked = ['PERP_NOPE_USDC@trade', 'nope', `${ETH}@kline_2m`, 'executionreport', undefined]
    const before = socket.texts.length
    for (const topic of asked) socket.send({ id: 'x', event: 'subscribe', ...(topic && { topic }) })
    await socket.level()
    const messages = socket.texts.slice(before).map((text) => JSON.parse(text))
    expect(messages.map(({ success, errorMsg }) => [success, errorMsg])).toEqual([
      [false, 'invalid symbol PERP_NOPE_USDC'],
      [false, 'invalid topic nope'],
      [false, `invalid topic ${ETH}@kline_2m`],
      [false, 'invalid topic executionreport'],
      [false, 'missing required parameter topic'],
    ])
  })

  test('are no longer told once they are unsubscribed', async () => {
    socket.send({ event: 'unsubscribe', topic: 'tickers' })
    await socket.level()
    const before = messagesOn(socket.texts, 'tickers').length
    wire.pass(60_000)
    await socket.level()
    expect(messagesOn(socket.texts, 'tickers')).toHaveLength(before)
  })

  test('the book can be asked for once, and is what the topic says', async () => {
    socket.send({ id: 'book', event: 'request', params: { type: 'orderbook', symbol: ETH } })
    await socket.level()
    const { data } = JSON.parse(socket.texts.findLast((text) => text.includes('"book"')) ?? '')
    expect(Object.keys(data).sort()).toEqual([...BOOK, 'ts'].sort())
    const published = messagesOn(socket.texts, `${ETH}@orderbook`).at(-1)?.data
    expect(published).toEqual({ symbol: ETH, asks: data.asks, bids: data.bids })
  })
})

describe('the private topics', () => {
  test('of a state are told at once, and news when there is some', async () => {
    const client = await wire.client('a')
    const own = await wire.own(client)
    for (const { topic } of PRIVATE_STATES) subscribe(own, topic)
    for (const topic of PRIVATE_MESSAGES) subscribe(own, topic)
    await own.level()
    for (const { topic, fields } of PRIVATE_STATES) {
      const [first] = messagesOn(own.texts, topic)
      expect([topic, fieldsOf(first?.data)]).toEqual([topic, [...fields]])
    }
    for (const topic of PRIVATE_MESSAGES) {
      expect(
        own.texts.some((text) =>
          text.startsWith(`{"id":"${topic}","event":"subscribe","success":true`),
        ),
      ).toBe(true)
      expect(messagesOn(own.texts, topic)).toEqual([])
    }
    const order = { symbol: ETH, order_type: 'MARKET', side: 'BUY', order_quantity: 0.2 }
    await client.call('POST', '/v1/order', order)
    await own.level()
    const reports = messagesOn(own.texts, 'executionreport').map(
      ({ data }) => data as Record<string, unknown>,
    )
    expect(fieldsOf(reports[1])).toEqual(expect.arrayContaining([...REPORT]))
    expect(reports.map(({ status }) => status)).toEqual([
      'NEW',
      ...reports.slice(2).map(() => 'PARTIAL_FILLED'),
      'FILLED',
    ])
    expect(messagesOn(own.texts, 'position').at(-1)?.data).toMatchObject({
      positions: [{ symbol: ETH, positionQty: 0.2, marginMode: 'CROSS' }],
    })
  })

  test("are nobody else's: another topic is refused, and nothing is told before a key is proved", async () => {
    const client = await wire.client('b')
    const own = await wire.open(`/v2/ws/private/stream/${client.auth.accountId}`)
    for (const topic of ['position', 'tickers']) subscribe(own, topic)
    await own.level()
    expect(own.texts.map((text) => JSON.parse(text).errorMsg)).toEqual([
      'auth failed',
      'invalid topic tickers',
    ])
  })
})
