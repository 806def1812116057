import { describe, expect, test } from 'bun:test'
import type { EmbeddedVenue } from '../../src/simulator/embedded.ts'
import { openVirtual as open, pass, WALL_MS } from './embedded-fixture.ts'
import { publicGet, registration, secretOf } from './trading-wallet.ts'

const MINUTE_MS = 60_000

async function register({ answer }: EmbeddedVenue, wallet: string): Promise<number> {
  const { body } = await answer(publicGet('/v1/registration_nonce'))
  const { registration_nonce: nonce } = JSON.parse(body).data
  return (await answer(registration(secretOf(wallet), nonce, WALL_MS))).status
}

describe('the embedded venue', () => {
  test('notes a new account and its deposit with the request that made them, and nothing before', async () => {
    const { venue, requests } = open()
    pass(venue, 1 * MINUTE_MS, 1)
    await venue.answer(publicGet('/v1/public/system_info'))
    expect(requests()).toBe(0)
    expect(await register(venue, 'a')).toBe(200)
    expect(requests()).toBe(2)
  })

  // Slow: the same hours are simulated in several ways.
  test('is the same world however far time steps, read or unread, restarted or not', async () => {
    const [still, busy, other] = [open(), open(), open(2)]
    for (const { venue } of [still, busy, other]) expect(await register(venue, 'a')).toBe(200)
    pass(still.venue, 30 * MINUTE_MS, 1)
    pass(busy.venue, 15 * MINUTE_MS, 45)
    await busy.venue.answer(publicGet('/v1/public/futures'))
    const again = busy.reopened()
    await again.answer(publicGet('/v1/public/market_info/price_changes'))
    pass(again, 15 * MINUTE_MS, 3)
    const { hash, broken } = await still.venue.check()
    expect(broken).toEqual([])
    expect(await again.check()).toEqual(await still.venue.check())
    pass(other.venue, 30 * MINUTE_MS, 1)
    expect((await other.venue.check()).hash).not.toBe(hash)
  })
})
