import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mainAccountId } from '../../src/core/crypto/account-id.ts'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { headerOf } from '../recording-upstream.ts'
import { USUAL_KINDS } from '../target.ts'
import {
  BIND,
  BROKER,
  DAY_MS,
  ok,
  openRegistrationFixture,
  REGISTER,
  type RegistrationFixture,
} from './registration-fixture.ts'
import { askToBind, post, signedBody, WALLETS } from './wallets.ts'

describe.each([...USUAL_KINDS])('registration on the wire, %s', (kind) => {
  let fixture: RegistrationFixture

  beforeAll(async () => {
    fixture = await openRegistrationFixture(kind)
  })
  afterAll(async () => {
    await fixture.stop()
  })
  beforeEach(() => {
    fixture.answering({})
  })

  test('a registration is sent with the operator’s id and the venue’s names, and nothing of the caller', async () => {
    const body = await fixture.newRegistration()
    const strange = { ...body, message: { ...body.message, chainType: 'EVM' }, extra: 1 }
    const init = jsonPost(strange)
    const headers = { ...init.headers, cookie: 'a=b', authorization: 'x', 'x-own': 'y' }
    const { result, sent } = await fixture.sending(() =>
      fixture.target.fetch(REGISTER, { ...init, headers }),
    )
    expect(await result.json()).toEqual({
      accountId: mainAccountId(body.address, BROKER),
      created: true,
    })
    expect(result.headers.get('cache-control')).toBe('no-store')
    const { chainId, timestamp, registrationNonce } = Object(body.message)
    expect(sent.map(({ method, target: path }) => `${method} ${path}`)).toEqual([
      'POST /v1/register_account',
    ])
    expect(sent.map(({ text }) => text)).toEqual([
      JSON.stringify({
        message: { brokerId: BROKER, chainId, timestamp, registrationNonce },
        signature: body.signature,
        userAddress: body.address,
      }),
    ])
    expect(sent.map((request) => headerOf(request, 'content-type'))).toEqual(['application/json'])
    const names = sent.flatMap((request) => request.headers.map(([name]) => name.toLowerCase()))
    for (const name of ['cookie', 'authorization', 'x-own', 'x-forwarded-for'])
      expect(names).not.toContain(name)
  })

  test('a binding calls the key what the venue calls it', async () => {
    const body = await fixture.newBinding()
    const { result, sent } = await fixture.sending(() => post(fixture.target, BIND, body))
    const { chainId, tradingKey, scope, timestamp, expiration } = Object(body.message)
    expect(result).toEqual({ status: 200, body: { bound: true, expiration } })
    expect(sent.map(({ method, target: path }) => `${method} ${path}`)).toEqual([
      'POST /v1/orderly_key',
    ])
    expect(sent.map(({ text }) => text)).toEqual([
      JSON.stringify({
        message: {
          brokerId: BROKER,
          chainId,
          orderlyKey: tradingKey,
          scope,
          timestamp,
          expiration,
        },
        signature: body.signature,
        userAddress: body.address,
      }),
    ])
  })

  test('a nonce is spent once', async () => {
    const body = await fixture.newRegistration()
    expect((await post(fixture.target, REGISTER, body)).status).toBe(200)
    const { result, paths } = await fixture.sending(() => post(fixture.target, REGISTER, body))
    expect(result).toMatchObject({
      status: 400,
      body: { meta: { parameter: 'message.registrationNonce' } },
    })
    expect(paths).toEqual(['/v1/get_account'])
  })

  test('of a hundred copies at once one is sent', async () => {
    const body = await fixture.newRegistration()
    fixture.answering({
      '/v1/register_account': {
        ...Object(ok({ account_id: mainAccountId(body.address, BROKER) })),
        delayMs: 30,
      },
    })
    const copies = Array.from({ length: 100 }, () => post(fixture.target, REGISTER, body))
    const { result, paths } = await fixture.sending(() => Promise.all(copies))
    expect(result.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(paths.filter((path) => path === '/v1/register_account')).toHaveLength(1)
  })

  test('a binding is accepted once, whatever its copy’s signature looks like', async () => {
    const body = await fixture.newBinding()
    expect((await post(fixture.target, BIND, body)).status).toBe(200)
    const shouted = `0x${body.signature.slice(2).toUpperCase()}`
    const last = Number.parseInt(body.signature.slice(-2), 16) - 27
    const bare = `${body.signature.slice(0, -2)}0${last}`
    for (const signature of [body.signature, shouted, bare]) {
      const { result, sent } = await fixture.sending(() =>
        post(fixture.target, BIND, { ...body, signature }),
      )
      expect(result).toMatchObject({ status: 409, body: { code: 'duplicate_request' } })
      expect(sent).toEqual([])
    }
  })

  test('while the venue is not there nothing is spent', async () => {
    const registration = await fixture.newRegistration()
    const binding = await fixture.newBinding()
    await fixture.gate.shut()
    for (const [path, body] of [
      [REGISTER, registration],
      [BIND, binding],
    ] as const) {
      const { result, sent } = await fixture.sending(() => post(fixture.target, path, body))
      expect(result).toMatchObject({ status: 502, body: { code: 'upstream_unavailable' } })
      expect(sent).toEqual([])
    }
    await fixture.gate.open()
    expect(await post(fixture.target, REGISTER, registration)).toMatchObject({
      body: { created: true },
    })
    expect(await post(fixture.target, BIND, binding)).toMatchObject({ body: { bound: true } })
  })

  test('a bound key is known at once: strangers who name the account cannot use up its window', async () => {
    const wallet = WALLETS.viem()
    const owner = newCaller(mainAccountId(wallet.address, BROKER))
    const toBind = await askToBind(fixture.target, owner.key, Date.now() + DAY_MS)
    expect((await post(fixture.target, BIND, await signedBody(wallet, toBind))).status).toBe(200)
    fixture.answering({
      '/v1/positions': { status: 401, json: { success: false, code: -1002, message: 'no' } },
      '/v1/client/holding': ok({ holding: [] }),
    })
    const relay = async (caller: ReturnType<typeof newCaller>, path: string) =>
      (
        await fixture.target.fetch(
          '/api/prep/relay',
          jsonPost(envelope(caller, { method: 'GET', path })),
        )
      ).status
    const attack = await Promise.all(
      [1, 2, 3, 4].map(() => relay(newCaller(owner.accountId), '/v1/positions')),
    )
    expect(attack.filter((status) => status === 429)).toHaveLength(2)
    expect(await relay(owner, '/v1/client/holding')).toBe(200)
  })
})
