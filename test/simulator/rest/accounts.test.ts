import { describe, expect, test } from 'bun:test'
import { wirePublicKey } from '../../../src/core/crypto/signing.ts'
import { toWalletAddress } from '../../../src/core/crypto/wallet-signature.ts'
import type { VenueRequest } from '../../../src/simulator/messages/message.ts'
import { openVenueFixture, type VenueFixture } from '../fixture.ts'
import { BROKER_ID, binding, publicGet, registration, secretOf } from '../trading-wallet.ts'

const WALLET = secretOf('wallet')
const ADDRESS = toWalletAddress(WALLET)
const KEY = wirePublicKey(secretOf('key'))
const YEAR_MS = 365 * 86_400_000

async function nonceOf(fixture: VenueFixture): Promise<string> {
  return (await fixture.send(publicGet('/v1/registration_nonce'))).data.registration_nonce
}

async function register(fixture: VenueFixture) {
  return fixture.send(registration(WALLET, await nonceOf(fixture), fixture.nowMs()))
}

function bindingOf(
  fixture: VenueFixture,
  change: Partial<Parameters<typeof binding>[1]> = {},
): VenueRequest {
  return binding(WALLET, {
    publicKey: KEY,
    scope: 'read,trading',
    brokerId: BROKER_ID,
    wallMs: fixture.nowMs(),
    expiresAtMs: fixture.nowMs() + YEAR_MS,
    ...change,
  })
}

/** A request whose body an attacker has changed after it was signed. */
function altered(request: VenueRequest, change: (body: string) => string): VenueRequest {
  return { ...request, body: change(request.body ?? '') }
}

function find(fixture: VenueFixture) {
  return fixture.send(publicGet(`/v1/get_account?address=${ADDRESS}&broker_id=${BROKER_ID}`))
}

describe('registration', () => {
  test('a nonce is twelve digits and never the same', async () => {
    using fixture = openVenueFixture()
    const nonces = [await nonceOf(fixture), await nonceOf(fixture), await nonceOf(fixture)]
    for (const nonce of nonces) expect(nonce).toMatch(/^[1-9]\d{11}$/)
    expect(new Set(nonces).size).toBe(3)
  })

  test('the account has the derived id and the faucet as its balance and its deposit', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('hardhat')
    expect((await trader.get('/v1/client/holding')).data.holding[0].holding).toBe(10_000)
    const { rows } = (await trader.get('/v1/asset/history')).data
    expect(rows).toMatchObject([
      { side: 'DEPOSIT', token: 'USDC', amount: 10_000, trans_status: 'COMPLETED' },
    ])
  })

  test('a registered wallet is told so, and keeps one account', async () => {
    using fixture = openVenueFixture()
    const first = await register(fixture)
    expect(first.status).toBe(200)
    expect(await register(fixture)).toMatchObject({ status: 400, code: -1604 })
    expect((await find(fixture)).data).toEqual(first.data)
    const all = await fixture.send(publicGet(`/v1/get_all_accounts?address=${ADDRESS}`))
    expect(all.data.rows).toHaveLength(1)
  })

  test('a wallet has one account a broker', async () => {
    using fixture = openVenueFixture()
    await fixture.trader('a')
    const { accountId, address } = await fixture.trader('a', { brokerId: 'other' })
    const brokers = await fixture.send(publicGet(`/v1/get_broker?address=${address}`))
    expect(brokers.data).toEqual({ broker_id: [BROKER_ID, 'other'] })
    const owner = await fixture.send(publicGet(`/v1/public/account?account_id=${accountId}`))
    expect(owner.data).toEqual({ address, broker_id: 'other' })
  })

  test('a nonce is spent once and dies after two minutes', async () => {
    using fixture = openVenueFixture()
    const nonce = await nonceOf(fixture)
    const late = await nonceOf(fixture)
    expect((await fixture.send(registration(WALLET, nonce, fixture.nowMs()))).status).toBe(200)
    const again = registration(secretOf('second wallet'), nonce, fixture.nowMs())
    expect(await fixture.send(again)).toMatchObject({ status: 400, code: -1005 })
    fixture.sleep(120_000)
    const stale = registration(secretOf('third wallet'), late, fixture.nowMs())
    expect(await fixture.send(stale)).toMatchObject({ status: 400, code: -1005 })
  })

  test('a nonce survives a restart unspent', async () => {
    using fixture = openVenueFixture()
    const nonce = await nonceOf(fixture)
    fixture.restart()
    expect((await fixture.send(registration(WALLET, nonce, fixture.nowMs()))).status).toBe(200)
    fixture.restart()
    const again = registration(secretOf('second wallet'), nonce, fixture.nowMs())
    expect(await fixture.send(again)).toMatchObject({ code: -1005 })
  })

  test.each([
    { name: 'another broker', from: '"demo"', to: '"evil"', code: 9 },
    { name: 'another chain', from: '421614', to: '421613', code: 9 },
    { name: 'a chain that is no integer', from: '421614', to: '421614.5', code: -1005 },
    { name: 'no message', from: '"message"', to: '"massage"', code: -1005 },
    {
      name: 'another chain type',
      from: '"brokerId"',
      to: '"chainType":"SOL","brokerId"',
      code: -1005,
    },
  ])('a message with $name is refused and leaves no account', async ({ from, to, code }) => {
    using fixture = openVenueFixture()
    const good = registration(WALLET, await nonceOf(fixture), fixture.nowMs())
    const answer = await fixture.send(altered(good, (body) => body.replace(from, to)))
    expect(answer).toMatchObject({ status: 400, code })
    expect(await find(fixture)).toMatchObject({ status: 400, code: -1607 })
  })

  test('a message five minutes and a millisecond old is refused', async () => {
    using fixture = openVenueFixture()
    const stale = registration(WALLET, await nonceOf(fixture), fixture.nowMs() - 300_001)
    expect(await fixture.send(stale)).toMatchObject({ status: 400, code: -1005 })
    expect((await find(fixture)).code).toBe(-1607)
  })
})

