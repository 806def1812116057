import { describe, expect, test } from 'bun:test'
import { envelope, newCaller } from '../caller.ts'
import { USUAL_KINDS } from '../target.ts'
import { relayFixture } from './relay-fixture.ts'

const caller = newCaller()
const ORDER = { method: 'POST', path: '/v1/order', body: '{"symbol":"PERP_ETH_USDC"}' } as const
const GET = { method: 'GET', path: '/v1/positions' } as const

/** The identity point: every signature by it over anything "verifies" under lax rules. */
const IDENTITY_KEY = 'ed25519:4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM'

type Auth = ReturnType<typeof envelope>['auth']

/** What is done to a well-made envelope, and what must come of it. */
const TAMPERED: readonly [string, (auth: Auth) => object, string, string?][] = [
  [
    'signed over another body',
    () => ({ ...envelope(caller, { ...ORDER, body: '{}' }).auth }),
    'invalid_signature',
  ],
  [
    'signed by another key',
    () => ({ ...envelope(newCaller(), ORDER).auth, key: caller.key }),
    'invalid_signature',
  ],
  [
    'with a padded signature',
    (auth) => ({ ...auth, signature: `${auth.signature}==` }),
    'invalid_request',
    'auth.signature',
  ],
  [
    'with a plain base64 signature',
    (auth) => ({ ...auth, signature: `${auth.signature.slice(0, -2)}+/` }),
    'invalid_request',
    'auth.signature',
  ],
  [
    'with a short signature',
    (auth) => ({ ...auth, signature: auth.signature.slice(0, 40) }),
    'invalid_request',
    'auth.signature',
  ],
  [
    'with a signature of 257 characters',
    (auth) => ({ ...auth, signature: 'a'.repeat(257) }),
    'invalid_request',
    'auth.signature',
  ],
  [
    'with a bare base58 key',
    (auth) => ({ ...auth, key: auth.key.slice(8) }),
    'invalid_request',
    'auth.key',
  ],
  [
    'with a key off the alphabet',
    (auth) => ({ ...auth, key: `ed25519:${'0'.repeat(43)}` }),
    'invalid_request',
    'auth.key',
  ],
  [
    'with the identity as key',
    (auth) => ({ ...auth, key: IDENTITY_KEY }),
    'invalid_request',
    'auth.key',
  ],
  [
    'with a key of 129 characters',
    (auth) => ({ ...auth, key: `ed25519:${'1'.repeat(121)}` }),
    'invalid_request',
    'auth.key',
  ],
  [
    'with a short account id',
    (auth) => ({ ...auth, accountId: auth.accountId.slice(0, 64) }),
    'invalid_request',
    'auth.accountId',
  ],
  [
    'with a numeric timestamp',
    (auth) => ({ ...auth, timestamp: Number(auth.timestamp) }),
    'invalid_request',
    'auth.timestamp',
  ],
  [
    'with a timestamp of nine digits',
    (auth) => ({ ...auth, timestamp: '170000000' }),
    'invalid_request',
    'auth.timestamp',
  ],
  [
    'with another time than was signed',
    (auth) => ({ ...auth, timestamp: String(Number(auth.timestamp) - 1) }),
    'invalid_signature',
  ],
]

describe.each([...USUAL_KINDS])('what the relay refuses, %s', (kind) => {
  const { post, relay, sent, fetch, log } = relayFixture(kind, { caller })

  test('a signature older than five minutes is expired, and nothing is sent', async () => {
    const response = await relay({ ...ORDER, timestamp: String(Date.now() - 300_500) })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ code: 'expired_signature' })
    expect(sent()).toEqual([])
  })

  test('a signature almost five minutes old is forwarded', async () => {
    expect((await relay({ ...GET, timestamp: String(Date.now() - 295_000) })).status).toBe(200)
    expect(sent()).toHaveLength(1)
  })

  test('a write that was signed before the store began is unknown, and nothing is sent', async () => {
    const response = await relay({ ...ORDER, timestamp: String(Date.now() - 295_000) })
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({ code: 'outcome_unknown' })
    expect(sent()).toEqual([])
  })

  test('a signature from the future names its timestamp, and nothing is sent', async () => {
    const response = await relay({ ...ORDER, timestamp: String(Date.now() + 305_000) })
    expect(await response.json()).toMatchObject({
      code: 'invalid_request',
      meta: { parameter: 'auth.timestamp' },
    })
    expect(sent()).toEqual([])
  })

  test.each(TAMPERED.map(([what, tamper, code, parameter]) => ({ what, tamper, code, parameter })))(
    'an order $what is refused, and nothing is sent',
    async ({ tamper, code, parameter }) => {
      const good = envelope(caller, ORDER)
      const response = await post({ ...good, auth: tamper(good.auth) })
      expect(await response.json()).toMatchObject({
        code,
        ...(parameter && { meta: { parameter } }),
      })
      expect(sent()).toEqual([])
    },
  )

  test.each([
    ['a GET with a body', { ...GET, body: '{}' }, 'body'],
    ['a body with a lone surrogate', { ...ORDER, body: '"\ud800"' }, 'body'],
  ] as const)('%s is refused, and nothing is sent', async (_what, call, parameter) => {
    const response = await relay(call)
    expect(await response.json()).toMatchObject({ code: 'invalid_request', meta: { parameter } })
    expect(sent()).toEqual([])
  })

  test.each(['', null])('a body of %p is no body', async (body) => {
    const signed = envelope(caller, GET)
    expect((await post({ ...signed, body })).status).toBe(200)
    expect(sent().map(({ text }) => text)).toEqual([''])
  })

  test.each([
    ['no JSON', '{', 'body'],
    ['an array', '[]', 'body'],
    ['no auth', JSON.stringify({ method: 'GET', path: '/v1/positions' }), 'auth'],
    ['a body that is an object', JSON.stringify({ ...envelope(caller, ORDER), body: {} }), 'body'],
    [
      'a method of its own',
      JSON.stringify({ ...envelope(caller, ORDER), method: 'PATCH' }),
      'method',
    ],
    [
      'a lower-case method',
      JSON.stringify({ ...envelope(caller, ORDER), method: 'post' }),
      'method',
    ],
    [
      'a path of 513 characters',
      JSON.stringify({ ...envelope(caller, GET), path: `/v1/orders?a=${'b'.repeat(500)}` }),
      'path',
    ],
  ])(
    'an envelope with %s names what is wrong, and nothing is sent',
    async (_what, body, parameter) => {
      const response = await post(body)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ code: 'invalid_request', meta: { parameter } })
      expect(sent()).toEqual([])
    },
  )

  test('an envelope of exactly 256 KiB is read', async () => {
    expect((await post(JSON.stringify(envelope(caller, ORDER)).padEnd(262_144))).status).toBe(200)
    expect(sent()).toHaveLength(1)
  })

  test('one of a byte more is too large, and one of another type is not read', async () => {
    const large = await post(JSON.stringify(envelope(caller, ORDER)).padEnd(262_145))
    expect(large.status).toBe(413)
    expect(await large.json()).toMatchObject({ code: 'payload_too_large' })
    const typed = await fetch('/api/prep/relay', {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'text/plain' },
    })
    expect(typed.status).toBe(415)
    expect(await typed.json()).toMatchObject({ code: 'unsupported_media_type' })
    expect(sent()).toEqual([])
  })

  test('no secret of a refused request is in the log', () => {
    expect(log()).not.toContain(caller.key)
    expect(log()).not.toContain('PERP_ETH_USDC')
  })
})
