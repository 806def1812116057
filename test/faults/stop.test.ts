import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'
import { startRememberingVenue } from './remembering-venue.ts'
import { UNLIMITED } from './unlimited.ts'

const CLIENTS = 24
const VENUE_DELAY_MS = 120

test('stopped under load, it answers every write that the venue has met, and ends well', async () => {
  using folder = temporaryFolder()
  const venue = await startRememberingVenue(() => VENUE_DELAY_MS)
  const prepd = spawnPrepd({
    settings: { VENUE: venue.url, DATA_DIR: join(folder.path, 'data'), ...UNLIMITED },
  })
  const url = await prepd.url()
  const caller = newCaller()
  const answered: string[] = []
  let count = 0

  async function client(): Promise<void> {
    for (;;) {
      count += 1
      const id = `w${count}`
      const body = JSON.stringify({ client_order_id: id })
      const signed = envelope(caller, { method: 'POST', path: '/v1/order', body })
      const response = await fetch(`${url}/api/prep/relay`, jsonPost(signed)).catch(() => null)
      if (response?.status !== 200) return
      await response.text()
      answered.push(id)
    }
  }

  const clients = Array.from({ length: CLIENTS }, client)
  while (answered.length < 3 * CLIENTS) await Bun.sleep(5)
  prepd.kill('SIGTERM')
  await Promise.all(clients)
  const { code, stderr } = await prepd.ended()
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect([...venue.orders.keys()].sort()).toEqual(answered.sort())
  expect(new Set(venue.orders.values())).toEqual(new Set([1]))
  await venue.stop()
})
