import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { envelope, type TestCaller } from '../caller.ts'
import { openInProcess, type Target } from '../target.ts'
import { RELAY, SYMBOL } from './asked.ts'
import { newUser, post } from './wallets.ts'

const OPERATOR_KEY = 'operator-key-of-thirty-two-characters'

/** A prepd whose embedded venue has a thread that can be made to fail. */
function openFailing(): Promise<Target> {
  const thread = new URL('../simulator/thread/failing-thread.ts', import.meta.url).href
  const unlimited = { LIMIT_WRITE: 'off', LIMIT_RELAY: 'off', LIMIT_ACCOUNT: 'off' }
  const settings = { OPERATOR_KEY, OPS_LISTEN: 'off', LIMIT_ADMIN: 'off', ...unlimited }
  return openInProcess(settings, { startVenueThread: () => new Worker(thread) })
}

describe('a venue whose thread fails', () => {
  let target: Target
  let user: TestCaller
  let price = 0

  beforeAll(async () => {
    target = await openFailing()
    user = await newUser(target)
    const book = Object(await (await target.fetch(`/api/prep/orderbook?symbol=${SYMBOL}`)).json())
    price = Math.round(book.bids[0].price * 0.95)
  })
  afterAll(() => target.stop())

  const order = (id: string) => {
    const terms = { order_type: 'LIMIT', order_price: price, order_quantity: 0.01, side: 'BUY' }
    const body = JSON.stringify({ symbol: SYMBOL, client_order_id: id, ...terms })
    return envelope(user, { method: 'POST', path: '/v1/order', body })
  }
  const read = (path: string) => post(target, RELAY, envelope(user, { method: 'GET', path }))

  /** The first answer of a read that is not the failure of a venue which is away. */
  async function whenBack(path: string) {
    for (;;) {
      const answer = await read(path)
      if (answer.status !== 502) return answer
      expect(answer.body).toMatchObject({ code: 'upstream_unavailable' })
      await Bun.sleep(1)
    }
  }

  async function restarts(): Promise<number> {
    const page = await (await target.ops('/metrics')).text()
    return Number(/^prepd_venue_restarts_total (\d+)$/m.exec(page)?.[1])
  }

  // Slow: a thread of a venue ends and another one starts.
  test('answers a write under way with an unknown outcome, and has the order when it is back', async () => {
    expect(await restarts()).toBe(0)
    const signed = order('fail-throw')
    const unknown = { status: 409, body: { code: 'outcome_unknown' } }
    expect(await post(target, RELAY, signed)).toMatchObject(unknown)
    const { body } = await whenBack('/v1/orders?status=INCOMPLETE')
    expect(body).toMatchObject({ rows: [{ client_order_id: 'fail-throw' }] })
    // It is never sent again.
    expect(await post(target, RELAY, signed)).toMatchObject(unknown)
    expect(await restarts()).toBe(1)
    expect(target.log()).toContain('"venue_ended"')
    expect(target.log()).toContain('"venue_restarted"')
    expect(target.log()).not.toContain('"crash"')
    expect((await target.ops('/readyz')).status).toBe(200)
  })

  // Slow: three threads of a venue start one after the other, each with a new world.
  test('is not ready after three failures, until the command that /readyz names', async () => {
    for (const id of ['fail-reject', 'fail-exit']) {
      expect((await post(target, RELAY, order(id))).status).toBe(409)
      if (id === 'fail-reject') await whenBack('/v1/positions')
    }
    const down = await target.ops('/readyz')
    expect(down.status).toBe(503)
    expect(await down.json()).toMatchObject({
      ready: false,
      missing: expect.stringContaining('`prepd --mode admin venue reset`'),
    })
    const away = { status: 502, body: { code: 'upstream_unavailable' } }
    expect(await read('/v1/positions')).toMatchObject(away)
    // What needs no venue is answered as ever.
    expect((await target.fetch('/api/prep/catalogue')).status).toBe(200)
    const reset = await target.fetch('/api/admin/venue/reset', {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(reset.status).toBe(200)
    expect((await target.ops('/readyz')).status).toBe(200)
    // The world is another, without the account.
    expect(await read('/v1/positions')).toMatchObject({ status: 401 })
    expect(await restarts()).toBe(3)
  })
})
