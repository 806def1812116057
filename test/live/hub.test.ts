import { describe, expect, test } from 'bun:test'
import { gapsIn, type Message } from './clients.ts'
import { type HubFixture, openHubFixture, type TestSink } from './fixture.ts'

const SYMBOL = 'PERP_ETH_USDC'
const TOPIC = `trades:${SYMBOL}`

function trade(fixture: HubFixture, price: number): void {
  const data = { symbol: SYMBOL, price, size: 1, side: 'BUY' }
  fixture.feed.publish(`${SYMBOL}@trade`, data, fixture.nowMs())
}

async function tradesEvery(fixture: HubFixture, ms: number, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    trade(fixture, number + 1)
    await fixture.pass(ms)
  }
}

function ofTopic(messages: readonly Message[]): readonly Message[] {
  return messages.filter(({ topic }) => topic !== undefined)
}

function seqs({ messages }: TestSink): readonly (number | undefined)[] {
  return ofTopic(messages).map(({ seq }) => seq)
}

async function listening(fixture: HubFixture, topics = [TOPIC]) {
  const { sink, connection } = fixture.connect()
  fixture.ask(connection, topics)
  await fixture.pass(400)
  return { sink, connection }
}

describe('who comes back', () => {
  test('after five seconds gets exactly what it missed', async () => {
    const fixture = openHubFixture()
    const away = await listening(fixture)
    trade(fixture, 1)
    await fixture.pass(200)
    const last = ofTopic(away.sink.messages).at(-1)
    fixture.hub.disconnect(away.connection)
    await tradesEvery(fixture, 1000, 5)
    const back = fixture.connect()
    fixture.ask(back.connection, [TOPIC], { epoch: last?.epoch ?? '', seq: last?.seq ?? 0 })
    trade(fixture, 6)
    await fixture.pass(400)
    expect(seqs(back.sink)).toEqual([3, 4, 5, 6, 7, 8])
    expect(ofTopic(back.sink.messages).map(({ type }) => type)).not.toContain('snapshot')
    fixture.close()
  })

  test('by the id of an event gets exactly what it missed, of every topic', async () => {
    const fixture = openHubFixture()
    const away = await listening(fixture, [TOPIC, 'liquidations'])
    const place = away.sink.places.at(-1) ?? null
    fixture.hub.disconnect(away.connection)
    await tradesEvery(fixture, 1000, 3)
    fixture.feed.publish(
      'liquidation',
      [{ liquidationId: 1, positionsByPerp: [] }],
      fixture.nowMs(),
    )
    await fixture.pass(200)
    const back = fixture.connect()
    fixture.ask(back.connection, [TOPIC, 'liquidations'], fixture.hub.sinceId(place))
    await fixture.pass(200)
    expect(ofTopic(back.sink.messages).map(({ topic, seq, type }) => [topic, seq, type])).toEqual([
      [TOPIC, 2, 'event'],
      [TOPIC, 3, 'event'],
      [TOPIC, 4, 'event'],
      ['liquidations', 2, 'event'],
    ])
    fixture.close()
  })

  test('after two minutes, or to another process, or with a number nobody sent, gets a snapshot', async () => {
    const fixture = openHubFixture()
    const { sink, connection } = await listening(fixture)
    const stays = await listening(fixture)
    const { epoch = '' } = ofTopic(sink.messages)[0] ?? {}
    fixture.hub.disconnect(connection)
    await tradesEvery(fixture, 1000, 120)
    for (const since of [
      { epoch, seq: 1 },
      { epoch: 'another', seq: 1 },
      { epoch, seq: 999 },
    ]) {
      const back = fixture.connect()
      fixture.ask(back.connection, [TOPIC], since)
      await fixture.pass(200)
      expect(ofTopic(back.sink.messages).map(({ type }) => type)).toEqual(['snapshot'])
    }
    expect(fixture.hub.sinceId('ffffffffffff-1')).toBeNull()
    expect(fixture.hub.sinceId('nonsense')).toBeNull()
    expect(gapsIn(stays.sink.messages)).toEqual([])
    fixture.close()
  })

  test('a snapshot and what follows it leave nothing out and say nothing twice', async () => {
    const fixture = openHubFixture()
    await listening(fixture)
    trade(fixture, 1)
    const late = fixture.connect()
    fixture.ask(late.connection, [TOPIC])
    trade(fixture, 2)
    await fixture.pass(200)
    trade(fixture, 3)
    await fixture.pass(200)
    const prices = ofTopic(late.sink.messages).flatMap(({ data }) =>
      Object(data).trades.map((row: { executed_price: number }) => row.executed_price),
    )
    expect(prices).toEqual([2, 1, 3])
    fixture.close()
  })
})

/** Sends a caller many answers, with so many bytes still unread. */
function lag(fixture: HubFixture, { sink, connection }: Client, bytes: number): void {
  for (let turn = 0; turn < 20_000; turn += 30) fixture.hub.notify(connection, 'pong')
  sink.buffered = bytes
}

