import { describe, expect, test } from 'bun:test'
import { gapsIn, type Message } from './clients.ts'
import { openRig, type Rig, type TestOutlet } from './rig.ts'

const SYMBOL = 'PERP_ETH_USDC'
const TOPIC = `trades:${SYMBOL}`

function trade(rig: Rig, price: number): void {
  const data = { symbol: SYMBOL, price, size: 1, side: 'BUY' }
  rig.feed.tell(`${SYMBOL}@trade`, data, rig.nowMs())
}

async function tradesEvery(rig: Rig, ms: number, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    trade(rig, number + 1)
    await rig.pass(ms)
  }
}

function ofTopic(messages: readonly Message[]): readonly Message[] {
  return messages.filter(({ topic }) => topic !== undefined)
}

function seqs({ messages }: TestOutlet): readonly (number | undefined)[] {
  return ofTopic(messages).map(({ seq }) => seq)
}

async function listening(rig: Rig, topics = [TOPIC]) {
  const { outlet, connection } = rig.connect()
  rig.ask(connection, topics)
  await rig.pass(400)
  return { outlet, connection }
}

describe('who comes back', () => {
  test('after five seconds gets exactly what it missed', async () => {
    const rig = openRig()
    const away = await listening(rig)
    trade(rig, 1)
    await rig.pass(200)
    const last = ofTopic(away.outlet.messages).at(-1)
    rig.hub.disconnect(away.connection)
    await tradesEvery(rig, 1000, 5)
    const back = rig.connect()
    rig.ask(back.connection, [TOPIC], { epoch: last?.epoch ?? '', seq: last?.seq ?? 0 })
    trade(rig, 6)
    await rig.pass(400)
    expect(seqs(back.outlet)).toEqual([3, 4, 5, 6, 7, 8])
    expect(ofTopic(back.outlet.messages).map(({ type }) => type)).not.toContain('snapshot')
    rig.close()
  })

  test('by the id of an event gets exactly what it missed, of every topic', async () => {
    const rig = openRig()
    const away = await listening(rig, [TOPIC, 'liquidations'])
    const place = away.outlet.places.at(-1) ?? null
    rig.hub.disconnect(away.connection)
    await tradesEvery(rig, 1000, 3)
    rig.feed.tell('liquidation', [{ liquidationId: 1, positionsByPerp: [] }], rig.nowMs())
    await rig.pass(200)
    const back = rig.connect()
    rig.ask(back.connection, [TOPIC, 'liquidations'], rig.hub.sinceId(place))
    await rig.pass(200)
    expect(ofTopic(back.outlet.messages).map(({ topic, seq, type }) => [topic, seq, type])).toEqual(
      [
        [TOPIC, 2, 'event'],
        [TOPIC, 3, 'event'],
        [TOPIC, 4, 'event'],
        ['liquidations', 2, 'event'],
      ],
    )
    rig.close()
  })

  test('after two minutes, or to another process, or with a number nobody sent, gets a snapshot', async () => {
    const rig = openRig()
    const { outlet, connection } = await listening(rig)
    const stays = await listening(rig)
    const { epoch = '' } = ofTopic(outlet.messages)[0] ?? {}
    rig.hub.disconnect(connection)
    await tradesEvery(rig, 1000, 120)
    for (const since of [
      { epoch, seq: 1 },
      { epoch: 'another', seq: 1 },
      { epoch, seq: 999 },
    ]) {
      const back = rig.connect()
      rig.ask(back.connection, [TOPIC], since)
      await rig.pass(200)
      expect(ofTopic(back.outlet.messages).map(({ type }) => type)).toEqual(['snapshot'])
    }
    expect(rig.hub.sinceId('ffffffffffff-1')).toBeNull()
    expect(rig.hub.sinceId('nonsense')).toBeNull()
    expect(gapsIn(stays.outlet.messages)).toEqual([])
    rig.close()
  })

  test('a snapshot and what follows it leave nothing out and say nothing twice', async () => {
    const rig = openRig()
    await listening(rig)
    trade(rig, 1)
    const late = rig.connect()
    rig.ask(late.connection, [TOPIC])
    trade(rig, 2)
    await rig.pass(200)
    trade(rig, 3)
    await rig.pass(200)
    const prices = ofTopic(late.outlet.messages).flatMap(({ data }) =>
      Object(data).trades.map((row: { executed_price: number }) => row.executed_price),
    )
    expect(prices).toEqual([2, 1, 3])
    rig.close()
  })
})

/** A caller is told much of what it asked, and this is how much of all it was told it has not taken. */
function lag(rig: Rig, { outlet, connection }: Client, bytes: number): void {
  for (let said = 0; said < 20_000; said += 30) rig.hub.notify(connection, 'pong')
  outlet.buffered = bytes
}

