import { describe, expect, test } from 'bun:test'
import type { Log } from '../../src/core/ports.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { createEmbeddedVenue, type EmbeddedVenue } from '../../src/venue/embedded.ts'
import { publicGet, registration, secretOf } from './trading-wallet.ts'

const WALL_MS = 1_750_000_000_000
const MINUTE_MS = 60_000
const ignore = () => undefined
const LOG: Log = { error: ignore, warn: ignore, info: ignore, debug: ignore }

/** A venue of virtual time on a store in memory. */
function open(seed = 1) {
  const { entities } = openSqlite(':memory:', 0)
  const parts = {
    seed,
    pricesCsv: null,
    time: 'virtual',
    faucet: 10_000_000_000n,
    wallClock: { nowMs: () => WALL_MS },
    startMs: Date.UTC(2026, 0, 1),
    monotonicMs: () => 0,
    log: LOG,
    entities,
  } as const
  const venue = createEmbeddedVenue(parts)
  const requests = () => [...entities.load('engine-request')].length
  return { venue, requests, reopened: () => createEmbeddedVenue(parts) }
}

async function register({ answer }: EmbeddedVenue, wallet: string): Promise<number> {
  const { body } = await answer(publicGet('/v1/registration_nonce'))
  const { registration_nonce: nonce } = JSON.parse(body).data
  return (await answer(registration(secretOf(wallet), nonce, WALL_MS))).status
}

function pass({ time, advance }: EmbeddedVenue, minutes: number, steps: number): void {
  for (let step = 0; step < steps; step++) {
    time.advance?.((minutes * MINUTE_MS) / steps)
    advance()
  }
}

describe('the embedded venue', () => {
  test('notes a new account and its deposit with the request that made them, and nothing before', async () => {
    const { venue, requests } = open()
    pass(venue, 1, 1)
    await venue.answer(publicGet('/v1/public/system_info'))
    expect(requests()).toBe(0)
    expect(await register(venue, 'a')).toBe(200)
    expect(requests()).toBe(2)
  })

  test('is the same world however far time steps, read or unread, restarted or not', async () => {
    const [still, busy, other] = [open(), open(), open(2)]
    for (const { venue } of [still, busy, other]) expect(await register(venue, 'a')).toBe(200)
    pass(still.venue, 30, 1)
    pass(busy.venue, 15, 45)
    await busy.venue.answer(publicGet('/v1/public/futures'))
    const again = busy.reopened()
    await again.answer(publicGet('/v1/public/market_info/price_changes'))
    pass(again, 15, 3)
    const { hash, broken } = await still.venue.check()
    expect(broken).toEqual([])
    expect(await again.check()).toEqual(await still.venue.check())
    pass(other.venue, 30, 1)
    expect((await other.venue.check()).hash).not.toBe(hash)
  }, 20_000)
})
