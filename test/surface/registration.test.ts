import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hashTypedData } from 'viem'
import { mainAccountId } from '../../src/core/crypto/account-id.ts'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { openTarget, TARGET_KINDS, type Target } from '../target.ts'
import { BIND, BROKER, DAY_MS, REGISTER } from './registration-fixture.ts'
import { askToBind, askToRegister, newUser, post, signedBody, WALLETS } from './wallets.ts'

const MAKERS = Object.entries(WALLETS).map(([library, newWallet]) => ({ library, newWallet }))

describe.each([...TARGET_KINDS])('registration on the embedded venue, %s', (kind) => {
  let target: Target

  beforeAll(async () => {
    target = await openTarget(kind, { VENUE: 'embedded', BROKER_ID: BROKER })
  })
  afterAll(async () => {
    await target.stop()
  })

  const relay = async (caller: ReturnType<typeof newCaller>, path = '/v1/client/holding') => {
    const signed = envelope(caller, { method: 'GET', path })
    const response = await target.fetch('/api/prep/relay', jsonPost(signed))
    return { status: response.status, body: Object(await response.json()) }
  }

  test.each(MAKERS)('a wallet of $library registers, binds a key and is served', async (row) => {
    const wallet = row.newWallet()
    const created = await post(
      target,
      REGISTER,
      await signedBody(wallet, await askToRegister(target)),
    )
    const accountId = mainAccountId(wallet.address, BROKER)
    expect(created).toEqual({ status: 200, body: { accountId, created: true } })

    const caller = newCaller(accountId)
    expect((await relay(caller)).status).toBe(401)
    const expiration = Date.now() + DAY_MS
    const toBind = await askToBind(target, caller.key, expiration)
    const bound = await post(target, BIND, await signedBody(wallet, toBind))
    expect(bound).toEqual({ status: 200, body: { bound: true, expiration } })
    expect(await relay(caller)).toMatchObject({
      status: 200,
      body: { holding: [{ token: 'USDC' }] },
    })
  })

  test('the digest is that of the document, which names the operator and nobody else', async () => {
    for (const toSign of [
      await askToRegister(target),
      await askToBind(target, newCaller().key, Date.now() + DAY_MS),
    ]) {
      const { message, ...document } = JSON.parse(toSign.typedData)
      expect<string>(hashTypedData({ ...document, message })).toBe(toSign.digest)
      expect(message.brokerId).toBe(BROKER)
      expect(Object.keys(toSign).sort()).toEqual(['digest', 'message', 'typedData'])
      expect(JSON.stringify(toSign.message)).not.toMatch(/broker|orderly/i)
    }
  })

  test('a wallet that registers again has an account already, and is not told its id', async () => {
    const wallet = WALLETS.viem()
    await newUser(target, wallet)
    const again = await post(
      target,
      REGISTER,
      await signedBody(wallet, await askToRegister(target)),
    )
    expect(again).toEqual({ status: 200, body: { created: false } })
  })

  test('a wallet may bind several keys, and every one of them works', async () => {
    const wallet = WALLETS.ethers()
    const first = await newUser(target, wallet)
    const second = newCaller(first.accountId)
    const toBind = await askToBind(target, second.key, Date.now() + DAY_MS)
    expect((await post(target, BIND, await signedBody(wallet, toBind))).status).toBe(200)
    expect((await relay(first)).status).toBe(200)
    expect((await relay(second)).status).toBe(200)
  })

  test('a key cannot be bound to an account that does not exist', async () => {
    const wallet = WALLETS.viem()
    const stranger = newCaller(mainAccountId(wallet.address, BROKER))
    const toBind = await askToBind(target, stranger.key, Date.now() + DAY_MS)
    const refused = await post(target, BIND, await signedBody(wallet, toBind))
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(refused.body).not.toHaveProperty('bound')
    expect((await relay(stranger)).status).toBe(401)
  })

  test('a key works until its expiration and not after', async () => {
    let [lifeMs, expiration, status] = [700, 0, 0]
    let caller: ReturnType<typeof newCaller> | null = null
    // A key that expired before it was used says nothing: the next one lives longer.
    for (; status !== 200 && Date.now() >= expiration; lifeMs *= 2) {
      expiration = Date.now() + lifeMs
      caller = await newUser(target, WALLETS.viem(), expiration).catch(() => null)
      if (caller) ({ status } = await relay(caller))
    }
    expect(status).toBe(200)
    while (Date.now() <= expiration) await Bun.sleep(20)
    expect(caller && (await relay(caller))).toMatchObject({
      status: 401,
      body: { code: 'unauthorized' },
    })
  })

  // Slow: a second deployment starts.
  test('a nonce and a signature of another deployment are worth nothing here', async () => {
    const other = await openTarget(kind, { VENUE: 'embedded', BROKER_ID: BROKER })
    const wallet = WALLETS.viem()
    const foreign = await signedBody(wallet, await askToRegister(other))
    expect(await post(target, REGISTER, foreign)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', meta: { parameter: 'message.registrationNonce' } },
    })
    expect(await post(other, REGISTER, foreign)).toMatchObject({ body: { created: true } })
    await other.stop()
  })

  test('the same wallet has another account with another operator', async () => {
    const other = await openTarget(kind, { VENUE: 'embedded', BROKER_ID: 'operator-8' })
    const wallet = WALLETS.viem()
    const here = await newUser(target, wallet)
    const there = await newUser(other, wallet)
    expect(there.accountId).not.toBe(here.accountId)
    expect(there.accountId).toBe(mainAccountId(wallet.address, 'operator-8'))
    await other.stop()
  })
})
