import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mainAccountId } from '../../src/core/crypto/account-id.ts'
import { USUAL_KINDS } from '../target.ts'
import {
  BIND,
  BROKER,
  DAY_MS,
  ok,
  openRegistrationFixture,
  REGISTER,
  type RegistrationFixture,
  UNKNOWN_ACCOUNT,
} from './registration-fixture.ts'
import { post, WALLETS } from './wallets.ts'

/** An account of another wallet. */
const FOREIGN = `0x${'ab'.repeat(32)}`

describe.each([...USUAL_KINDS])('what a venue answers to a wallet is checked, %s', (kind) => {
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

  test('an account id that the wallet does not derive is no account of it', async () => {
    for (const account_id of [FOREIGN, 7, undefined]) {
      fixture.answering({
        '/v1/register_account': ok({ account_id }),
        '/v1/get_account': UNKNOWN_ACCOUNT,
      })
      const refused = await post(fixture.target, REGISTER, await fixture.newRegistration())
      expect(refused).toMatchObject({
        status: 409,
        body: { code: 'outcome_unknown', meta: { accountExists: false } },
      })
      expect(JSON.stringify(refused)).not.toContain(FOREIGN)
    }
  })

  test('the account id that the wallet derives is taken in capitals too', async () => {
    const wallet = WALLETS.viem()
    const accountId = mainAccountId(wallet.address, BROKER)
    const account_id = `0x${accountId.slice(2).toUpperCase()}`
    fixture.answering({ '/v1/register_account': ok({ account_id }) })
    const body = await fixture.newRegistration(wallet)
    expect(await post(fixture.target, REGISTER, body)).toEqual({
      status: 200,
      body: { accountId, created: true },
    })
  })

  test('an answer that names another key binds nothing, unless the venue has the key', async () => {
    fixture.answering({ '/v1/orderly_key': ok({ id: 1, orderly_key: 'ed25519:other' }) })
    const refused = await post(fixture.target, BIND, await fixture.newBinding())
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'outcome_unknown', meta: { keyBound: false } },
    })
    const expiration = Date.now() + DAY_MS
    fixture.answering({
      '/v1/orderly_key': ok({ id: 1, orderly_key: 'ed25519:other' }),
      '/v1/get_orderly_key': ok({ expiration, key_status: 'ACTIVE' }),
    })
    const signed = await fixture.newBinding(WALLETS.viem(), expiration)
    expect(await post(fixture.target, BIND, signed)).toMatchObject({ body: { bound: true } })
  })

  test.each([
    ['has expired', { expiration: 1, key_status: 'ACTIVE' }],
    ['was removed', { expiration: Date.now() + DAY_MS, key_status: 'REMOVED' }],
  ])('a key that %s is named when the venue does not bind it again', async (_, row) => {
    fixture.answering({
      '/v1/orderly_key': { status: 400, json: { success: false, code: -1005, message: 'no' } },
      '/v1/get_orderly_key': ok(row),
    })
    expect(await post(fixture.target, BIND, await fixture.newBinding())).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_request',
        meta: { parameter: 'message.tradingKey', reason: 'spent', next: expect.any(String) },
      },
    })
  })

  test('a binding that is refused for another cause does not name its key', async () => {
    fixture.answering({
      '/v1/orderly_key': { status: 400, json: { success: false, code: -1005, message: 'no' } },
    })
    const { body } = await post(fixture.target, BIND, await fixture.newBinding())
    expect(body).toMatchObject({ code: 'invalid_request', meta: { reason: 'malformed' } })
    expect(Object(body).meta).not.toHaveProperty('parameter')
  })

  test('a signature of 64 bytes is taken, and sent in the form that the venue knows', async () => {
    const body = await fixture.newRegistration()
    const isOdd = body.signature.endsWith('1c')
    const top = Number.parseInt(body.signature.slice(66, 68), 16) | (isOdd ? 0x80 : 0)
    const s = top.toString(16).padStart(2, '0') + body.signature.slice(68, 130)
    const compact = { ...body, signature: body.signature.slice(0, 66) + s }
    const { result, sent } = await fixture.sending(() => post(fixture.target, REGISTER, compact))
    expect(result).toMatchObject({ status: 200, body: { created: true } })
    expect(sent.map(({ text }) => JSON.parse(text).signature)).toEqual([body.signature])
  })

  test.each([
    [
      'a signature of a contract wallet',
      { signature: `0x${'ab'.repeat(96)}` },
      'signature',
      'contract_wallet',
    ],
    ['a signature without 0x', { signature: 'ab'.repeat(65) }, 'signature', 'malformed'],
  ])('%s is named, and nothing is sent', async (_, change, parameter, reason) => {
    const body = { ...(await fixture.newRegistration()), ...change }
    const { result, sent } = await fixture.sending(() => post(fixture.target, REGISTER, body))
    expect(Object(result.body).meta).toMatchObject({ parameter, reason })
    expect(sent).toEqual([])
  })

  test('a chain id that is a text is named with what it should be', async () => {
    const body = await fixture.newRegistration()
    const message = { ...body.message, chainId: '42161' }
    const { body: refused } = await post(fixture.target, REGISTER, { ...body, message })
    expect(Object(refused).meta).toEqual({
      parameter: 'message.chainId',
      reason: 'malformed',
      expected: expect.stringContaining('number'),
    })
  })
})
