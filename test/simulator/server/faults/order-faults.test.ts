import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { signed } from '../../trading-wallet.ts'
import { messagesOn, openWire } from '../fixture.ts'

const ETH = 'PERP_ETH_USDC'
const MARKET = { symbol: ETH, order_type: 'MARKET', side: 'BUY', order_quantity: 0.5 }
const RESTING = { ...MARKET, order_type: 'LIMIT', order_price: 2000 }
/** An order that takes at any price near the index. */
const taking = (order_type: string) => ({
  ...{ ...MARKET, order_type },
  order_price: (Math.round((Number(wire.venue.indexOf(ETH)) / 1e6) * 1.01) / 100) * 1,
})

let wire: ReturnType<typeof openWire>
beforeEach(() => {
  wire = openWire()
  wire.pass(60_000)
})
afterEach(async () => {
  expect((await wire.venue.check()).broken).toEqual([])
  await wire.stop()
})

const ORDERS = { method: 'GET', path: '/v1/orders?size=100' }

const orderBy = (auth: Parameters<typeof signed>[0]) => {
  const body = JSON.stringify(RESTING)
  return signed(auth, { method: 'POST', path: '/v1/order', body, timestampMs: wire.nowMs() })
}

/** A client of the wire, and what it orders. */
async function trader(name: string) {
  const client = await wire.client(name)
  const data = async (...call: Parameters<typeof client.call>) =>
    JSON.parse(await client.call(...call)).data
  return {
    client,
    order: (terms: object) => data('POST', '/v1/order', terms),
    batch: (...orders: readonly object[]) => data('POST', '/v1/batch-order', { orders }),
    orders: async () => (await data('GET', '/v1/orders?size=100')).rows,
    held: async () => (await data('GET', '/v1/positions')).rows[0]?.position_qty ?? 0,
  }
}

describe('an answer that arrives twice', () => {
  test('is that of the next order of the account too, which takes effect; then each has its own', async () => {
    const { order, orders } = await trader('a')
    wire.lay({ kind: 'duplicate', path: '/v1/order', count: 1 })
    const first = await order({ ...RESTING, client_order_id: 'first' })
    expect(first.client_order_id).toBe('first')
    expect(await order({ ...RESTING, client_order_id: 'second' })).toEqual(first)
    const third = await order({ ...RESTING, client_order_id: 'third' })
    expect(third.client_order_id).toBe('third')
    const names = (await orders()).map((row: { client_order_id: string }) => row.client_order_id)
    expect(names.toSorted()).toEqual(['first', 'second', 'third'])
  })

  test('is nobody else’s', async () => {
    const [one, other] = [await trader('a'), await trader('b')]
    wire.lay({ kind: 'duplicate', count: 1 })
    await one.order({ ...RESTING, client_order_id: 'first' })
    const answer = await other.order({ ...RESTING, client_order_id: 'mine' })
    expect(answer.client_order_id).toBe('mine')
  })

  test('is not given to a key that the account has not, and waits for the account', async () => {
    const [one, other] = [await trader('a'), await trader('b')]
    wire.lay({ kind: 'duplicate', path: '/v1/order', count: 1 })
    const first = await one.order({ ...RESTING, client_order_id: 'first' })
    const foreign = { ...other.client.auth, accountId: one.client.auth.accountId }
    expect(JSON.parse(await other.client.send(orderBy(foreign))).success).toBe(false)
    expect(await one.order({ ...RESTING, client_order_id: 'second' })).toEqual(first)
  })

  test('is not kept of a call that names no account', async () => {
    wire.lay({ kind: 'duplicate' })
    const [one, other] = [await trader('a'), await trader('b')]
    const registered = (seen: readonly string[]) =>
      seen.find((line) => line.startsWith('POST /v1/register_account'))
    expect(registered(one.client.seen)).toContain(one.client.auth.accountId)
    expect(registered(other.client.seen)).toContain(other.client.auth.accountId)
  })
})

test('a stale read is not given to a key that the account has not, nor is its refusal to the account', async () => {
  const [one, other] = [await trader('a'), await trader('b')]
  wire.lay({ kind: 'stale' })
  const foreign = { ...other.client.auth, accountId: one.client.auth.accountId }
  const read = () => signed(foreign, { ...ORDERS, timestampMs: wire.nowMs() })
  expect(JSON.parse(await other.client.send(read())).success).toBe(false)
  expect(await one.orders()).toEqual([])
  expect(JSON.parse(await other.client.send(read())).success).toBe(false)
})

describe('an order that is cancelled silently', () => {
  test.each(['order', 'batch'] as const)(
    'by %s is answered as taken, is cancelled, and no message says so',
    async (way) => {
      const { client, orders, ...send } = await trader('a')
      const socket = await wire.own(client)
      socket.send({ id: 'r', event: 'subscribe', topic: 'executionreport' })
      await socket.level()
      wire.lay({ kind: 'silent-cancel', count: 1 })
      const answer = await send[way](RESTING)
      expect((answer.rows ?? [answer])[0].order_id).toBeGreaterThan(0)
      wire.pass(1000, 10)
      await socket.level()
      const reported = messagesOn(socket.texts, 'executionreport')
      expect(reported.map(({ data }) => Object(data).status)).not.toContain('CANCELLED')
      const [row] = await orders()
      expect(row).toMatchObject({ status: 'CANCELLED', total_executed_quantity: 0 })
    },
  )

  test('that was filled before stays filled', async () => {
    const { order, orders, held } = await trader('a')
    wire.lay({ kind: 'silent-cancel' })
    await order(MARKET)
    expect((await orders())[0].status).toBe('FILLED')
    expect(await held()).toBe(0.5)
  })
})

describe('an order that is filled in part', () => {
  test.each([['MARKET'], ['LIMIT'], ['IOC']])(
    'of type %s gets its share of what it would take, and the rest is cancelled',
    async (type) => {
      const { order, orders, held } = await trader('a')
      wire.lay({ kind: 'partial-fill', share: 0.3, count: 1 })
      await order({ ...taking(type), order_quantity: 0.1 })
      expect((await orders())[0]).toMatchObject({
        status: 'CANCELLED',
        total_executed_quantity: 0.03,
      })
      expect(await held()).toBe(0.03)
      await order({ ...MARKET, order_quantity: 0.1 })
      expect(await held()).toBe(0.13)
    },
  )

  test.each([
    ['rests', () => RESTING, 'NEW', 0],
    ['is filled or killed', () => taking('FOK'), 'FILLED', 0.5],
  ])('that %s is not affected', async (_, terms, status, executed) => {
    const { order, orders } = await trader('a')
    wire.lay({ kind: 'partial-fill' })
    await order(terms())
    expect((await orders())[0]).toMatchObject({ status, total_executed_quantity: executed })
  })
})
