import { expect, test } from 'bun:test'
import type { Exact } from '../../src/pages/common/exact-json.ts'
import { withCandles } from '../../src/pages/trade/feed/candle-rows.ts'
import type { LiveUpdates, TopicReading } from '../../src/pages/trade/feed/feed.ts'
import { openFeed } from './live-fixture.ts'

const BOOK = 'orderbook:PERP_ETH_USDC'

const BOOK_DATA: LiveUpdates = { kind: 'data', topics: [BOOK] }

function levels(...prices: readonly string[]): Exact {
  return prices.map((price) => ({ price, quantity: '1' }))
}

function pricesOf({ data }: TopicReading, side: 'asks' | 'bids'): readonly string[] {
  return Object(data)[side].map(({ price }: { price: string }) => price)
}

/** A feed with a live book. */
async function openBook() {
  const at = openFeed()
  const { reading } = at.watch('book', BOOK_DATA)
  at.open()
  await at.pass(200)
  at.publish(BOOK, 'snapshot', 1, { asks: levels('101', '102'), bids: levels('99') })
  return { ...at, reading }
}

test('live data is not polled, and follows every change', async () => {
  const { loads, publish, receive, reading, pass, sent } = await openBook()
  expect(sent('subscribe').map(({ topics }) => topics)).toEqual([[BOOK]])
  publish(BOOK, 'delta', 2, {
    asks: [
      ['101', '0'],
      ['101.5', '2'],
    ],
    bids: [['100', '3']],
  })
  expect(pricesOf(reading.peek(), 'asks')).toEqual(['101.5', '102'])
  expect(pricesOf(reading.peek(), 'bids')).toEqual(['100', '99'])
  expect(reading.peek().isLive).toBe(true)
  const before = loads.length
  for (let passedMs = 0; passedMs < 60_000; passedMs += 10_000) {
    await pass(10_000)
    receive({ type: 'pong', ts: '1' })
  }
  expect(loads).toHaveLength(before)
})

test('after a gap a topic begins anew, and shows nothing wrong meanwhile', async () => {
  const { publish, reading, pass, sent } = await openBook()
  publish(BOOK, 'delta', 3, { asks: [['101', '0']], bids: [] })
  expect(pricesOf(reading.peek(), 'asks')).toEqual(['101', '102'])
  await pass(200)
  expect(sent('unsubscribe')).toHaveLength(1)
  expect(sent('subscribe').at(-1)).toMatchObject({ topics: [BOOK], since: {} })
  publish(BOOK, 'snapshot', 4, { asks: levels('103'), bids: levels('98') })
  expect(pricesOf(reading.peek(), 'asks')).toEqual(['103'])
})

test('a lost connection is replaced by polling, and resumed where it was', async () => {
  const { wires, loads, publish, open, reading, pass, sent } = await openBook()
  const before = loads.length
  wires[0]?.events.onEnd()
  expect(reading.peek().isLive).toBe(false)
  await pass(100)
  expect(loads.length).toBeGreaterThan(before)
  await pass(1000)
  expect(wires).toHaveLength(2)
  open()
  await pass(200)
  expect(sent('subscribe')).toMatchObject([{ topics: [BOOK], since: { [BOOK]: ['a', 1] } }])
  publish(BOOK, 'delta', 2, { asks: [['101', '0']], bids: [] })
  expect(pricesOf(reading.peek(), 'asks')).toEqual(['102'])
  expect(reading.peek().isLive).toBe(true)
})

test('a server that says goodbye is left alone for as long as it asks', async () => {
  const { wires, receive, pass } = await openBook()
  receive({ type: 'bye', ts: '1', retryAfterMs: '4000' })
  wires[0]?.events.onEnd()
  await pass(3900)
  expect(wires).toHaveLength(1)
  await pass(4200)
  expect(wires).toHaveLength(2)
})

