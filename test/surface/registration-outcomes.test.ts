import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { jsonPost, newCaller } from '../caller.ts'
import type { AnswerSpec } from '../recording-upstream.ts'
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
import { askToBind, post, signedBody, WALLETS } from './wallets.ts'

/** An account of another wallet. */
const FOREIGN = `0x${'ab'.repeat(32)}`

describe.each([...USUAL_KINDS])('what became of a registration, %s', (kind) => {
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

  const PRESENT = ok({ user_id: 1, account_id: FOREIGN })
  test.each([
    { what: 'exists', lookup: PRESENT, accountExists: true },
    { what: 'does not exist', lookup: UNKNOWN_ACCOUNT, accountExists: false },
  ])(
    'after an unknown outcome the venue is asked, and the answer says the account $what',
    async (row) => {
      fixture.answering({ '/v1/register_account': 'close', '/v1/get_account': row.lookup })
      const wallet = WALLETS.ethers()
      const body = await fixture.newRegistration(wallet)
      const { result, sent } = await fixture.sending(() => post(fixture.target, REGISTER, body))
      const meta = {
        accountExists: row.accountExists,
        next: expect.stringContaining('account.exists'),
      }
      expect(result).toMatchObject({ status: 409, body: { code: 'outcome_unknown', meta } })
      expect(sent.map(({ target: path }) => path)).toEqual([
        '/v1/register_account',
        `/v1/get_account?address=${wallet.address}&broker_id=${BROKER}`,
      ])
      fixture.answering({ '/v1/get_account': row.lookup })
      const again = await fixture.sending(() => post(fixture.target, REGISTER, body))
      expect(again.result).toMatchObject(
        row.accountExists
          ? { status: 200, body: { created: false } }
          : { status: 400, body: { meta: { parameter: 'message.registrationNonce' } } },
      )
      expect(again.result.body).not.toHaveProperty('accountId')
      expect(again.paths).toEqual(['/v1/get_account'])
    },
  )

  test('an account the venue has already is confirmed before it is said', async () => {
    const refusal = { status: 400, json: { success: false, code: -1604, message: 'woofi says no' } }
    fixture.answering({ '/v1/register_account': refusal, '/v1/get_account': PRESENT })
    const there = await fixture.sending(async () =>
      post(fixture.target, REGISTER, await fixture.newRegistration()),
    )
    expect(there.result).toEqual({ status: 200, body: { created: false } })
    expect(there.paths).toEqual([
      '/v1/registration_nonce',
      '/v1/register_account',
      '/v1/get_account',
    ])
    fixture.answering({ '/v1/register_account': refusal, '/v1/get_account': UNKNOWN_ACCOUNT })
    expect(await post(fixture.target, REGISTER, await fixture.newRegistration())).toMatchObject({
      status: 422,
      body: { code: 'venue_rejected' },
    })
  })

  test.each([
    { what: 'bound', shift: 0, status: 200, body: { bound: true } },
    {
      what: 'bound otherwise',
      shift: 1,
      status: 409,
      body: { code: 'outcome_unknown', meta: { keyBound: true } },
    },
  ])('after an unknown outcome a key the venue has is $what', async ({ shift, status, body }) => {
    const expiration = Date.now() + DAY_MS
    const signed = await fixture.newBinding(WALLETS.viem(), expiration)
    fixture.answering({
      '/v1/orderly_key': 'close',
      '/v1/get_orderly_key': ok({
        orderly_key: 'x',
        scope: 'read',
        expiration: expiration + shift,
      }),
    })
    const { result, paths } = await fixture.sending(() => post(fixture.target, BIND, signed))
    expect(result).toMatchObject({ status, body })
    expect(paths).toEqual(['/v1/orderly_key', '/v1/get_orderly_key'])
  })

  test('a key the venue does not have after an unknown outcome is not said to be bound', async () => {
    fixture.answering({ '/v1/orderly_key': 'close' })
    const refused = await post(fixture.target, BIND, await fixture.newBinding())
    expect(refused).toMatchObject({ body: { code: 'outcome_unknown', meta: { keyBound: false } } })
  })

  test('a binding is one wallet’s: another that signs the same text binds too, and neither twice', async () => {
    const toBind = await askToBind(fixture.target, newCaller().key, Date.now() + DAY_MS)
    const bodies = [
      await signedBody(WALLETS.viem(), toBind),
      await signedBody(WALLETS.ethers(), toBind),
    ]
    for (const body of bodies) {
      const { result, paths } = await fixture.sending(() => post(fixture.target, BIND, body))
      expect(result).toMatchObject({ status: 200, body: { bound: true } })
      expect(paths).toEqual(['/v1/orderly_key'])
    }
    for (const body of bodies) {
      for (const address of [body.address, body.address.toLowerCase()]) {
        const { result, sent } = await fixture.sending(() =>
          post(fixture.target, BIND, { ...body, address }),
        )
        expect(result).toMatchObject({ status: 409, body: { code: 'duplicate_request' } })
        expect(sent).toEqual([])
      }
    }
  })

  const BUSY: AnswerSpec = { status: 429, json: { success: false, code: -1003, message: 'x' } }
  test.each([
    { route: REGISTER, sent: '/v1/register_account', body: { created: true } },
    { route: BIND, sent: '/v1/orderly_key', body: { bound: true } },
  ])('what a busy venue turned away is sent again to $route, and not twice', async (row) => {
    const body = await (row.route === REGISTER ? fixture.newRegistration() : fixture.newBinding())
    fixture.answering({ [row.sent]: BUSY })
    const refused = await fixture.sending(() => post(fixture.target, row.route, body))
    expect(refused.result).toMatchObject({ body: { code: 'upstream_busy' } })
    expect(refused.paths).toEqual([row.sent])
    fixture.answering({})
    const again = await fixture.sending(() => post(fixture.target, row.route, body))
    expect(again.result).toMatchObject({ status: 200, body: row.body })
    expect(again.paths).toEqual([row.sent])
    const third = await fixture.sending(() => post(fixture.target, row.route, body))
    expect(third.result.status).toBeOneOf([400, 409])
    expect(third.paths).not.toContain(row.sent)
  })

  test('a brokerId of the caller’s changes nothing, and a scope may be spaced', async () => {
    const wallet = WALLETS.viem()
    const body = await fixture.newRegistration(wallet)
    const named = { ...body, message: { ...body.message, brokerId: 'somebody' } }
    expect(await post(fixture.target, REGISTER, named)).toMatchObject({ body: { created: true } })
    const asked = { kind: 'trading-key', chainId: 1, tradingKey: newCaller().key }
    const response = await fixture.target.fetch(
      '/api/prep/typed-data',
      jsonPost({ ...asked, scope: 'read, trading', expiration: Date.now() + DAY_MS }),
    )
    const toSign = Object(await response.json())
    expect(toSign.message.scope).toBe('read,trading')
    expect(await post(fixture.target, BIND, await signedBody(wallet, toSign))).toMatchObject({
      body: { bound: true },
    })
  })

  const SILENCES = [
    { route: REGISTER, sent: '/v1/register_account', lookup: '/v1/get_account' },
    { route: BIND, sent: '/v1/orderly_key', lookup: '/v1/get_orderly_key' },
  ]
  test.each(SILENCES)(
    '$route has an unknown outcome also where the venue cannot be asked',
    async (row) => {
      for (const silence of ['close', BUSY] satisfies AnswerSpec[]) {
        const body = await (row.route === REGISTER
          ? fixture.newRegistration()
          : fixture.newBinding())
        fixture.answering({ [row.sent]: 'close', [row.lookup]: silence })
        const { result, paths } = await fixture.sending(() => post(fixture.target, row.route, body))
        expect(result).toMatchObject({ status: 409, body: { code: 'outcome_unknown' } })
        expect(Object.keys(Object(result.body['meta']))).toEqual(['next'])
        expect(new Set(paths)).toEqual(new Set([row.sent, row.lookup]))
        fixture.answering({})
      }
    },
  )
})
