import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { FAUCET_PATH } from '../../src/contract/act-paths.ts'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { openTarget, type Target } from '../target.ts'
import { BROKER } from './registration-fixture.ts'
import { newUser, WALLETS } from './wallets.ts'

type Caller = Awaited<ReturnType<typeof newUser>>

async function relayed(target: Target, signed: object) {
  const response = await target.fetch('/api/prep/relay', jsonPost(signed))
  return { status: response.status, body: Object(await response.json()) }
}

/** A call of the faucet, signed at another millisecond than any before it. */
async function asked(user: Caller, change: { method?: 'GET' | 'POST'; body?: string } = {}) {
  await Bun.sleep(2)
  return envelope(user, { method: 'POST', path: FAUCET_PATH, ...change })
}

describe('the faucet of the embedded venue', () => {
  let target: Target
  let user: Caller
  beforeAll(async () => {
    target = await openTarget('in process', {
      ...{ VENUE: 'embedded', BROKER_ID: BROKER, VENUE_FAUCET: '250.5' },
      OPS_LISTEN: '127.0.0.1:0',
    })
    user = await newUser(target, WALLETS.viem())
    await relayed(target, envelope(user, { method: 'GET', path: '/v1/client/holding' }))
  })
  afterAll(() => target.stop())

  test('gives nothing to an account that has as much as a new one, or more', async () => {
    const given = await relayed(target, await asked(user))
    expect(given).toEqual({ status: 200, body: { creditedUsdc: '0', fullUsdc: '250.5' } })
  })

  test.each([
    ['another method', { method: 'GET' }, 403, 'forbidden'],
    ['a body', { body: '{"usdc":1}' }, 400, 'invalid_request'],
  ] as const)('refuses %s', async (_, change, status, code) => {
    expect(await relayed(target, await asked(user, change))).toMatchObject({
      status,
      body: { code },
    })
  })

  test('takes a signed call once', async () => {
    const signed = await asked(user)
    expect((await relayed(target, signed)).status).toBe(200)
    expect(await relayed(target, signed)).toMatchObject({ body: { code: 'duplicate_request' } })
  })

  test('gives nothing to a key that the account does not have', async () => {
    const stranger = newCaller(user.accountId)
    expect(await relayed(target, await asked(stranger))).toMatchObject({
      body: { code: 'unauthorized' },
    })
  })
})

test.each([
  ['before a live venue', { VENUE: 'http://127.0.0.1:9' }],
  ['where new accounts are given nothing', { VENUE_FAUCET: '0' }],
])('there is no faucet %s', async (_, settings) => {
  const target = await openTarget('in process', settings)
  const answer = await relayed(target, await asked(newCaller()))
  expect(answer).toMatchObject({ status: 503, body: { code: 'not_configured' } })
  await target.stop()
})
