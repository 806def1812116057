// Slow: a venue and a client open, and orders are placed and cancelled.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Client, createClient } from '../../src/agents/client/client.ts'
import { STANDBY_PATH } from '../../src/contract/standby.ts'
import { type Opened, openTemporaryAccount } from '../../src/operator/account/open.ts'
import { envelope, jsonPost } from '../caller.ts'
import { until } from '../cluster/processes.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'
import { type ClockedTarget, openClocked } from './clocked-target.ts'

const SYMBOL = 'PERP_ETH_USDC'

/** An account with a client of its own. */
async function opened(target: Pick<Target, 'fetch'>, nowMs = Date.now) {
  const client = createClient({
    baseUrl: 'http://localhost',
    transport: async (request) => {
      const { pathname, search } = new URL(request.url)
      return target.fetch(pathname + search, request)
    },
    nowMs,
  })
  const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) }
  const account = await openTemporaryAccount(client, { clock: { nowMs }, random })
  return { client, account }
}

function cancelOf(account: Opened, timestampMs: number) {
  const call = { method: 'DELETE', path: '/v1/orders', timestamp: String(timestampMs) } as const
  return envelope(account, call)
}

describe('an account of the embedded venue that has a standby', () => {
  let target: ClockedTarget
  let client: Client
  let account: Opened
  beforeAll(async () => {
    target = await openClocked({ LIMIT_RELAY: 'off', LIMIT_ACCOUNT: 'off' })
    ;({ client, account } = await opened(target, target.nowMs))
  })
  afterAll(() => target.stop())

  const act = (method: 'GET' | 'DELETE') => client.relay(account, { method, path: STANDBY_PATH })
  const state = async () => Object(await act('GET')).state
  const order = async (path: string, body: object) =>
    client.relay(account, {
      method: 'POST',
      path,
      body: JSON.stringify({ symbol: SYMBOL, ...body }),
    })
  const rows = async (path: string) =>
    Object(await client.relay(account, { method: 'GET', path })).rows

  test('loses its orders when it is silent, and keeps what protects its position', async () => {
    const { bids } = Object(await client.get('/api/prep/orderbook', { symbol: SYMBOL }))
    const price = Math.floor(bids[0].price * 0.95)
    await order('/v1/order', { order_type: 'MARKET', side: 'BUY', order_quantity: 0.1 })
    await order('/v1/order', {
      order_type: 'LIMIT',
      side: 'BUY',
      order_price: price,
      order_quantity: 0.1,
    })
    await order('/v1/algo/order', {
      algo_type: 'STOP',
      type: 'MARKET',
      side: 'SELL',
      quantity: 0.1,
      trigger_price: price,
      reduce_only: true,
    })
    const signed = [0, 200_000, 400_000].map((ms) => cancelOf(account, target.nowMs() + ms))
    await client.post(STANDBY_PATH, { envelopes: signed, afterMs: 30_000 })
    target.advance(29_000)
    expect(await state()).toBe('armed')
    expect(await rows('/v1/orders?status=INCOMPLETE')).toHaveLength(1)
    target.advance(1000)
    await until(async () => (await state()) === 'cancelled')
    expect(await rows('/v1/orders?status=INCOMPLETE')).toEqual([])
    expect(await rows('/v1/algo/orders?status=INCOMPLETE')).toHaveLength(1)
    expect(await rows('/v1/positions')).toMatchObject([{ symbol: SYMBOL, position_qty: 0.1 }])
  })
})

describe.each([...USUAL_KINDS])('the standby of an account over HTTP, %s', (kind) => {
  let target: Target
  let client: Client
  let account: Opened
  beforeAll(async () => {
    target = await openTarget(kind)
    ;({ client, account } = await opened(target))
  })
  afterAll(() => target.stop())

  const post = async (body: object) => {
    const response = await target.fetch(STANDBY_PATH, jsonPost(body))
    return { status: response.status, body: Object(await response.json()) }
  }
  const act = (method: 'GET' | 'DELETE') => client.relay(account, { method, path: STANDBY_PATH })

  test('is none, armed, and withdrawn', async () => {
    expect(await act('GET')).toEqual({ state: 'none' })
    const beganMs = Date.now()
    const { status, body } = await post({
      envelopes: [cancelOf(account, beganMs)],
      afterMs: 60_000,
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ state: 'armed', endsAtMs: beganMs + 260_000 })
    expect(body.sendsAtMs - beganMs).toBeWithin(60_000, 70_000)
    expect(await act('GET')).toEqual(body)
    expect(await act('DELETE')).toMatchObject({ state: 'withdrawn' })
  })

  test.each([
    ['no envelopes', { envelopes: [], afterMs: 60_000 }, 'envelopes', 'too_short'],
    ['twenty-five', { envelopes: Array(25).fill({}), afterMs: 60_000 }, 'envelopes', 'too_long'],
    ['no time', { envelopes: [{}] }, 'afterMs', 'missing'],
    ['too short a time', { afterMs: 9999 }, 'afterMs', 'out_of_range'],
  ])('is refused with %s', async (_, body, parameter, reason) => {
    const answer = await post({ envelopes: [cancelOf(account, Date.now())], ...body })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    const { meta } = answer.body
    const faults: object[] = meta.faults ?? [meta]
    expect(faults).toContainEqual(expect.objectContaining({ parameter, reason }))
  })

  test('its signed acts are no other methods, and are never sent to the venue', async () => {
    const call = { method: 'POST', path: STANDBY_PATH, body: '{}' } as const
    await expect(client.relay(account, call)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('its signatures are in no line of the log', async () => {
    const signed = cancelOf(account, Date.now() + 1)
    await post({ envelopes: [signed], afterMs: 60_000 })
    expect(target.log()).not.toContain(signed.auth.signature)
    expect(target.log()).not.toContain(account.accountId)
  })
})