test('stale data is polled, and shows its age', async () => {
  const { publish, loads, reading, pass } = await openBook()
  await pass(20_000)
  const before = loads.length
  publish(BOOK, 'stale', 2, { ageMs: '10000' })
  expect(reading.peek().isLive).toBe(false)
  await pass(100)
  expect(loads.length).toBeGreaterThan(before)
  publish(BOOK, 'delta', 3, { asks: [['101', '0']], bids: [] })
  expect(pricesOf(reading.peek(), 'asks')).toEqual(['102'])
})

test('a silent connection is pinged, then closed', async () => {
  const { wires, pass, sent } = await openBook()
  await pass(16_000)
  expect(sent('ping').length).toBeGreaterThan(0)
  await pass(16_000)
  expect(wires[0]?.isClosed).toBe(true)
})

test('a hidden page subscribes to nothing, and polls nothing', async () => {
  const { hide, loads, pass, sent, reading } = await openBook()
  hide(true)
  await pass(500)
  expect(sent('unsubscribe')).toMatchObject([{ topics: [BOOK] }])
  const before = loads.length
  await pass(60_000)
  expect(loads).toHaveLength(before)
  expect(reading.peek().isLive).toBe(false)
  hide(false)
  await pass(500)
  expect(loads.length).toBeGreaterThan(before)
})

test('markets are shown with the fields that changed, and anew from a snapshot', async () => {
  const at = openFeed()
  const name = 'tickers.changes'
  const { reading } = at.watch('markets', { kind: 'data', topics: [name] })
  at.open()
  await at.pass(200)
  const eth = { symbol: 'ETH', mark_price: '1', base: 'ETH' }
  const btc = { symbol: 'BTC', mark_price: '1', base: 'BTC' }
  at.publish(name, 'snapshot', 1, { markets: [eth, btc] })
  const changed = [
    { symbol: 'BTC', mark_price: '2' },
    { symbol: 'SOL', mark_price: '3' },
  ]
  at.publish(name, 'delta', 2, { markets: changed })
  const markets = [eth, { ...btc, mark_price: '2' }]
  expect(reading.peek().data).toEqual({ markets })
  at.publish(name, 'snapshot', 3, { markets: [btc] })
  expect(reading.peek().data).toEqual({ markets: [btc] })
})

test('a page that was hidden gets a fresh snapshot when it is shown', async () => {
  const at = openFeed()
  const name = 'tickers.changes'
  const { reading } = at.watch('markets', { kind: 'data', topics: [name] })
  at.open()
  await at.pass(200)
  at.publish(name, 'snapshot', 1, { markets: [] })
  at.hide(true)
  await at.pass(200)
  expect(at.sent('unsubscribe')).toMatchObject([{ topics: [name] }])
  at.hide(false)
  await at.pass(200)
  expect(at.sent('subscribe').at(-1)).toEqual({ op: 'subscribe', topics: [name], since: {} })
  const markets = [{ symbol: 'ETH' }]
  at.publish(name, 'snapshot', 9, { markets })
  expect(reading.peek()).toMatchObject({ data: { markets }, isLive: true })
})

test('live candles, which are fewer, are joined to those of an answer', async () => {
  const at = openFeed()
  const name = 'candles:PERP_ETH_USDC:1m'
  const row = (timestamp: string, close: string) => ({ timestamp, close })
  const read = { rows: [row('1', 'a'), row('2', 'b'), row('3', 'c')] }
  const live: LiveUpdates = { kind: 'data', topics: [name], joined: withCandles }
  const { reading } = at.watch('candles', live, read)
  at.open()
  await at.pass(200)
  at.publish(name, 'snapshot', 1, { rows: [row('2', 'B'), row('3', 'C')] })
  at.publish(name, 'delta', 2, { rows: [row('3', 'D'), row('4', 'E')] })
  expect(Object(reading.peek().data).rows).toEqual([
    row('1', 'a'),
    row('2', 'B'),
    row('3', 'D'),
    row('4', 'E'),
  ])
})

