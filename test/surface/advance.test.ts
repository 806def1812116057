import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Credentials } from '../../src/agents/client/client.ts'
import { ADVANCE_PATH } from '../../src/contract/venue/advance.ts'
import { openTemporaryAccount, VIRTUAL_KEY_LIFE_MS } from '../../src/operator/account/open.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld } from '../agents/tool-world.ts'
import { envelope, jsonPost } from '../caller.ts'

const ETH = 'PERP_ETH_USDC'
const START_MS = Date.UTC(2026, 0, 1)
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const KEY = 'the-operator-key-of-the-test-of-advances'
const LASTING = { LIMIT_WRITE: 'off', VENUE_ADVANCE: 'accounts', OPERATOR_KEY: KEY }

let world: ToolWorld
/** An account whose key outlives what the tests move the clock. */
let owner: Credentials
beforeAll(async () => {
  world = await openEmbeddedWorld(LASTING)
  owner = await openTemporaryAccount(world.client, {
    clock: { nowMs: Date.now },
    random: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
    keyLifeMs: VIRTUAL_KEY_LIFE_MS,
  })
})
afterAll(() => world.stop())

const call = (name: string, args: object = {}) => world.call(name, args, { credentials: owner })

type Answered = { readonly status: number; readonly body: Loose }

async function answered(response: Response): Promise<Answered> {
  return { status: response.status, body: await response.json() }
}

/** An advance by the operator. */
async function operator(body: object, on = world): Promise<Answered> {
  return answered(await on.ops(ADVANCE_PATH, jsonPost(body)))
}

/** An advance by the account's own key. */
async function signed(
  body: object,
  on = world,
  { accountId, key, secret } = owner,
): Promise<Answered> {
  moved += 1
  const timestamp = String(Date.now() + moved)
  const act = { method: 'POST', path: ADVANCE_PATH, body: JSON.stringify(body), timestamp } as const
  const sent = envelope({ accountId, key, secret }, act)
  return answered(await on.fetch('/api/prep/relay', jsonPost(sent)))
}
let moved = 0

const nowMs = async () => (await call('get_time')).now

async function priceOf(symbol = ETH): Promise<number> {
  return (await call('get_market', { symbol })).market.mark_price
}

/** Places a limit order so far below the mark. */
async function rest(share: number) {
  const order_price = Math.round((await priceOf()) * (1 - share))
  const order = { symbol: ETH, side: 'BUY', order_type: 'LIMIT', order_quantity: 0.1 }
  return call('place_order', { ...order, order_price })
}

