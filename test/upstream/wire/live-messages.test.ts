import { describe, expect, test } from 'bun:test'
import {
  balanceRows,
  bookChanges,
  candleRow,
  marketPatches,
  tradeRow,
} from '../../../src/upstream/wire/live.ts'
import { MalformedMessage, readLive } from '../../../src/upstream/wire/live-messages.ts'

const SYMBOL = 'PERP_ETH_USDC'

function none(): void {
  throw new Error('a row was left out')
}

describe('a message of the venue’s live wire', () => {
  test.each([
    ['{"event":"ping","ts":1}', { kind: 'ping' }],
    [
      '{"id":"x","event":"subscribe","success":true,"ts":5}',
      { kind: 'answered', event: 'subscribe', id: 'x', isGood: true, atMs: 5, data: undefined },
    ],
    [
      '{"event":"auth","success":false,"errorMsg":"auth failed"}',
      { kind: 'answered', event: 'auth', id: '', isGood: false, atMs: 0, data: undefined },
    ],
    [
      '{"topic":"tickers","ts":7,"data":[]}',
      { kind: 'published', topic: 'tickers', atMs: 7, data: [] },
    ],
  ] as const)('%s is read', (text, read) => {
    expect(readLive(text)).toEqual(read)
  })

  test.each([
    '{"event":"subscribe","id":{"toString":1}}',
    '{"event":"subscribe","id":["x"],"success":true}',
    '{"event":"subscribe","id":"x","success":"true"}',
    '{"event":"request","id":"x","success":true,"ts":{"valueOf":1}}',
    '{"event":"other","id":"x"}',
    '{"event":{"toString":1}}',
    '{"topic":"tickers","data":[]}',
    '{"topic":"tickers","ts":{"toString":1},"data":[]}',
    '{"topic":"tickers","ts":1e999,"data":[]}',
    '{"topic":["tickers"],"ts":1,"data":[]}',
    `{"topic":"${'x'.repeat(129)}","ts":1,"data":[]}`,
    '[]',
    'null',
    '{"topic":"tickers"',
    '['.repeat(10_000),
    '',
  ])('%p is malformed', (text) => {
    expect(readLive(text)).toEqual({ kind: 'malformed' })
  })
})

describe('what a topic’s message holds', () => {
  test('is taken as it is written, numbers and their texts alike', () => {
    const data = { symbol: SYMBOL, price: '1.50' }
    const [patch] = marketPatches(`${SYMBOL}@markprice`, data, none)
    expect(JSON.stringify(patch)).toBe(`{"symbol":"${SYMBOL}","mark_price":1.50}`)
    const changes = bookChanges({ asks: [[1, '2.0', 'x'.length]], bids: null })
    expect(changes).toEqual({ previousMs: undefined, asks: [[1, '2.0', 1]], bids: [] })
  })

  const odd = { toString: 1, valueOf: 1 }
  test.each([
    [
      'a price that is no number',
      () => tradeRow({ symbol: SYMBOL, price: odd, size: 1, side: 'BUY' }, 1),
    ],
    ['a side there is not', () => tradeRow({ symbol: SYMBOL, price: 1, size: 1, side: 'buy' }, 1)],
    ['a negative size', () => tradeRow({ symbol: SYMBOL, price: 1, size: -1, side: 'BUY' }, 1)],
    ['no trade', () => tradeRow(null, 1)],
    ['a level of objects', () => bookChanges({ asks: [[odd, odd]], bids: [] })],
    ['a level of one number', () => bookChanges({ asks: [[1]], bids: [] })],
    ['a price in hex', () => bookChanges({ asks: [['0x10', 1]], bids: [] })],
    ['levels that are no list', () => bookChanges({ asks: { 0: [1, 1] } })],
    [
      'a candle without its end',
      () => candleRow({ open: 1, high: 1, low: 1, volume: 1, startTime: 0 }),
    ],
    [
      'a candle that starts at no time',
      () => candleRow({ open: 1, high: 1, low: 1, close: 1, volume: 1, startTime: 'x' }),
    ],
    ['a market without a name', () => marketPatches('tickers', { open: 1 }, none)],
    [
      'a market with an odd figure',
      () => marketPatches('tickers', { symbol: SYMBOL, open: odd }, none),
    ],
    ['balances that are a list', () => balanceRows({ balances: [] }, none)],
  ] as const)('with %s is malformed', (_, read) => {
    expect(read).toThrow(MalformedMessage)
  })

  test('a malformed row of a list is left out and counted, and the others stay', () => {
    const rows = [{ symbol: SYMBOL, open: 1 }, { symbol: odd }, null, { symbol: SYMBOL, open: [] }]
    let dropped = 0
    const count = (number: number) => {
      dropped += number
    }
    expect(marketPatches('tickers', rows, count)).toEqual([{ symbol: SYMBOL, '24h_open': 1 }])
    expect(dropped).toBe(3)
  })
})
