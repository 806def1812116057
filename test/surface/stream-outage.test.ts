// Slow: a feed waits a moment before it connects again.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { STREAM_LIMITS } from '../../src/contract/stream/limits.ts'
import { gapsIn, openEvents, openSocket, snapshotOf } from '../live/clients.ts'
import { type ScriptedVenue, startScriptedVenue } from '../live/scripted-venue.ts'
import { type ClockedTarget, openClocked } from './clocked-target.ts'

const SYMBOL = 'PERP_ETH_USDC'
const TOPICS = [`mark:${SYMBOL}`, `orderbook:${SYMBOL}`]

let venue: ScriptedVenue
let target: ClockedTarget
let url = ''

beforeAll(async () => {
  venue = startScriptedVenue()
  target = await openClocked({ VENUE: venue.url, VENUE_STREAM: venue.streamUrl })
  url = (await target.listening()).public
})
afterAll(async () => {
  await target.stop()
  await venue.stop()
})

const MALFORMED = [
  '{"event":"subscribe","id":{"toString":1}}',
  `{"topic":"${SYMBOL}@orderbookupdate","ts":{"toString":1},"data":{}}`,
  'no JSON',
]
const MALFORMED_BOOK = {
  topic: `${SYMBOL}@orderbookupdate`,
  ts: 9e12,
  data: { asks: [[{ toString: 1 }, 1]], bids: [] },
}

test('malformed messages of the venue are counted, and cost no more than their topic a moment', async () => {
  const socket = await openSocket(url)
  socket.send({ op: 'subscribe', topics: TOPICS })
  for (const topic of TOPICS) await socket.next(snapshotOf(topic))
  for (const text of MALFORMED) venue.send(text)
  venue.send(JSON.stringify(MALFORMED_BOOK))
  const [, book = ''] = TOPICS
  const [first] = socket.messages.filter(snapshotOf(book))
  await socket.next((message) => snapshotOf(book)(message) && message.epoch !== first?.epoch)
  venue.publish(`${SYMBOL}@markprice`, { symbol: SYMBOL, price: 4321.5 })
  await socket.next(({ data }) => data?.['mark_price'] === 4321.5)
  const marks = socket.messages.filter(({ topic }) => topic === TOPICS[0])
  expect(new Set(marks.map(({ epoch }) => epoch)).size).toBe(1)
  const metrics = await (await target.ops('/metrics')).text()
  expect(metrics).toContain(`prepd_venue_malformed_messages_total ${MALFORMED.length}\n`)
  expect(metrics).toContain('prepd_stream_resets_total{topic="orderbook",cause="malformed"} 1\n')
  expect(metrics).toContain('prepd_stream_resets_total{topic="mark",cause="malformed"} 0\n')
  socket.close()
})

test('a venue that is gone leaves its topics stale, and comes back with snapshots, to the same connections', async () => {
  const socket = await openSocket(url)
  socket.send({ op: 'subscribe', topics: TOPICS })
  const events = openEvents(url, TOPICS)
  for (const client of [socket, events]) {
    for (const topic of TOPICS) await client.next(snapshotOf(topic))
  }
  venue.setDown(true)
  venue.cut()
  // Its clock moves on until the lost connection has been seen.
  while (!events.messages.some(({ type }) => type === 'stale')) {
    target.advance(STREAM_LIMITS.staleMs)
    await Bun.sleep(50)
  }
  for (const client of [socket, events]) {
    for (const topic of TOPICS) {
      const stale = await client.next(
        (message) => message.topic === topic && message.type === 'stale',
      )
      expect(Object(stale.data).ageMs).toBeGreaterThanOrEqual(10_000)
    }
  }
  venue.setDown(false)
  for (const client of [socket, events]) {
    for (const topic of TOPICS) {
      const [first] = client.messages.filter(snapshotOf(topic))
      const again = await client.next(
        (message) => snapshotOf(topic)(message) && message.epoch !== first?.epoch,
      )
      expect(again.seq).toBe(1)
    }
    expect(client.messages.filter(({ type }) => type === 'hello')).toHaveLength(1)
    expect(gapsIn(client.messages)).toEqual([])
  }
  expect(venue.subscribed(`${SYMBOL}@markprice`)).toBe(2)
  socket.close()
  events.close()
})

test('reads by request go on while a topic waits for the venue’s wire', async () => {
  venue.cut()
  const response = await target.fetch(`/api/prep/orderbook?symbol=${SYMBOL}`)
  expect(response.status).toBe(200)
})

test('where live data is off both routes say so, and where it is not asked for nothing is opened', async () => {
  const quiet = await openClocked({ VENUE: venue.url })
  for (const path of ['/api/prep/ws', '/api/prep/stream?topics=marks']) {
    const response = await quiet.fetch(path, { headers: { upgrade: 'websocket' } })
    const { code } = Object(await response.json())
    expect([response.status, code]).toEqual([503, 'not_configured'])
  }
  await quiet.stop()
})
