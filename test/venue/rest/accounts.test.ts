import { describe, expect, test } from 'bun:test'
import { publicKeyOf } from '../../../src/crypto/signing.ts'
import { walletAddressOf } from '../../../src/crypto/wallet-signature.ts'
import type { VenueRequest } from '../../../src/venue/messages/message.ts'
import { type Desk, openDesk } from '../trading-desk.ts'
import { BROKER_ID, binding, publicGet, registration, secretOf } from '../trading-wallet.ts'

const WALLET = secretOf('wallet')
const ADDRESS = walletAddressOf(WALLET)
const KEY = publicKeyOf(secretOf('key'))
const YEAR_MS = 365 * 86_400_000

async function nonceOf(desk: Desk): Promise<string> {
  return (await desk.send(publicGet('/v1/registration_nonce'))).data.registration_nonce
}

async function register(desk: Desk) {
  return desk.send(registration(WALLET, await nonceOf(desk), desk.nowMs()))
}

function bindingOf(desk: Desk, change: Partial<Parameters<typeof binding>[1]> = {}): VenueRequest {
  return binding(WALLET, {
    publicKey: KEY,
    scope: 'read,trading',
    brokerId: BROKER_ID,
    wallMs: desk.nowMs(),
    expiresAtMs: desk.nowMs() + YEAR_MS,
    ...change,
  })
}

/** A request whose body an attacker has changed after it was signed. */
function altered(request: VenueRequest, change: (body: string) => string): VenueRequest {
  return { ...request, body: change(request.body ?? '') }
}

function find(desk: Desk) {
  return desk.send(publicGet(`/v1/get_account?address=${ADDRESS}&broker_id=${BROKER_ID}`))
}

describe('registration', () => {
  test('a nonce is twelve digits and never the same', async () => {
    using desk = openDesk()
    const nonces = [await nonceOf(desk), await nonceOf(desk), await nonceOf(desk)]
    for (const nonce of nonces) expect(nonce).toMatch(/^[1-9]\d{11}$/)
    expect(new Set(nonces).size).toBe(3)
  })

  test('the account has the derived id and the faucet as its balance and its deposit', async () => {
    using desk = openDesk()
    const trader = await desk.trader('hardhat')
    expect((await trader.get('/v1/client/holding')).data.holding[0].holding).toBe(10_000)
    const { rows } = (await trader.get('/v1/asset/history')).data
    expect(rows).toMatchObject([
      { side: 'DEPOSIT', token: 'USDC', amount: 10_000, trans_status: 'COMPLETED' },
    ])
  })

  test('a registered wallet is told so, and keeps one account', async () => {
    using desk = openDesk()
    const first = await register(desk)
    expect(first.status).toBe(200)
    expect(await register(desk)).toMatchObject({ status: 400, code: -1604 })
    expect((await find(desk)).data).toEqual(first.data)
    const all = await desk.send(publicGet(`/v1/get_all_accounts?address=${ADDRESS}`))
    expect(all.data.rows).toHaveLength(1)
  })

  test('a wallet has one account a broker', async () => {
    using desk = openDesk()
    await desk.trader('a')
    const { accountId, address } = await desk.trader('a', { brokerId: 'other' })
    const brokers = await desk.send(publicGet(`/v1/get_broker?address=${address}`))
    expect(brokers.data).toEqual({ broker_id: [BROKER_ID, 'other'] })
    const owner = await desk.send(publicGet(`/v1/public/account?account_id=${accountId}`))
    expect(owner.data).toEqual({ address, broker_id: 'other' })
  })

  test('a nonce is spent once and dies after two minutes', async () => {
    using desk = openDesk()
    const nonce = await nonceOf(desk)
    const late = await nonceOf(desk)
    expect((await desk.send(registration(WALLET, nonce, desk.nowMs()))).status).toBe(200)
    const again = registration(secretOf('second wallet'), nonce, desk.nowMs())
    expect(await desk.send(again)).toMatchObject({ status: 400, code: -1005 })
    desk.sleep(120_000)
    const stale = registration(secretOf('third wallet'), late, desk.nowMs())
    expect(await desk.send(stale)).toMatchObject({ status: 400, code: -1005 })
  })

  test('a nonce survives a restart unspent', async () => {
    using desk = openDesk()
    const nonce = await nonceOf(desk)
    desk.restart()
    expect((await desk.send(registration(WALLET, nonce, desk.nowMs()))).status).toBe(200)
    desk.restart()
    const again = registration(secretOf('second wallet'), nonce, desk.nowMs())
    expect(await desk.send(again)).toMatchObject({ code: -1005 })
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
    using desk = openDesk()
    const good = registration(WALLET, await nonceOf(desk), desk.nowMs())
    const answer = await desk.send(altered(good, (body) => body.replace(from, to)))
    expect(answer).toMatchObject({ status: 400, code })
    expect(await find(desk)).toMatchObject({ status: 400, code: -1607 })
  })

  test('a message five minutes and a millisecond old is refused', async () => {
    using desk = openDesk()
    const stale = registration(WALLET, await nonceOf(desk), desk.nowMs() - 300_001)
    expect(await desk.send(stale)).toMatchObject({ status: 400, code: -1005 })
    expect((await find(desk)).code).toBe(-1607)
  })
})

