import { describe, expect, test } from 'bun:test'
import { STREAM_LIMITS } from '../../src/contract/stream/limits.ts'
import { signText } from '../../src/core/crypto/signing.ts'
import { MalformedMessage } from '../../src/upstream/wire/live-messages.ts'
import { newCaller } from '../caller.ts'
import { type HubFixture, openHubFixture, settled } from './fixture.ts'

const SYMBOL = 'PERP_ETH_USDC'
const TRADES = `trades:${SYMBOL}`
const BOOK = `orderbook:${SYMBOL}`
const ODD = { toString: 1, valueOf: 1 }

/** Lets beats pass until something is so; the waits of retries are real time. */
async function passUntil(fixture: HubFixture, isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await fixture.pass(200)
    await Bun.sleep(5)
  }
}

function trade(fixture: HubFixture, price: unknown, atMs = fixture.nowMs(), size = 1): void {
  fixture.feed.publish(`${SYMBOL}@trade`, { symbol: SYMBOL, price, size, side: 'BUY' }, atMs)
}

test('who goes twice takes no topic from others that listen to it', async () => {
  const fixture = openHubFixture()
  const [twice, other] = [fixture.connect(), fixture.connect()]
  for (const { connection } of [twice, other]) fixture.ask(connection, [TRADES])
  await fixture.pass(400)
  fixture.hub.disconnect(twice.connection)
  fixture.hub.disconnect(twice.connection)
  // As long as a topic is kept to which nobody listens.
  await fixture.pass(STREAM_LIMITS.ringMs + 1000)
  trade(fixture, 7)
  await fixture.pass(400)
  const received = other.sink.messages.filter(({ topic }) => topic === TRADES)
  expect(received.map(({ seq }) => seq)).toEqual([1, 2])
  fixture.close()
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
    const fixture = openHubFixture()
    fixture.feed.setBook(() => ({ topic: '', atMs: 1, data: { asks: [[101, 1]], bids: [] } }))
    const { sink, connection } = fixture.connect()
    const other = topic === TRADES ? `mark:${SYMBOL}` : TRADES
    fixture.ask(connection, [topic, other])
    await fixture.pass(1000)
    const epochs = (name: string) =>
      new Set(sink.messages.filter((each) => each.topic === name).map(({ epoch }) => epoch))
    expect([epochs(topic).size, epochs(other).size]).toEqual([1, 1])
    fixture.feed.publish(wireTopic, data, fixture.nowMs())
    await passUntil(fixture, () => epochs(topic).size === 2)
    expect(epochs(other).size).toBe(1)
    expect(fixture.faults.resets).toEqual([expect.any(MalformedMessage)])
    fixture.close()
  })

  test('a level too fine to be counted costs that level', async () => {
    const fixture = openHubFixture()
    const asks = [
      [101, 1],
      [102, 1e-40],
    ]
    fixture.feed.setBook(() => ({ topic: '', atMs: 1, data: { asks, bids: [] } }))
    const { sink, connection } = fixture.connect()
    fixture.ask(connection, [BOOK])
    await fixture.pass(1000)
    const whole = sink.messages.find(({ topic, type }) => topic === BOOK && type === 'snapshot')
    expect(Object(whole?.data).asks).toHaveLength(1)
    fixture.close()
  })

  test('a malformed row of a list costs that row', async () => {
    const fixture = openHubFixture()
    const { sink, connection } = fixture.connect()
    fixture.ask(connection, ['marks'])
    await fixture.pass(400)
    fixture.feed.publish(
      'markprices',
      [{ symbol: ODD }, { symbol: SYMBOL, price: 7 }],
      fixture.nowMs(),
    )
    await fixture.pass(1200)
    expect(sink.messages.at(-1)?.data).toEqual({ markets: [{ symbol: SYMBOL, mark_price: 7 }] })
    expect(fixture.faults).toEqual({ resets: [], dropped: 1 })
    fixture.close()
  })

  test('a malformed report has the account’s topics read again', async () => {
    const fixture = openHubFixture()
    const { sink, connection } = fixture.connect()
    const { accountId, key, secret } = newCaller()
    const timestamp = String(fixture.nowMs())
    const signature = signText(timestamp, secret)
    fixture.receive(
      connection,
      JSON.stringify({ op: 'auth', accountId, key, timestamp, signature }),
    )
    await settled()
    fixture.ask(connection, ['orders', 'positions'])
    await fixture.pass(400)
    fixture.feed.accounts[0]?.message({ topic: 'executionreport', atMs: 1, data: { symbol: ODD } })
    await fixture.pass(400)
    const resyncs = sink.messages.filter(({ type }) => type === 'resync')
    expect(resyncs.map(({ topic }) => topic)).toEqual(['orders', 'positions', 'orders'])
    fixture.close()
  })

  test('an error of ours while a topic is read is counted, and the read is tried again', async () => {
    let reads = 0
    const fixture = openHubFixture({
      trades: async () => {
        reads += 1
        if (reads === 1) throw new TypeError('a bug')
        return []
      },
    })
    const { sink, connection } = fixture.connect()
    fixture.ask(connection, [TRADES])
    await passUntil(fixture, () => sink.messages.some(({ type }) => type === 'snapshot'))
    expect(fixture.faults.resets).toEqual([expect.any(TypeError)])
    fixture.close()
  })

  test('an error of ours while a message is made stops no other topic, beat after beat', async () => {
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    let isBroken = true
    const fixture = openHubFixture({
      status: async () => (isBroken ? cyclic : { status: 0, msg: 'ok' }),
    })
    const { sink, connection } = fixture.connect()
    fixture.ask(connection, ['status', TRADES])
    await fixture.pass(1000)
    trade(fixture, 5)
    await fixture.pass(400)
    expect(sink.messages.filter(({ topic }) => topic === TRADES)).toHaveLength(2)
    expect(fixture.faults.resets.length).toBeGreaterThan(0)
    isBroken = false
    await passUntil(fixture, () => sink.messages.some(({ topic }) => topic === 'status'))
    fixture.close()
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
    const fixture = openHubFixture({
      trades: async () => {
        await gate.promise
        return [row('5'), row('4'), row('3', AT_MS - 1)]
      },
    })
    const { sink, connection } = fixture.connect()
    fixture.ask(connection, [TRADES])
    await settled()
    // Read already: 3 and one of the two at 5. After the read: another at 5, one at 6, and one a millisecond later.
    trade(fixture, 3, AT_MS - 1)
    for (const price of [5, 5, 6]) trade(fixture, price, AT_MS)
    trade(fixture, 7, AT_MS + 1)
    gate.resolve()
    await fixture.pass(600)
    const [whole, after] = sink.messages.filter(({ topic }) => topic === TRADES)
    const prices = (message = whole) =>
      Object(message?.data).trades.map((each: object) => Object(each).executed_price)
    expect([...(after ? prices(after) : []), ...prices(whole)]).toEqual([7, 6, 5, 5, 4, 3])
    fixture.close()
  })
})
