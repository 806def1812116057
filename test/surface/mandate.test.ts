import { afterAll, beforeAll, expect, test } from 'bun:test'
import { MANDATE_PATH } from '../../src/contract/act-paths.ts'
import { ACTS_ROOT } from '../../src/contract/operator/acts.ts'
import { envelope, jsonPost, type TestCaller } from '../caller.ts'
import { openTarget, type Target } from '../target.ts'
import { askToLimit, newUser, post, signedBody, WALLETS } from './wallets.ts'

const KEY = 'the-operator-key-of-the-test-of-mandates'

let target: Target
let user: TestCaller
beforeAll(async () => {
  const settings = {
    OPS_LISTEN: '127.0.0.1:0',
    OPERATOR_KEY: KEY,
    LIMIT_ADMIN: 'off',
    // Three users, and two messages to sign for each of two: whoever has just opened an account can limit it at once.
    LIMIT_WRITE: '1/60s burst 16',
  }
  target = await openTarget('in process', settings)
  user = await newUser(target)
})
afterAll(() => target.stop())

async function shown() {
  const call = { method: 'GET', path: MANDATE_PATH, timestamp: String(Date.now()) } as const
  const answer = await target.fetch('/api/prep/relay', jsonPost(envelope(user, call)))
  return Object(await answer.json())
}

async function operator(path: string, fields?: object) {
  const { headers, ...post } = fields ? jsonPost(fields) : { headers: {} }
  const answer = await target.ops(ACTS_ROOT + path, {
    ...post,
    headers: { ...headers, authorization: `Bearer ${KEY}` },
  })
  return { status: answer.status, body: Object(await answer.json()) }
}

test.each(['viem', 'ethers'] as const)(
  'a wallet of %s limits its account, and its key freezes it',
  async (library) => {
    const wallet = WALLETS[library]()
    const caller = await newUser(target, wallet)
    const relayed = async (method: 'GET' | 'PUT', own: { readonly body?: string } = {}) => {
      const signed = envelope(caller, { method, path: MANDATE_PATH, ...own })
      return Object(await (await target.fetch('/api/prep/relay', jsonPost(signed))).json())
    }
    const limits = { maxOrderUsdc: '250', symbols: ['PERP_ETH_USDC'] }
    const typed = await askToLimit(target, wallet, limits)
    const stored = await post(target, MANDATE_PATH, await signedBody(wallet, typed))
    expect(stored).toEqual({ status: 200, body: { limits, counter: 1, frozenBy: 'none' } })
    expect(await relayed('GET')).toEqual(stored.body)
    expect(await relayed('PUT', { body: '{"frozen":true}' })).toMatchObject({ frozenBy: 'key' })
    const lifted = await askToLimit(target, wallet, {})
    await post(target, MANDATE_PATH, await signedBody(wallet, lifted))
    expect(await relayed('GET')).toEqual({ limits: {}, counter: 2, frozenBy: 'none' })
  },
)

test('the operator freezes an account, which its key sees, and takes that back', async () => {
  const account = user.accountId.toLowerCase()
  expect(await shown()).toEqual({ limits: {}, counter: 0, frozenBy: 'none' })
  const { body } = await operator('freezes/add', { account: user.accountId })
  // Nobody has read its orders since it was frozen.
  expect(body).toEqual({ account, frozen: true, stillOpening: null })
  expect(await shown()).toMatchObject({ frozenBy: 'operator' })
  const row = { account, frozenAtMs: expect.any(Number) }
  expect((await operator('freezes')).body).toEqual({ count: 1, rows: [row] })
  expect((await operator('status')).body.freezes).toEqual([row])
  const audited = { act: 'freezes/add', fields: { account: user.accountId } }
  expect((await operator('audit')).body.rows[0]).toMatchObject(audited)
  await operator('freezes/remove', { account: user.accountId })
  expect(await shown()).toMatchObject({ frozenBy: 'none' })
  expect((await operator('freezes/add', { account: '0x12' })).status).toBe(400)
})
