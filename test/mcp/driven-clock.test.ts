import { afterAll, beforeAll, expect, test } from 'bun:test'
import { KEY_LIFE_MS, openAccount } from '../../src/admin/account/open.ts'
import { openEmbeddedWorld, type ToolWorld } from './tool-world.ts'

const MINUTE_MS = 60_000
const RANDOM = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) }

/** The key of its account lives for an hour. */
let world: ToolWorld
beforeAll(async () => {
  world = await openEmbeddedWorld()
})
afterAll(() => world.stop())

const advance = (ms: number) => world.ops(`/venue/advance?ms=${ms}`, { method: 'POST' })

test('a key that a driven clock has outlived is refused by name, and one of a year goes on', async () => {
  const clock = { nowMs: Date.now }
  const yearly = await openAccount(world.client, { clock, random: RANDOM, keyLifeMs: KEY_LIFE_MS })
  await advance(59 * MINUTE_MS)
  await world.call('get_account')
  await advance(2 * MINUTE_MS)
  for (const tool of ['get_account', 'cancel_all_orders'])
    expect(await world.refused(tool)).toMatchObject({
      code: 'unauthorized',
      meta: {
        reason: 'key_expired',
        next: expect.stringContaining('the clock of this practice venue'),
      },
    })
  await world.call('get_account', {}, { credentials: yearly })
  const stranger = { ...yearly, accountId: world.credentials.accountId }
  const other = await world.refused('get_account', {}, { credentials: stranger })
  expect(other).toMatchObject({ code: 'unauthorized', meta: { reason: 'credentials' } })
})
