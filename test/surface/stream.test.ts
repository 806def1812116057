// Slow: nothing is to come for more than a second, and a thousand sockets are opened.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { isStreamName, STREAMS } from '../../src/contract/stream/topics.ts'
import { isObject } from '../../src/core/json.ts'
import {
  gapsIn,
  type LiveClient,
  openEvents,
  openSocket,
  type SocketClient,
  snapshotOf,
} from '../live/clients.ts'
import { type ScriptedVenue, startScriptedVenue } from '../live/scripted-venue.ts'
import { openTarget, type Target } from '../target.ts'

const SYMBOL = 'PERP_ETH_USDC'

/** Every public topic, and the request that answers the same fields. */
const READS: Readonly<Record<string, string>> = {
  tickers: '/api/prep/markets',
  'tickers.changes': '/api/prep/markets',
  [`ticker:${SYMBOL}`]: '/api/prep/markets',
  [`orderbook:${SYMBOL}`]: `/api/prep/orderbook?symbol=${SYMBOL}`,
  [`trades:${SYMBOL}`]: `/api/prep/trades?symbol=${SYMBOL}`,
  liquidations: '/api/prep/liquidations?size=50',
  [`candles:${SYMBOL}:1m`]: `/api/prep/candles?symbol=${SYMBOL}&interval=1m`,
  [`candles:${SYMBOL}:4h`]: `/api/prep/candles?symbol=${SYMBOL}&interval=4h`,
  [`candles:${SYMBOL}:12h`]: `/api/prep/candles?symbol=${SYMBOL}&interval=12h`,
  [`funding:${SYMBOL}`]: `/api/prep/funding?symbol=${SYMBOL}`,
  status: '/api/prep/op/platform.status',
}

const TOPICS = [...Object.keys(READS), 'marks', `mark:${SYMBOL}`]

type Place = {
  readonly target: Target
  readonly url: string
  readonly venue: ScriptedVenue | null
  readonly stop: () => Promise<void>
}

async function openPlace(isLive: boolean): Promise<Place> {
  const venue = isLive ? startScriptedVenue() : null
  // The one stands for the binary, the other need not.
  const target = venue
    ? await openTarget('compiled binary', { VENUE: venue.url, VENUE_STREAM: venue.streamUrl })
    : await openTarget('in process')
  return {
    target,
    url: (await target.listening()).public,
    venue,
    stop: async () => {
      await target.stop()
      await venue?.stop()
    },
  }
}

async function read(target: Target, topic: string): Promise<Record<string, unknown>> {
  const path = READS[topic]
  if (path === undefined) throw new Error(`no read of ${topic}`)
  const payload: unknown = await (await target.fetch(path)).json()
  if (!isObject(payload)) throw new Error('no object')
  const { markets } = payload
  if (!topic.startsWith('ticker:') || !Array.isArray(markets)) return payload
  return markets.find((row) => row.symbol === SYMBOL)
}

