// Slow: a client falls behind by megabytes.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { gapsIn, openSocket, snapshotOf } from '../live/clients.ts'
import { type ScriptedVenue, startScriptedVenue } from '../live/scripted-venue.ts'
import { openTarget, type Target } from '../target.ts'

const TOPIC = 'liquidations'

/** More at once than the systems between take without being asked, and a megabyte. */
const ROWS = 12
const ROW_CHARS = 900_000

let venue: ScriptedVenue
let target: Target
beforeAll(async () => {
  venue = startScriptedVenue()
  target = await openTarget('compiled binary', {
    VENUE: venue.url,
    VENUE_STREAM: venue.streamUrl,
    OPS_LISTEN: '127.0.0.1:0',
  })
})
afterAll(async () => {
  await target.stop()
  await venue.stop()
})

function publishMuch(): void {
  for (let liquidationId = 1; liquidationId <= ROWS; liquidationId += 1) {
    const data = { liquidationId, note: 'x'.repeat(ROW_CHARS), positionsByPerp: [] }
    venue.publish('liquidation', [data])
  }
}

async function connections(): Promise<number> {
  const text = await (await target.ops('/metrics')).text()
  return Number(/prepd_stream_connections\{transport="socket"\} (\d+)/.exec(text)?.[1])
}

test('who reads again too late learns that it was too slow, after all that was sent before', async () => {
  const client = await openSocket((await target.listening()).public)
  client.send({ op: 'subscribe', topics: [TOPIC] })
  await client.next(snapshotOf(TOPIC))
  client.socket.pause()
  publishMuch()
  // At once when it is a megabyte behind; where a beat came between, so that it is less, after half a minute.
  for (let tries = 0; tries < 300 && (await connections()) > 0; tries += 1) await Bun.sleep(200)
  expect(await connections()).toBe(0)
  client.socket.resume()
  expect(await client.closed).toEqual({ code: 4408, reason: 'too slow' })
  expect(gapsIn(client.messages)).toEqual([])
}, 90_000)
