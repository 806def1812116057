import { describe, expect, test } from 'bun:test'
import { signText } from '../../src/crypto/signing.ts'
import { STREAM_LIMITS } from '../../src/spec/stream/limits.ts'
import { MalformedMessage } from '../../src/wire/live-messages.ts'
import { newCaller } from '../caller.ts'
import { openRig, type Rig, settled } from './rig.ts'

const SYMBOL = 'PERP_ETH_USDC'
const TRADES = `trades:${SYMBOL}`
const BOOK = `orderbook:${SYMBOL}`
const ODD = { toString: 1, valueOf: 1 }

/** Lets beats pass until something is so; the waits of retries are real time. */
async function passUntil(rig: Rig, isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 200 && !isSo(); tries += 1) {
    await rig.pass(200)
    await Bun.sleep(5)
  }
  expect(isSo()).toBe(true)
}

function trade(rig: Rig, price: unknown, atMs = rig.nowMs(), size = 1): void {
  rig.feed.tell(`${SYMBOL}@trade`, { symbol: SYMBOL, price, size, side: 'BUY' }, atMs)
}

test('who goes twice takes no topic from others that listen to it', async () => {
  const rig = openRig()
  const [twice, other] = [rig.connect(), rig.connect()]
  for (const { connection } of [twice, other]) rig.ask(connection, [TRADES])
  await rig.pass(400)
  rig.hub.disconnect(twice.connection)
  rig.hub.disconnect(twice.connection)
  // As long as a topic is kept to which nobody listens.
  await rig.pass(STREAM_LIMITS.ringMs + 1000)
  trade(rig, 7)
  await rig.pass(400)
  const received = other.outlet.messages.filter(({ topic }) => topic === TRADES)
  expect(received.map(({ seq }) => seq)).toEqual([1, 2])
  rig.close()
})