test('topics of an account are subscribed once its key is proved, and each message is a reason to read', async () => {
  const at = openFeed()
  const topics = ['positions', 'balances']
  at.watch('account', { kind: 'change', topics })
  at.open()
  await at.pass(200)
  expect(at.sent('subscribe')).toEqual([])
  const proof = { accountId: '0x1', key: 'ed25519:1', timestamp: '1', signature: 'x' }
  at.source.identify(async () => proof)
  await at.pass(100)
  expect(at.sent('auth')).toEqual([{ op: 'auth', ...proof }])
  at.receive({ type: 'ack', op: 'auth', ts: '1' })
  await at.pass(200)
  expect(at.sent('subscribe')).toMatchObject([{ topics }])
  for (const topic of topics) at.publish(topic, 'resync', 1, { reads: [] })
  await at.pass(500)
  const before = at.loads.length
  await at.pass(10_000)
  expect(at.loads).toHaveLength(before)
  at.publish('positions', 'event', 2, { rows: [] })
  at.publish('balances', 'event', 2, { rows: [] })
  await at.pass(200)
  expect(at.loads).toHaveLength(before + 1)
  at.receive({ type: 'auth_required', ts: '1' })
  await at.pass(100)
  expect(at.sent('auth')).toHaveLength(2)
  at.receive({ type: 'error', code: 'unauthorized', ts: '1', meta: { topics } })
  await at.pass(1500)
  expect(at.loads.length).toBeGreaterThan(before + 1)
})

test('another account has a connection of its own', async () => {
  const { source, wires, pass } = await openBook()
  source.identify(async () => null)
  source.identify(async () => null)
  expect(wires[0]?.isClosed).toBe(true)
  await pass(1000)
  expect(wires).toHaveLength(2)
})

test('a refused topic is polled, and subscribed again later', async () => {
  const at = openFeed()
  at.watch('book', BOOK_DATA)
  at.open()
  await at.pass(200)
  at.receive({ type: 'error', code: 'rate_limited', topic: BOOK, ts: '1' })
  const before = at.loads.length
  await at.pass(5000)
  expect(at.loads.length).toBeGreaterThan(before + 3)
  expect(at.sent('subscribe')).toHaveLength(1)
  for (let passed = 0; passed < 30_000; passed += 5000) {
    at.receive({ type: 'pong', ts: '1' })
    await at.pass(5000)
  }
  expect(at.sent('subscribe')).toHaveLength(2)
})

test('watchers of one topic share reads that are as frequent as the most demanding one asks for', async () => {
  const { feed, loads, pass } = openFeed()
  const watchEvery = (everyMs: number) =>
    feed.watch({
      ...{ name: 'funding', everyMs, policy: 'read' },
      load: async () => {
        loads.push('funding')
        return 'read'
      },
    })
  const slow = watchEvery(120_000)
  await pass(70_000)
  expect(loads).toHaveLength(1)
  const fast = watchEvery(60_000)
  await pass(1000)
  expect(loads).toHaveLength(2)
  await pass(100_000)
  expect(loads).toHaveLength(3)
  watchEvery(120_000).stop()
  await pass(60_000)
  expect(loads).toHaveLength(4)
  for (const { stop } of [slow, fast]) stop()
  await pass(600_000)
  expect(loads).toHaveLength(4)
  watchEvery(120_000)
  await pass(119_000)
  expect(loads).toHaveLength(5)
})

test('a topic that is followed anew at another pace goes on with what was read', async () => {
  const { feed, loads, pass } = openFeed()
  const topic = {
    ...{ name: 'funding', policy: 'read' },
    load: async () => {
      loads.push('funding')
      return 'read'
    },
  }
  const before = feed.watch({ ...topic, everyMs: 120_000 })
  await pass(10_000)
  const after = feed.watch({ ...topic, everyMs: 60_000 })
  before.stop()
  await pass(40_000)
  expect(loads).toHaveLength(1)
  expect(after.reading.peek().data).toBe('read')
  await pass(15_000)
  expect(loads).toHaveLength(2)
})