type Client = ReturnType<HubFixture['connect']>

describe('the venue', () => {
  test('is let go thirty seconds after the last who listened, and not before', async () => {
    const fixture = openHubFixture()
    const { connection } = await listening(fixture)
    expect(fixture.feed.listeners(`${SYMBOL}@trade`)).toBe(1)
    fixture.hub.disconnect(connection)
    await fixture.pass(29_000)
    expect(fixture.feed.listeners(`${SYMBOL}@trade`)).toBe(1)
    await fixture.pass(1400)
    expect(fixture.feed.listeners(`${SYMBOL}@trade`)).toBe(0)
    expect(fixture.hub.size()).toEqual({ socket: 0, events: 0, topics: 0, subscriptions: 0 })
    fixture.close()
  })

  test('gone for a minute leaves the topic stale, then begins a new epoch with a snapshot', async () => {
    const fixture = openHubFixture()
    const { sink } = await listening(fixture)
    fixture.feed.lose()
    await fixture.pass(9000)
    expect(sink.messages.map(({ type }) => type)).not.toContain('stale')
    await fixture.pass(51_000)
    const stale = sink.messages.filter(({ type }) => type === 'stale')
    expect(stale.length).toBeGreaterThanOrEqual(5)
    expect(Object(stale[0]?.data).ageMs).toBeGreaterThanOrEqual(10_000)
    fixture.feed.restore()
    await fixture.pass(400)
    const last = sink.messages.at(-1)
    expect(last?.type).toBe('snapshot')
    expect(last?.seq).toBe(1)
    expect(sink.ended).toBeNull()
    expect(gapsIn(sink.messages)).toEqual([])
    fixture.close()
  })
})

describe('who reads too slowly', () => {
  test('is left out, and caught up by a snapshot when it has read', async () => {
    const fixture = openHubFixture()
    const slow = await listening(fixture)
    const quick = await listening(fixture)
    lag(fixture, slow, 70_000)
    await fixture.pass(200)
    await tradesEvery(fixture, 200, 10)
    expect(seqs(slow.sink)).toEqual([1])
    expect(seqs(quick.sink)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    slow.sink.buffered = 0
    await fixture.pass(400)
    trade(fixture, 11)
    await fixture.pass(200)
    const last = ofTopic(slow.sink.messages).slice(1)
    expect(last.map(({ type, seq }) => [type, seq])).toEqual([
      ['snapshot', 11],
      ['event', 12],
    ])
    expect(gapsIn(quick.sink.messages)).toEqual([])
    fixture.close()
  })

  test.each([
    ['for thirty seconds', 70_000, 30_400],
    ['by a megabyte', 1_100_000, 600],
  ])('%s is closed with 4408, and nobody else', async (_, buffered, ms) => {
    const fixture = openHubFixture()
    const slow = await listening(fixture)
    const quick = await listening(fixture)
    lag(fixture, slow, buffered)
    await fixture.pass(ms)
    expect(slow.sink.ended?.code).toBe(4408)
    expect(quick.sink.ended).toBeNull()
    expect(fixture.hub.size().socket).toBe(1)
    fixture.close()
  })

  test('is closed too when it asks for what nobody here says: answers to pings', async () => {
    const fixture = openHubFixture()
    const { sink } = await listening(fixture)
    sink.buffered = 1_100_000
    await fixture.pass(1000)
    expect(sink.ended?.code).toBe(4408)
    fixture.close()
  })

  test('and who does not answer two heartbeats is closed', async () => {
    const fixture = openHubFixture()
    const dead = await listening(fixture)
    const alive = await listening(fixture)
    dead.sink.isDead = true
    await fixture.pass(46_000)
    expect(dead.sink.ended?.code).toBe(1001)
    expect(alive.sink.ended).toBeNull()
    fixture.close()
  })

  test('a connection lives a day', async () => {
    const fixture = openHubFixture()
    const { sink, connection } = fixture.connect()
    Object.assign(connection, { openedAtMs: fixture.nowMs() - 86_400_000 })
    await fixture.pass(15_400)
    expect(sink.messages.at(-1)?.type).toBe('bye')
    expect(sink.ended?.code).toBe(1001)
    fixture.close()
  })
})

describe('the limits', () => {
  test('a hundred topics a connection, and one more is an error that names it', async () => {
    const fixture = openHubFixture()
    const { sink, connection } = fixture.connect()
    const topics = Array.from({ length: 101 }, (_, number) => `mark:PERP_A${number}_USDC`)
    fixture.ask(connection, topics)
    const errors = sink.messages.filter(({ type }) => type === 'error')
    expect(errors.map(({ code, topic }) => [code, topic])).toEqual([
      ['rate_limited', 'mark:PERP_A100_USDC'],
    ])
    fixture.close()
  })
})