type Client = ReturnType<Rig['connect']>

describe('the venue', () => {
  test('is let go thirty seconds after the last who listened, and not before', async () => {
    const rig = openRig()
    const { connection } = await listening(rig)
    expect(rig.feed.listeners(`${SYMBOL}@trade`)).toBe(1)
    rig.hub.disconnect(connection)
    await rig.pass(29_000)
    expect(rig.feed.listeners(`${SYMBOL}@trade`)).toBe(1)
    await rig.pass(1400)
    expect(rig.feed.listeners(`${SYMBOL}@trade`)).toBe(0)
    expect(rig.hub.size()).toEqual({ socket: 0, events: 0, topics: 0, subscriptions: 0 })
    rig.close()
  })

  test('gone for a minute leaves the topic stale, then begins a new epoch with a snapshot', async () => {
    const rig = openRig()
    const { outlet } = await listening(rig)
    rig.feed.lose()
    await rig.pass(9000)
    expect(outlet.messages.map(({ type }) => type)).not.toContain('stale')
    await rig.pass(51_000)
    const stale = outlet.messages.filter(({ type }) => type === 'stale')
    expect(stale.length).toBeGreaterThanOrEqual(5)
    expect(Object(stale[0]?.data).ageMs).toBeGreaterThanOrEqual(10_000)
    rig.feed.restore()
    await rig.pass(400)
    const last = outlet.messages.at(-1)
    expect(last?.type).toBe('snapshot')
    expect(last?.seq).toBe(1)
    expect(outlet.ended).toBeNull()
    expect(gapsIn(outlet.messages)).toEqual([])
    rig.close()
  })
})

describe('who reads too slowly', () => {
  test('is left out, and caught up by a snapshot when it has read', async () => {
    const rig = openRig()
    const slow = await listening(rig)
    const quick = await listening(rig)
    lag(rig, slow, 70_000)
    await rig.pass(200)
    await tradesEvery(rig, 200, 10)
    expect(seqs(slow.outlet)).toEqual([1])
    expect(seqs(quick.outlet)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    slow.outlet.buffered = 0
    await rig.pass(400)
    trade(rig, 11)
    await rig.pass(200)
    const last = ofTopic(slow.outlet.messages).slice(1)
    expect(last.map(({ type, seq }) => [type, seq])).toEqual([
      ['snapshot', 11],
      ['event', 12],
    ])
    expect(gapsIn(quick.outlet.messages)).toEqual([])
    rig.close()
  })

  test.each([
    ['for thirty seconds', 70_000, 30_400],
    ['by a megabyte', 1_100_000, 600],
  ])('%s is closed with 4408, and nobody else', async (_, buffered, ms) => {
    const rig = openRig()
    const slow = await listening(rig)
    const quick = await listening(rig)
    lag(rig, slow, buffered)
    await rig.pass(ms)
    expect(slow.outlet.ended?.code).toBe(4408)
    expect(quick.outlet.ended).toBeNull()
    expect(rig.hub.size().socket).toBe(1)
    rig.close()
  })

  test('is closed too when it asks for what nobody here says: answers to pings', async () => {
    const rig = openRig()
    const { outlet } = await listening(rig)
    outlet.buffered = 1_100_000
    await rig.pass(1000)
    expect(outlet.ended?.code).toBe(4408)
    rig.close()
  })

  test('and who does not answer two heartbeats is closed', async () => {
    const rig = openRig()
    const dead = await listening(rig)
    const alive = await listening(rig)
    dead.outlet.isDead = true
    await rig.pass(46_000)
    expect(dead.outlet.ended?.code).toBe(1001)
    expect(alive.outlet.ended).toBeNull()
    rig.close()
  })

  test('a connection lives a day', async () => {
    const rig = openRig()
    const { outlet, connection } = rig.connect()
    Object.assign(connection, { openedAtMs: rig.nowMs() - 86_400_000 })
    await rig.pass(15_400)
    expect(outlet.messages.at(-1)?.type).toBe('bye')
    expect(outlet.ended?.code).toBe(1001)
    rig.close()
  })
})

describe('the limits', () => {
  test('a hundred topics a connection, and one more is an error that names it', async () => {
    const rig = openRig()
    const { outlet, connection } = rig.connect()
    const topics = Array.from({ length: 101 }, (_, number) => `mark:PERP_A${number}_USDC`)
    rig.ask(connection, topics)
    const errors = outlet.messages.filter(({ type }) => type === 'error')
    expect(errors.map(({ code, topic }) => [code, topic])).toEqual([
      ['rate_limited', 'mark:PERP_A100_USDC'],
    ])
    rig.close()
  })
})
