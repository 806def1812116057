import { afterAll, beforeAll, expect, test } from 'bun:test'
import { envelope, jsonPost, type TestCall, type TestCaller } from '../caller.ts'
import { openTarget, type Target } from '../target.ts'
import { APPROVED_RELAY, askToApprove, DECISION } from './approval-requests.ts'
import { SYMBOL } from './asked.ts'
import { askToLimit, newUser, post, signedBody, WALLETS } from './wallets.ts'

let target: Target
beforeAll(async () => {
  target = await openTarget('in process', {
    ...{ VENUE_CLOCK: 'virtual', LIMIT_WRITE: 'off' },
    ALLOWED_HOSTS: 'localhost,127.0.0.1,perps.example',
  })
})
afterAll(() => target.stop())

async function relayed(caller: TestCaller, call: TestCall, path = '/api/prep/relay', host = {}) {
  const { headers, ...init } = jsonPost(envelope(caller, call))
  const answer = await target.fetch(path, { ...init, headers: { ...headers, ...host } })
  return { status: answer.status, body: Object(await answer.json()) }
}

const ORDER = { symbol: SYMBOL, side: 'BUY', order_type: 'MARKET', order_quantity: 0.5 }
const BUY: TestCall = { method: 'POST', path: '/v1/order', body: JSON.stringify(ORDER) }

test('an order above the mandate’s value goes once, when the owner’s wallet has approved it', async () => {
  const wallet = WALLETS.ethers()
  const caller = await newUser(target, wallet)
  const limited = await askToLimit(target, wallet, { approveAboveUsdc: '100' })
  const mandate = await post(target, '/api/prep/mandate', await signedBody(wallet, limited))
  expect(mandate.body).toMatchObject({ limits: { approveAboveUsdc: '100' } })
  const { status, body } = await relayed(caller, BUY)
  expect({ status, ...body }).toMatchObject({ status: 403, code: 'approval_required' })
  const { approval, order, link } = body.meta
  expect(order).toEqual([
    expect.stringMatching(
      /^Buy 0.5 PERP_ETH_USDC, MARKET order at the market price, filled at most /,
    ),
  ])
  expect(new URL(link).pathname).toBe(`/approve/${approval}`)
  const read = `/api/prep/approval?id=${approval}`
  expect(Object(await (await target.fetch(read)).json())).toMatchObject({ state: 'waiting', order })
  const signed = await signedBody(wallet, await askToApprove(target, approval))
  expect((await post(target, DECISION, signed)).body).toMatchObject({ state: 'approved' })
  expect(await relayed(caller, BUY)).toMatchObject({ status: 200, body: { order_quantity: 0.5 } })
  expect(Object(await (await target.fetch(read)).json())).toMatchObject({ state: 'used' })
  expect((await relayed(caller, BUY)).body).toMatchObject({ code: 'approval_required' })
})

test('the link leads to where the caller has asked', async () => {
  const caller = await newUser(target)
  const asked = (host: Readonly<Record<string, string>>) =>
    relayed(caller, BUY, APPROVED_RELAY, host)
  const host = 'Perps.example:8443'
  const origins = [
    [{}, 'http'],
    [{ 'x-forwarded-for': '203.0.113.1' }, 'https'],
    [{ 'x-forwarded-proto': 'http' }, 'http'],
  ] as const
  for (const [headers, scheme] of origins) {
    const { meta } = (await asked({ host, ...headers })).body
    expect(meta.link).toBe(`${scheme}://perps.example:8443/approve/${meta.approval}`)
  }
})

test('a caller gets no link to a host that is not of this service', async () => {
  const caller = await newUser(target)
  const { body } = await relayed(caller, BUY, APPROVED_RELAY, {
    host: 'perps.example.evil.example',
  })
  expect(body.code).toBe('approval_required')
  expect(body.meta).toMatchObject({ state: 'waiting', setting: 'PREPD_ALLOWED_HOSTS' })
  expect(body.meta).not.toHaveProperty('link')
  expect(JSON.stringify(body)).not.toContain('evil')
})