describe('key binding', () => {
  test('a bound key is told with its scope and expiration', async () => {
    using desk = openDesk()
    const { data } = await register(desk)
    const bound = await desk.send(bindingOf(desk))
    expect(bound.data).toEqual({ id: expect.any(Number), orderly_key: KEY })
    const read = await desk.send(
      publicGet(`/v1/get_orderly_key?account_id=${data.account_id}&orderly_key=${KEY}`),
    )
    expect(read.data).toEqual({
      orderly_key: KEY,
      scope: 'read,trading',
      expiration: desk.nowMs() + YEAR_MS,
      tag: null,
      key_status: 'ACTIVE',
    })
  })

  test('a wallet without an account binds nothing', async () => {
    using desk = openDesk()
    expect(await desk.send(bindingOf(desk))).toMatchObject({ status: 400, code: -1607 })
  })

  test.each([
    { name: 'expiration in the past', change: { expiresAtMs: 1 } },
    { name: 'expiration beyond a year', lifeMs: YEAR_MS + 1 },
    { name: 'scope nobody knows', change: { scope: 'read,withdraw' } },
    { name: 'scope given twice', change: { scope: 'read,read' } },
    { name: 'key of another curve', change: { publicKey: 'secp256k1:abc' } },
    { name: 'key that is too short', change: { publicKey: 'ed25519:abc' } },
  ])('a binding with an $name is refused', async ({ change, lifeMs }) => {
    using desk = openDesk()
    const { data } = await register(desk)
    const life = lifeMs === undefined ? {} : { expiresAtMs: desk.nowMs() + lifeMs }
    const answer = await desk.send(bindingOf(desk, { ...change, ...life }))
    expect(answer).toMatchObject({ status: 400, code: -1005 })
    const key = change?.publicKey ?? KEY
    const read = await desk.send(
      publicGet(`/v1/get_orderly_key?account_id=${data.account_id}&orderly_key=${key}`),
    )
    expect(read).toMatchObject({ status: 400, code: -1006 })
  })

  test('an account has at most 200 keys; one more is refused until one of them is dead', async () => {
    using desk = openDesk()
    await register(desk)
    const bind = async (name: string, lifeMs: number) => {
      const publicKey = publicKeyOf(secretOf(name))
      const answer = await desk.send(
        bindingOf(desk, { publicKey, expiresAtMs: desk.nowMs() + lifeMs }),
      )
      return answer.status
    }
    const stored = () => [...desk.store().load('key')].length
    expect(await bind('short', 60_000)).toBe(200)
    for (let count = 1; count < 200; count++) expect(await bind(`key ${count}`, YEAR_MS)).toBe(200)
    expect(await bind('one more', YEAR_MS)).toBe(400)
    expect(stored()).toBe(200)
    desk.sleep(60_000)
    expect(await bind('one more', YEAR_MS)).toBe(200)
    expect(stored()).toBe(201)
  })

  test('a key that has expired cannot be bound again, nor by a restart; another one can', async () => {
    using desk = openDesk()
    await register(desk)
    const bind = (name: string) =>
      desk.send(
        bindingOf(desk, {
          publicKey: publicKeyOf(secretOf(name)),
          expiresAtMs: desk.nowMs() + 60_000,
        }),
      )
    expect((await bind('short')).status).toBe(200)
    expect((await bind('short')).status).toBe(200)
    desk.sleep(60_000)
    expect(await bind('short')).toMatchObject({ status: 400, code: -1005 })
    desk.restart()
    expect(await bind('short')).toMatchObject({ status: 400, code: -1005 })
    expect((await bind('another')).status).toBe(200)
  })

  test('a binding whose scope was widened after signing is another wallet’s', async () => {
    using desk = openDesk()
    await register(desk)
    const widened = altered(bindingOf(desk), (body) => body.replace('read,trading', 'read,asset'))
    expect(await desk.send(widened)).toMatchObject({ status: 400, code: 9 })
  })
})