describe('key binding', () => {
  test('a bound key is told with its scope and expiration', async () => {
    using fixture = openVenueFixture()
    const { data } = await register(fixture)
    const bound = await fixture.send(bindingOf(fixture))
    expect(bound.data).toEqual({ id: expect.any(Number), orderly_key: KEY })
    const read = await fixture.send(
      publicGet(`/v1/get_orderly_key?account_id=${data.account_id}&orderly_key=${KEY}`),
    )
    expect(read.data).toEqual({
      orderly_key: KEY,
      scope: 'read,trading',
      expiration: fixture.nowMs() + YEAR_MS,
      tag: null,
      key_status: 'ACTIVE',
    })
  })

  test('a wallet without an account binds nothing', async () => {
    using fixture = openVenueFixture()
    expect(await fixture.send(bindingOf(fixture))).toMatchObject({ status: 400, code: -1607 })
  })

  test.each([
    { name: 'expiration in the past', change: { expiresAtMs: 1 } },
    { name: 'expiration beyond what a virtual clock allows', lifeMs: 100 * YEAR_MS + 1 },
    { name: 'scope nobody knows', change: { scope: 'read,withdraw' } },
    { name: 'scope given twice', change: { scope: 'read,read' } },
    { name: 'key of another curve', change: { publicKey: 'secp256k1:abc' } },
    { name: 'key that is too short', change: { publicKey: 'ed25519:abc' } },
  ])('a binding with an $name is refused', async ({ change, lifeMs }) => {
    using fixture = openVenueFixture()
    const { data } = await register(fixture)
    const life = lifeMs === undefined ? {} : { expiresAtMs: fixture.nowMs() + lifeMs }
    const answer = await fixture.send(bindingOf(fixture, { ...change, ...life }))
    expect(answer).toMatchObject({ status: 400, code: -1005 })
    const key = change?.publicKey ?? KEY
    const read = await fixture.send(
      publicGet(`/v1/get_orderly_key?account_id=${data.account_id}&orderly_key=${key}`),
    )
    expect(read).toMatchObject({ status: 400, code: -1006 })
  })

  // Slow: two hundred keys are bound, each with the signature of a wallet.
  test('an account has at most 200 keys; one more is refused until one of them is dead', async () => {
    using fixture = openVenueFixture()
    await register(fixture)
    const bind = async (name: string, lifeMs: number) => {
      const publicKey = wirePublicKey(secretOf(name))
      const answer = await fixture.send(
        bindingOf(fixture, { publicKey, expiresAtMs: fixture.nowMs() + lifeMs }),
      )
      return answer.status
    }
    const stored = () => [...fixture.store().load('key')].length
    expect(await bind('short', 60_000)).toBe(200)
    for (let count = 1; count < 200; count++) expect(await bind(`key ${count}`, YEAR_MS)).toBe(200)
    expect(await bind('one more', YEAR_MS)).toBe(400)
    expect(stored()).toBe(200)
    fixture.sleep(60_000)
    expect(await bind('one more', YEAR_MS)).toBe(200)
    expect(stored()).toBe(201)
  })

  test('a key that has expired cannot be bound again, nor by a restart; another one can', async () => {
    using fixture = openVenueFixture()
    await register(fixture)
    const bind = (name: string) =>
      fixture.send(
        bindingOf(fixture, {
          publicKey: wirePublicKey(secretOf(name)),
          expiresAtMs: fixture.nowMs() + 60_000,
        }),
      )
    expect((await bind('short')).status).toBe(200)
    expect((await bind('short')).status).toBe(200)
    fixture.sleep(60_000)
    expect(await bind('short')).toMatchObject({ status: 400, code: -1005 })
    fixture.restart()
    expect(await bind('short')).toMatchObject({ status: 400, code: -1005 })
    expect((await bind('another')).status).toBe(200)
  })

  test('a binding whose scope was widened after signing is another wallet’s', async () => {
    using fixture = openVenueFixture()
    await register(fixture)
    const widened = altered(bindingOf(fixture), (body) =>
      body.replace('read,trading', 'read,asset'),
    )
    expect(await fixture.send(widened)).toMatchObject({ status: 400, code: 9 })
  })
})
