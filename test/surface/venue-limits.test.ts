import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { QUERY_RATE, RATES } from '../../src/contract/venue/rates.ts'
import { envelope, jsonPost, type TestCaller } from '../caller.ts'
import { freePort } from '../free-port.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'
import { OPERATOR_KEY, runCommand } from './venue-fixture.ts'
import { newUser } from './wallets.ts'

const PORT = freePort()
const WIRE = `http://127.0.0.1:${PORT}`

describe.each([...USUAL_KINDS])('an embedded venue that counts its callers, %s,', (kind) => {
  let target: Target
  let user: TestCaller
  beforeAll(async () => {
    target = await openTarget(kind, {
      OPERATOR_KEY,
      LIMIT_ADMIN: 'off',
      VENUE_CLOCK: 'virtual',
      VENUE_LIMITS: 'live',
      VENUE_LISTEN: `127.0.0.1:${PORT}`,
    })
    user = await newUser(target)
  })
  afterAll(() => target.stop())

  const pass = (by: string) => runCommand(target, 'clock/advance', { by })

  async function relay(method: 'GET' | 'POST', path: string, body?: object) {
    const signed = envelope(user, { method, path, ...(body && { body: JSON.stringify(body) }) })
    const response = await target.fetch('/api/prep/relay', jsonPost(signed))
    return response.ok ? 200 : Object(await response.json()).code
  }

  function query(type: string, more: object = {}) {
    const init = jsonPost({ type, ...more })
    return fetch(`${WIRE}${QUERY_RATE.path}`, init)
  }

  test('lets so many reads of a key pass in a minute of its own time, and no more', async () => {
    for (let call = 0; call < 10; call++) expect(await relay('GET', '/v1/client/info')).toBe(200)
    expect(await relay('GET', '/v1/client/info')).toBe('upstream_busy')
    expect(await relay('GET', '/v1/client/holding')).toBe(200)
    await pass('59s')
    expect(await relay('GET', '/v1/client/info')).toBe('upstream_busy')
    await pass('1s')
    expect(await relay('GET', '/v1/client/info')).toBe(200)
  })

  test('says 429 and -1003 on its wire, where callers are told apart from the gateway', async () => {
    await pass('1s')
    const first = await fetch(`${WIRE}/v1/public/system_info`)
    const second = await fetch(`${WIRE}/v1/public/system_info`)
    expect([first.status, second.status]).toEqual([200, 429])
    expect(await second.json()).toMatchObject({ success: false, code: -1003 })
    expect((await target.fetch('/api/prep/op/platform.status')).status).toBe(200)
    await pass('1s')
    expect((await fetch(`${WIRE}/v1/public/system_info`)).status).toBe(200)
  })

  test('counts each order of a batch as an order', async () => {
    await pass('1m')
    const order = { symbol: 'PERP_ETH_USDC', side: 'BUY', order_type: 'LIMIT' }
    const terms = { ...order, order_price: 2000, order_quantity: 0.01 }
    expect(await relay('POST', '/v1/batch-order', { orders: Array(9).fill(terms) })).toBe(200)
    expect(await relay('POST', '/v1/order', terms)).toBe(200)
    expect(await relay('POST', '/v1/order', terms)).toBe('upstream_busy')
    expect(await relay('POST', '/v1/batch-order', { orders: [terms] })).toBe('upstream_busy')
  })

  test('uses up nothing for a batch that it refuses', async () => {
    await pass('1m')
    const order = { symbol: 'PERP_ETH_USDC', side: 'BUY', order_type: 'LIMIT' }
    const terms = { ...order, order_price: 2000, order_quantity: 0.01 }
    const batch = (orders: number) =>
      relay('POST', '/v1/batch-order', { orders: Array(orders).fill(terms) })
    expect(await batch(4)).toBe(200)
    // One a second.
    expect([await batch(4), await batch(4)]).toEqual(['upstream_busy', 'upstream_busy'])
    for (let placed = 0; placed < 6; placed += 1)
      expect(await relay('POST', '/v1/order', terms)).toBe(200)
    expect(await relay('POST', '/v1/order', terms)).toBe('upstream_busy')
    await pass('1s')
    expect(await relay('POST', '/v1/order', terms)).toBe(200)
    // Ten orders and that one are too many, nine are not.
    expect([await batch(10), await batch(9)]).toEqual(['upstream_busy', 200])
  })

  test('weighs the query interface, and says with every answer what is left', async () => {
    await pass('1m')
    const first = await query('orderbook', { symbol: 'PERP_ETH_USDC' })
    expect(first.headers.get('x-ratelimit-weight')).toBe('1')
    expect(first.headers.get('x-ratelimit-remaining')).toBe('1199')
    let left = 1199
    for (; left >= 20; left -= 20) {
      const { headers } = await query('platformPositions')
      expect(headers.get('x-ratelimit-remaining')).toBe(String(left - 20))
    }
    const refused = await query('platformPositions')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('60')
    expect(await refused.json()).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retry_after: 60_000 })
  })
})

test('every rate is of a call that is counted once', () => {
  const calls = RATES.flatMap((rate) => rate.calls)
  expect(new Set(calls).size).toBe(calls.length)
  for (const call of calls) expect(call).toMatch(/^(?:GET|POST|PUT|DELETE) \/v[12]\//)
})

test('without the setting nobody is counted', async () => {
  const target = await openTarget('in process', { VENUE_LISTEN: `127.0.0.1:${PORT}` })
  for (let call = 0; call < 30; call++)
    expect((await fetch(`${WIRE}/v1/public/system_info`)).status).toBe(200)
  await target.stop()
})
