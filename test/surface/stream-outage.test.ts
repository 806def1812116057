import { afterAll, beforeAll, expect, test } from 'bun:test'
import { gapsIn, openEvents, openSocket, snapshotOf } from '../stream/clients.ts'
import { type ScriptedVenue, startScriptedVenue } from '../stream/scripted-venue.ts'
import { openTarget, type Target } from '../target.ts'

const SYMBOL = 'PERP_ETH_USDC'
const TOPICS = [`mark:${SYMBOL}`, `orderbook:${SYMBOL}`]

let venue: ScriptedVenue
let target: Target
let url = ''

beforeAll(async () => {
  venue = startScriptedVenue()
  target = await openTarget('compiled binary', { VENUE: venue.url, VENUE_STREAM: venue.streamUrl })
  url = new URL((await target.fetch('/api/prep/config')).url).origin
})
afterAll(async () => {
  await target.stop()
  await venue.stop()
})

test('a venue that is gone leaves its topics stale, and comes back with snapshots, to the same connections', async () => {
  const socket = await openSocket(url)
  socket.say({ op: 'subscribe', topics: TOPICS })
  const events = openEvents(url, TOPICS)
  for (const client of [socket, events]) {
    for (const topic of TOPICS) await client.next(snapshotOf(topic))
  }
  venue.setDown(true)
  venue.cut()
  for (const client of [socket, events]) {
    for (const topic of TOPICS) {
      const stale = await client.next((told) => told.topic === topic && told.type === 'stale')
      expect(Object(stale.data).ageMs).toBeGreaterThanOrEqual(10_000)
    }
  }
  venue.setDown(false)
  for (const client of [socket, events]) {
    for (const topic of TOPICS) {
      const [first] = client.messages.filter(snapshotOf(topic))
      const again = await client.next(
        (told) => snapshotOf(topic)(told) && told.epoch !== first?.epoch,
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
  const quiet = await openTarget('compiled binary', { VENUE: venue.url })
  for (const path of ['/api/prep/ws', '/api/prep/stream?topics=marks']) {
    const response = await quiet.fetch(path, { headers: { upgrade: 'websocket' } })
    const { code } = Object(await response.json())
    expect([response.status, code]).toEqual([503, 'not_configured'])
  }
  await quiet.stop()
})