/** The fields of an object, and of the first of each list in it. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (!isObject(value)) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member)]))
}

describe.each([
  ['the embedded venue', false],
  ['a venue elsewhere', true],
] as const)('live data of %s', (_, isLive) => {
  let place: Place
  beforeAll(async () => {
    place = await openPlace(isLive)
    // The seeded world takes a moment to compute its first answers; a venue has them.
    for (const topic of Object.keys(READS)) await read(place.target, topic)
  })
  afterAll(() => place.stop())

  test('there is a topic here of every public row', () => {
    const names = TOPICS.map((topic) => topic.split(':')[0] ?? '')
    const rows = Object.keys(STREAMS).filter(
      (name) => isStreamName(name) && STREAMS[name].kind !== 'account',
    )
    expect([...new Set(names)].toSorted()).toEqual(rows.toSorted())
  })

  test.each(TOPICS)('%s begins with a snapshot, over both transports', async (topic) => {
    const socket = await openSocket(place.url)
    socket.send({ op: 'subscribe', topics: [topic] })
    const events = openEvents(place.url, [topic])
    const message = await socket.next(snapshotOf(topic))
    const same = await events.next(snapshotOf(topic))
    expect(Object.keys(message)).toEqual(['topic', 'type', 'epoch', 'seq', 'ts', 'data'])
    expect(same.epoch).toBe(message.epoch ?? '')
    if (READS[topic])
      expect(shapeOf(message.data)).toEqual(shapeOf(await read(place.target, topic)))
    for (const { messages } of [socket, events]) expect(gapsIn(messages)).toEqual([])
    socket.close()
    events.close()
  })

  test('a snapshot says what a read says, to the text of its numbers', async () => {
    const topic = `funding:${SYMBOL}`
    const both = async () => {
      const socket = await openSocket(place.url)
      socket.send({ op: 'subscribe', topics: [topic] })
      const { data } = await socket.next(snapshotOf(topic))
      socket.close()
      return [data, await read(place.target, topic)]
    }
    let [message, asked] = await both()
    // Funding may have changed between the two, and what was read is kept for a while, but not every time.
    while (!Bun.deepEquals(message, asked)) {
      await Bun.sleep(500)
      ;[message, asked] = await both()
    }
    expect(message).toEqual(asked)
  })

  test('an unknown topic or market is named, and the others are subscribed', async () => {
    const socket = await openSocket(place.url)
    socket.send({ op: 'subscribe', topics: ['nope', 'mark:PERP_NOPE_USDC', 'mark:ETH', 'marks'] })
    await socket.next(snapshotOf('marks'))
    const errors = socket.messages.filter(({ type }) => type === 'error')
    expect(errors.map(({ code, topic }) => [code, topic])).toEqual([
      ['not_found', 'nope'],
      ['not_found', 'mark:PERP_NOPE_USDC'],
      ['not_found', 'mark:ETH'],
    ])
    socket.close()
  })

  test('what is no topic at all opens no event stream', async () => {
    const topicsOf = async (topics: string) => {
      const response = await place.target.fetch(`/api/prep/stream?topics=${topics}`)
      const { code, meta } = Object(await response.json())
      return [response.status, code, meta?.parameter]
    }
    expect(await topicsOf('')).toEqual([400, 'invalid_request', 'topics'])
    expect(await topicsOf('nope')).toEqual([400, 'invalid_request', 'topics'])
    expect(await topicsOf('orders')).toEqual([401, 'unauthorized', 'topics'])
  })

  test('unsubscribing is acknowledged, and nothing more comes', async () => {
    const socket = await openSocket(place.url)
    socket.send({ op: 'subscribe', topics: ['tickers', `orderbook:${SYMBOL}`] })
    await socket.next(snapshotOf('tickers'))
    socket.send({ op: 'unsubscribe', topics: ['tickers', 'marks'] })
    const ack = await socket.next(({ type }) => type === 'ack')
    expect(Object(ack).topics).toEqual(['tickers'])
    const count = socket.messages.filter(({ topic }) => topic === 'tickers').length
    socket.send({ op: 'ping' })
    await socket.next(({ type }) => type === 'pong')
    await Bun.sleep(1300)
    expect(socket.messages.filter(({ topic }) => topic === 'tickers')).toHaveLength(count)
    socket.close()
  })

  test('a violation is an error with a code; the third closes with 1008', async () => {
    const socket = await openSocket(place.url)
    socket.send('nonsense')
    socket.send({ op: 'subscribe', topics: [] })
    socket.send({ op: 'subscribe', topics: ['x'.repeat(5000)] })
    expect((await socket.closed).code).toBe(1008)
    const errors = socket.messages.filter(({ type }) => type === 'error')
    expect(
      errors.map(({ code, meta }) => [code, meta?.['parameter'] ?? meta?.['maxBytes']]),
    ).toEqual([
      ['invalid_request', 'message'],
      ['invalid_request', 'topics'],
      ['payload_too_large', 4096],
    ])
  })

  test('a stopped server says when to come back, and goes with 1001', async () => {
    const other = await openPlace(isLive)
    const socket = await openSocket(other.url)
    const events = openEvents(other.url, ['status'])
    await events.next(({ type }) => type === 'hello')
    await other.stop()
    expect((await socket.closed).code).toBe(1001)
    for (const client of [socket, events]) {
      const bye = await client.next(({ type }) => type === 'bye')
      expect(client.messages.at(-1)).toBe(bye)
      expect(Object(bye).retryAfterMs).toBeGreaterThanOrEqual(500)
    }
    events.close()
  })
})

describe('many who listen', () => {
  const venue = startScriptedVenue()
  let target: Target
  let url = ''
  beforeAll(async () => {
    target = await openTarget('compiled binary', {
      VENUE: venue.url,
      VENUE_STREAM: venue.streamUrl,
      STREAM_CLIENTS: '1000',
    })
    url = new URL((await target.fetch('/api/prep/config')).url).origin
  })
  afterAll(async () => {
    await target.stop()
    await venue.stop()
  })

  function from(number: number) {
    return { 'x-forwarded-for': `10.1.${number >> 8}.${number & 255}` }
  }

  test('a thousand of them are one subscription at the venue, and one more is refused', async () => {
    const clients: SocketClient[] = []
    for (let number = 0; number < 1000; number += 1) {
      clients.push(await openSocket(url, from(Math.floor(number / 20))))
    }
    for (const client of clients) client.send({ op: 'subscribe', topics: [`mark:${SYMBOL}`] })
    await Promise.all(clients.map((client) => client.next(snapshotOf(`mark:${SYMBOL}`))))
    venue.publish(`${SYMBOL}@markprice`, { symbol: SYMBOL, price: 4321.5 })
    const message = await Promise.all(
      clients.map((client) => client.next(({ data }) => data?.['mark_price'] === 4321.5)),
    )
    expect(new Set(message.map(({ seq }) => seq)).size).toBe(1)
    expect(venue.subscribed(`${SYMBOL}@markprice`)).toBe(1)
    expect(venue.sockets()).toBe(1)
    await expect(openSocket(url, from(999))).rejects.toThrow('429')
    for (const client of clients) client.socket.terminate()
  })

  test('the twenty-first connection of one address is refused, and another address is not', async () => {
    const clients: LiveClient[] = []
    for (let number = 0; number < 20; number += 1) clients.push(await openSocket(url, from(5000)))
    await expect(openSocket(url, from(5000))).rejects.toThrow('429')
    clients.push(await openSocket(url, from(5001)))
    for (const client of clients) client.close()
  })
})
