import { describe, expect, test } from 'bun:test'
import { wirePublicKey } from '../../src/core/crypto/signing.ts'
import { openVenueFixture } from './fixture.ts'
import { BROKER_ID, binding, publicGet, registration, secretOf, signed } from './trading-wallet.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const POSITIONS = { method: 'GET', path: '/v1/positions' } as const

describe('a venue whose clock is not the wall', () => {
  test('takes a signature that is fresh by either clock, and none that is fresh by neither', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const wallMs = fixture.nowMs()
    fixture.warp(3 * DAY_MS)
    const statusAt = async (timestampMs: number) =>
      (await fixture.send(signed(trader, { ...POSITIONS, timestampMs }))).status
    expect(await statusAt(wallMs)).toBe(200)
    expect(await statusAt(wallMs + 3 * DAY_MS)).toBe(200)
    expect(await statusAt(wallMs + DAY_MS)).toBe(401)
    expect(await statusAt(wallMs + 4 * DAY_MS)).toBe(401)
  })

  test('lets a key live as long by its own clock as was asked by the clock of the message', async () => {
    using fixture = openVenueFixture()
    const venueMs = fixture.nowMs() + 10 * DAY_MS
    fixture.warp(10 * DAY_MS)
    const trader = await fixture.trader('a', { keyLifeMs: 2 * DAY_MS })
    const { rows } = (await trader.get('/v1/client/key_info')).data
    expect(rows).toMatchObject([{ expiration: venueMs + 2 * DAY_MS, key_status: 'ACTIVE' }])
    fixture.warp(2 * DAY_MS - 1)
    expect((await trader.get('/v1/positions')).status).toBe(200)
    fixture.warp(1)
    expect(await trader.get('/v1/positions')).toMatchObject({ status: 401, code: -1002 })
  })

  // Slow: thirty days of a venue are simulated.
  test('takes keys of a hundred years, which outlive what commands move it, and none beyond', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a', { keyLifeMs: 36_500 * DAY_MS })
    fixture.warp(30 * DAY_MS)
    expect((await trader.get('/v1/positions')).status).toBe(200)
    const beyond = fixture.trader('b', { keyLifeMs: 36_500 * DAY_MS + 1 })
    await expect(beyond).rejects.toThrow('36500 days')
  })

  test('counts the life of a nonce by its own clock', async () => {
    using fixture = openVenueFixture()
    const nonceOf = async () =>
      (await fixture.send(publicGet('/v1/registration_nonce'))).data.registration_nonce
    const wallMs = fixture.nowMs()
    const [late, good] = [await nonceOf(), await nonceOf()]
    fixture.warp(2 * MINUTE_MS - 1)
    expect((await fixture.send(registration(secretOf('a'), good, wallMs))).status).toBe(200)
    fixture.warp(1)
    expect(await fixture.send(registration(secretOf('b'), late, wallMs))).toMatchObject({
      code: -1005,
    })
  })
})

describe('a key that is over', () => {
  const bind = (fixture: ReturnType<typeof openVenueFixture>, lifeMs: number) => {
    const wallMs = fixture.nowMs()
    const publicKey = wirePublicKey(secretOf('key a read,trading'))
    const terms = { publicKey, scope: 'read,trading', brokerId: BROKER_ID, wallMs }
    return fixture.send(binding(secretOf('wallet a'), { ...terms, expiresAtMs: wallMs + lifeMs }))
  }

  test('stays unusable when it is bound again, after a restart too', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a', { keyLifeMs: DAY_MS })
    fixture.sleep(DAY_MS)
    expect(await bind(fixture, DAY_MS)).toMatchObject({ status: 400, code: -1005 })
    fixture.restart()
    expect(await bind(fixture, DAY_MS)).toMatchObject({ status: 400, code: -1005 })
    expect(await trader.get('/v1/positions')).toMatchObject({ status: 401, code: -1002 })
  })

  test('may have been removed by another, and is then told as removed', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const other = await fixture.trader('a', { scope: 'read,trading,asset' })
    const remove = { orderly_key: trader.publicKey }
    expect((await trader.post('/v1/client/remove_orderly_key', {})).code).toBe(-1005)
    expect((await other.post('/v1/client/remove_orderly_key', remove)).status).toBe(200)
    expect(await other.post('/v1/client/remove_orderly_key', remove)).toMatchObject({ code: -1006 })
    expect(await trader.get('/v1/positions')).toMatchObject({ status: 401, code: -1002 })
    expect((await other.get('/v1/positions')).status).toBe(200)
    const { rows } = (await other.get('/v1/client/key_info?key_status=REMOVED')).data
    expect(rows).toMatchObject([{ orderly_key: trader.publicKey }])
    fixture.restart()
    expect(await bind(fixture, DAY_MS)).toMatchObject({ status: 400, code: -1005 })
  })

  test('is not removed by a key that may only read', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const reader = await fixture.trader('a', { scope: 'read' })
    const answer = await reader.post('/v1/client/remove_orderly_key', {
      orderly_key: trader.publicKey,
    })
    expect(answer).toMatchObject({ status: 401, code: -1002 })
    expect((await trader.get('/v1/positions')).status).toBe(200)
  })
})