describe('an advance', () => {
  test('takes its steps one after the other, and reads after each', async () => {
    const fromMs = await nowMs()
    const reads = ['/v1/positions', `/v1/public/futures/${ETH}`, '/v1/no/such']
    const { body } = await signed({ steps: [{ ms: MINUTE_MS, reads }, { ms: 1 }, { ms: 0 }] })
    expect(body).toMatchObject({ nowMs: fromMs + MINUTE_MS + 1, stepsLeft: 0 })
    const [first, ...others] = body.steps
    expect(first).toMatchObject({ nowMs: fromMs + MINUTE_MS, advancedMs: MINUTE_MS, ended: 'time' })
    expect(first.reads).toMatchObject([{ rows: [] }, { symbol: ETH }, null])
    expect(others.map((step: Loose) => [step.advancedMs, step.ended, step.reads])).toEqual([
      [1, 'time', []],
      [0, 'time', []],
    ])
    expect(await nowMs()).toBe(body.nowMs)
  })

  test('ends with a fill of its account, at the time of the trade', async () => {
    const { order_id: orderId } = await rest(0.0005)
    const step = { ms: 6 * HOUR_MS, until: { fill: { orderId } }, reads: ['/v1/trades'] }
    const { body } = await signed({ steps: [step] })
    const [{ ended, advancedMs, reads }] = body.steps
    expect(ended).toBe('fill')
    expect(advancedMs).toBeLessThan(6 * HOUR_MS)
    expect(reads[0].rows[0]).toMatchObject({ order_id: orderId, executed_timestamp: body.nowMs })
  })

  test('ends with a price, at once where the mark is there, and not with the other side of it', async () => {
    const mark = await priceOf()
    const step = (price: object) => ({
      ms: 12 * HOUR_MS,
      until: { price: { symbol: ETH, ...price } },
    })
    const { body } = await signed({ steps: [step({ above: mark }), step({ below: mark * 0.999 })] })
    const [first, second] = body.steps
    expect([first.advancedMs, first.ended]).toEqual([0, 'price'])
    expect(second.advancedMs).toBeGreaterThan(0)
    if (second.ended === 'price') expect(await priceOf()).toBeLessThanOrEqual(mark * 0.999)
  })

  test('ends with the state of an order, at once where it is in that state', async () => {
    const { order_id: orderId, client_order_id: clientOrderId } = await rest(0.2)
    const states = [{ clientOrderId, state: 'NEW' }, { orderId }]
    const steps = states.map((order) => ({ ms: MINUTE_MS, until: { order } }))
    const ends = async () =>
      (await signed({ steps })).body.steps.map((step: Loose) => [step.ended, step.advancedMs])
    expect(await ends()).toEqual([
      ['order', 0],
      ['time', MINUTE_MS],
    ])
    await call('cancel_order', { order_id: orderId, symbol: ETH })
    expect(await ends()).toEqual([
      ['time', MINUTE_MS],
      ['order', 0],
    ])
  })

  test('ends when an order comes to a state, at the time of that, and goes no further', async () => {
    const { order_id: orderId } = await rest(0.0005)
    const step = { ms: 6 * HOUR_MS, until: { order: { orderId, state: 'FILLED' } } }
    const { body } = await signed({ steps: [{ ...step, reads: [`/v1/order/${orderId}`] }] })
    const [{ ended, advancedMs, reads }] = body.steps
    expect(ended).toBe('order')
    expect(advancedMs).toBeGreaterThan(0)
    expect(reads).toMatchObject([{ status: 'FILLED', updated_time: await nowMs() }])
  })

  test('ends at a time of the venue, and goes no further where that has passed', async () => {
    const atMs = (await nowMs()) + 1234
    const steps = [
      { ms: HOUR_MS, until: { atMs } },
      { ms: HOUR_MS, until: { atMs: START_MS } },
    ]
    const { body } = await signed({ steps })
    expect(body.steps.map(({ advancedMs }: Loose) => advancedMs)).toEqual([1234, 0])
  })

  test('of the operator means any user, or the account that is named', async () => {
    const { accountId } = owner
    await rest(0.0003)
    const found = await operator({ steps: [{ ms: 6 * HOUR_MS, until: { fill: {} } }] })
    expect(found.body.steps[0].ended).toBe('fill')
    const named = await operator({
      steps: [{ ms: 0, account: accountId, reads: ['/v1/trades'] }],
    })
    expect(named.body.steps[0].reads[0].rows.length).toBeGreaterThan(0)
    const anonymous = await operator({ steps: [{ ms: 0, reads: ['/v1/trades'] }] })
    expect(anonymous.body.steps[0].reads).toEqual([null])
    const account = `0x${'1'.repeat(64)}`
    expect(await operator({ steps: [{ ms: 1, account }] })).toMatchObject({
      status: 404,
      body: { meta: { parameter: 'account' } },
    })
  })

  test.each([
    [{}, 'steps'],
    [{ steps: [] }, 'steps'],
    [{ steps: [{ ms: -1 }] }, 'steps.0.ms'],
    [{ steps: [{ ms: 8 * 24 * HOUR_MS }] }, 'steps.0.ms'],
    [{ steps: Array(101).fill({ ms: 1 }) }, 'steps'],
    [{ steps: Array(8).fill({ ms: 24 * HOUR_MS }) }, 'steps'],
    [{ steps: [{ ms: 1, until: { fills: {} } }] }, 'steps.0.until.fills'],
    [{ steps: [{ ms: 1, until: { price: { symbol: 'ETH' } } }] }, 'steps.0.until.price.symbol'],
    [{ steps: [{ ms: 1, until: { order: { state: 'OPEN' } } }] }, 'steps.0.until.order.state'],
    [{ steps: [{ ms: 1, reads: ['https://x.invalid'] }] }, 'steps.0.reads.0'],
  ])('%j is refused by the name of what is off', async (body, parameter) => {
    const before = await nowMs()
    for (const refused of [await operator(body), await signed(body)])
      expect(refused).toMatchObject({ status: 400, body: { meta: { parameter } } })
    expect(await nowMs()).toBe(before)
  })

  test('an account is named by the operator alone, and an act is done once', async () => {
    const { accountId: account } = owner
    expect(await signed({ steps: [{ ms: 1 }, { ms: 1, account }] })).toMatchObject({
      body: { meta: { parameter: 'steps.1.account' } },
    })
    const act = { method: 'POST', path: ADVANCE_PATH, body: '{"steps":[{"ms":1}]}' } as const
    const sent = jsonPost(envelope(owner, { ...act, timestamp: String(Date.now()) }))
    const statuses = [
      (await world.fetch('/api/prep/relay', sent)).status,
      (await world.fetch('/api/prep/relay', sent)).status,
    ]
    expect(statuses).toEqual([200, 409])
  })
})

test('a liquidation ends an advance, and one of another account does not', async () => {
  const other = await world.another()
  const { accountId } = other.credentials
  await other.call('set_leverage', { symbol: ETH, leverage: 50 })
  const order_amount = 150_000
  await other.call('place_order', { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_amount })
  const steps = (account: string) => [{ ms: MINUTE_MS, account, until: { liquidation: true } }]
  await lower(0.2)
  expect((await operator({ steps: steps(accountId) })).body.steps).toMatchObject([
    { ended: 'liquidation' },
  ])
  expect((await operator({ steps: steps(owner.accountId) })).body.steps).toMatchObject([
    { ended: 'time' },
  ])
})

/** Lowers the index of ETH by a share within a minute. */
async function lower(share: number): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}` }
  const post = jsonPost({ symbol: ETH, share: String(-share), for: '1m' })
  const trend = { ...post, headers: { ...Object(post.headers), ...headers } }
  expect((await world.fetch('/api/admin/venue/price/trend', trend)).status).toBe(200)
}

describe('who may move the clock', () => {
  test('is the operator alone unless it is set, and nobody where time is real', async () => {
    const body = { steps: [{ ms: 1 }] }
    const closed = await openEmbeddedWorld()
    expect(await signed(body, closed, closed.credentials)).toMatchObject({
      status: 403,
      body: { code: 'forbidden', meta: { reason: 'operator_only' } },
    })
    expect((await operator(body, closed)).status).toBe(200)
    await closed.stop()
    const real = await openEmbeddedWorld({ ...LASTING, VENUE_CLOCK: 'real' })
    expect(await signed(body, real, real.credentials)).toMatchObject({
      status: 403,
      body: { meta: { reason: 'not_relayed', expected: 'PREPD_VENUE_CLOCK=virtual' } },
    })
    expect((await operator(body, real)).status).toBe(404)
    await real.stop()
  })
})