describe('what goes wrong in one topic', () => {
  test.each([
    ['a malformed level', BOOK, `${SYMBOL}@orderbookupdate`, { asks: [[ODD, ODD]], bids: [] }],
    ['a malformed trade', TRADES, `${SYMBOL}@trade`, { symbol: SYMBOL, price: ODD }],
    ['a malformed candle', `candles:${SYMBOL}:1m`, `${SYMBOL}@kline_1m`, { open: ODD }],
    ['no status', 'status', 'maintenance_status', ODD.toString],
    ['a malformed price', `mark:${SYMBOL}`, `${SYMBOL}@markprice`, { symbol: ODD }],
    ['malformed funding', `funding:${SYMBOL}`, `${SYMBOL}@estfundingrate`, { symbol: 1 }],
  ])('%s has %s begin anew, and no other', async (_, topic, wireTopic, data) => {
    const rig = openRig()
    rig.feed.setBook(() => ({ topic: '', atMs: 1, data: { asks: [[101, 1]], bids: [] } }))
    const { outlet, connection } = rig.connect()
    const other = topic === TRADES ? `mark:${SYMBOL}` : TRADES
    rig.ask(connection, [topic, other])
    await rig.pass(1000)
    const epochs = (name: string) =>
      new Set(outlet.messages.filter((each) => each.topic === name).map(({ epoch }) => epoch))
    expect([epochs(topic).size, epochs(other).size]).toEqual([1, 1])
    rig.feed.tell(wireTopic, data, rig.nowMs())
    await passUntil(rig, () => epochs(topic).size === 2)
    expect(epochs(other).size).toBe(1)
    expect(rig.faults.resets).toEqual([expect.any(MalformedMessage)])
    rig.close()
  })

  test('a level too fine to be counted costs that level', async () => {
    const rig = openRig()
    const asks = [
      [101, 1],
      [102, 1e-40],
    ]
    rig.feed.setBook(() => ({ topic: '', atMs: 1, data: { asks, bids: [] } }))
    const { outlet, connection } = rig.connect()
    rig.ask(connection, [BOOK])
    await rig.pass(1000)
    const whole = outlet.messages.find(({ topic, type }) => topic === BOOK && type === 'snapshot')
    expect(Object(whole?.data).asks).toHaveLength(1)
    rig.close()
  })

  test('a malformed row of a list costs that row', async () => {
    const rig = openRig()
    const { outlet, connection } = rig.connect()
    rig.ask(connection, ['marks'])
    await rig.pass(400)
    rig.feed.tell('markprices', [{ symbol: ODD }, { symbol: SYMBOL, price: 7 }], rig.nowMs())
    await rig.pass(1200)
    expect(outlet.messages.at(-1)?.data).toEqual({ markets: [{ symbol: SYMBOL, mark_price: 7 }] })
    expect(rig.faults).toEqual({ resets: [], dropped: 1 })
    rig.close()
  })

  test('a malformed report has the account’s topics read again', async () => {
    const rig = openRig()
    const { outlet, connection } = rig.connect()
    const { accountId, key, secret } = newCaller()
    const timestamp = String(rig.nowMs())
    const signature = signText(timestamp, secret)
    rig.receive(connection, JSON.stringify({ op: 'auth', accountId, key, timestamp, signature }))
    await settled()
    rig.ask(connection, ['orders', 'positions'])
    await rig.pass(400)
    rig.feed.accounts[0]?.message({ topic: 'executionreport', atMs: 1, data: { symbol: ODD } })
    await rig.pass(400)
    const resyncs = outlet.messages.filter(({ type }) => type === 'resync')
    expect(resyncs.map(({ topic }) => topic)).toEqual(['orders', 'positions', 'orders'])
    rig.close()
  })

  test('an error of ours while a topic is read is counted, and the read is tried again', async () => {
    let reads = 0
    const rig = openRig({
      trades: async () => {
        reads += 1
        if (reads === 1) throw new TypeError('a bug')
        return []
      },
    })
    const { outlet, connection } = rig.connect()
    rig.ask(connection, [TRADES])
    await passUntil(rig, () => outlet.messages.some(({ type }) => type === 'snapshot'))
    expect(rig.faults.resets).toEqual([expect.any(TypeError)])
    rig.close()
  })

  test('an error of ours while a message is made stops no other topic, beat after beat', async () => {
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    let isBroken = true
    const rig = openRig({ status: async () => (isBroken ? cyclic : { status: 0, msg: 'ok' }) })
    const { outlet, connection } = rig.connect()
    rig.ask(connection, ['status', TRADES])
    await rig.pass(1000)
    trade(rig, 5)
    await rig.pass(400)
    expect(outlet.messages.filter(({ topic }) => topic === TRADES)).toHaveLength(2)
    expect(rig.faults.resets.length).toBeGreaterThan(0)
    isBroken = false
    await passUntil(rig, () => outlet.messages.some(({ topic }) => topic === 'status'))
    rig.close()
  })
})

describe('trades of the millisecond that was read last', () => {
  const AT_MS = 1_700_000_000_000
  const row = (price: string, atMs = AT_MS) => ({
    symbol: SYMBOL,
    side: 'BUY',
    executed_price: Number(price),
    executed_quantity: 1,
    executed_timestamp: atMs,
  })

  test('are told as often as they happened, whether they were read or came after', async () => {
    const gate = Promise.withResolvers<void>()
    const rig = openRig({
      trades: async () => {
        await gate.promise
        return [row('5'), row('4'), row('3', AT_MS - 1)]
      },
    })
    const { outlet, connection } = rig.connect()
    rig.ask(connection, [TRADES])
    await settled()
    // Read already: 3 and one of the two at 5. After the read: another at 5, one at 6, and one a millisecond later.
    trade(rig, 3, AT_MS - 1)
    for (const price of [5, 5, 6]) trade(rig, price, AT_MS)
    trade(rig, 7, AT_MS + 1)
    gate.resolve()
    await rig.pass(600)
    const [whole, after] = outlet.messages.filter(({ topic }) => topic === TRADES)
    const prices = (message = whole) =>
      Object(message?.data).trades.map((each: object) => Object(each).executed_price)
    expect([...(after ? prices(after) : []), ...prices(whole)]).toEqual([7, 6, 5, 5, 4, 3])
    rig.close()
  })
})
