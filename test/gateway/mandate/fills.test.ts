import { describe, expect, test } from 'bun:test'
import { MANDATE_PATH } from '../../../src/contract/act-paths.ts'
import { mandateAct } from '../../../src/gateway/account/key-act.ts'
import { FIGURE_READS } from '../../../src/perp/figure-reads.ts'
import { envelope } from '../../caller.ts'
import { FROM } from '../standby/instance.ts'
import {
  BTC,
  buy,
  call,
  caller,
  mandate,
  openInstanceOn,
  openWorldForEach,
  outcomeOf,
  post,
  readFigures,
  time,
  USDC,
  world,
} from './gate-world.ts'

openWorldForEach()

const ID = 5973852953
const accepted = { order_id: ID, client_order_id: null, error_message: 'none' }
const answered = (data: object) => async () => ({ success: true, timestamp: 1, data })

/** Relays a read of orders that the venue answers so. */
async function read(data: object, path = `/v1/order/${ID}`, on = world.instance) {
  world.readAnswer = answered(data)
  expect((await call({ method: 'GET', path }, caller, on)).outcome).toBe('sent')
}

const order = (status: string, executed: number, average: number | null = 50_000) => ({
  ...{ order_id: ID, status, quantity: 0.0012 },
  ...{ total_executed_quantity: executed, average_executed_price: average },
})

/** What is left of a day of 100 USDC, by the smallest order that is refused. */
async function left(): Promise<unknown> {
  const refused = await outcomeOf(buy(1000))
  return typeof refused === 'object' && 'left' in refused ? refused.left : refused
}

describe('what is used', () => {
  const show = async () => {
    time.nowMs += 1
    const timestamp = String(time.nowMs)
    const signed = envelope(caller, { method: 'GET', path: MANDATE_PATH, timestamp })
    return JSON.parse((await mandateAct(world.instance.gateway, signed, FROM)).reply.text())
  }

  test('stands in the answer of the mandate, and is unknown without figures of ten seconds', async () => {
    await mandate({ maxOrderUsdc: 100n * USDC })
    expect(await show()).not.toHaveProperty('used')
    await mandate({
      ...{ maxDailyUsdc: 100n * USDC, maxOrdersPerMinute: 5, maxLossUsdc: 50n * USDC },
      ...{ maxPositionUsdc: 4000n * USDC, maxLeverage: 3 },
    })
    const unknown = { maxPositionUsdc: null, maxLossUsdc: null, maxLeverage: null }
    const nothing = { maxDailyUsdc: null, maxOrdersPerMinute: null }
    expect(await show()).toMatchObject({
      used: { maxDailyUsdc: '0', maxOrdersPerMinute: 0, ...unknown },
      renewsAtMs: nothing,
    })
    // Fees of 1.80 USDC come on top, and funding of 0.25.
    world.dayResult = -12.5
    world.dayRows = {
      '/v1/trades': [{ fee: 1.8, fee_asset: 'USDC', executed_timestamp: time.nowMs }],
      '/v1/funding_fee/history': [
        { funding_fee: 0.25, payment_type: 'Pay', created_time: time.nowMs },
        { funding_fee: 9, payment_type: 'Pay', created_time: time.nowMs - 86_400_000 },
      ],
    }
    await readFigures()
    expect(await outcomeOf(buy(60.5))).toBe('sent')
    const endOf = (ms: number) => Math.floor(time.nowMs / ms) * ms + ms
    const [minuteEndsMs, secondEndsMs] = [endOf(60_000), endOf(1000)]
    expect(await show()).toMatchObject({
      used: {
        ...{ maxDailyUsdc: '60.5', maxOrdersPerMinute: 1 },
        ...{ maxPositionUsdc: '3010.5', maxLossUsdc: '14.55', maxLeverage: 0.31 },
      },
      renewsAtMs: {
        maxDailyUsdc: minuteEndsMs + 86_400_000,
        maxOrdersPerMinute: secondEndsMs + 60_000,
      },
    })
    time.nowMs += 10_000
    expect(await show()).toMatchObject({ used: { maxDailyUsdc: '60.5', ...unknown } })
  })
})

test('figures count of answers that show all positions and waiting orders, not of narrower questions', async () => {
  await mandate({ maxPositionUsdc: 4000n * USDC })
  const [waiting, positions] = FIGURE_READS
  for (const paths of [
    [waiting, `${positions}?symbol=PERP_ETH_USDC`],
    [waiting, `${positions}?page=2`],
    [`${waiting}&symbol=PERP_ETH_USDC`, positions],
    [`${waiting}&page=2`, positions],
    ['/v1/algo/orders?status=COMPLETED', positions],
    [positions, waiting],
  ]) {
    for (const path of paths) expect(await outcomeOf({ method: 'GET', path })).toBe('sent')
    time.nowMs += 10_000
    expect(await outcomeOf(buy(900))).toMatchObject({ reason: 'unknown' })
  }
  await readFigures()
  expect(await outcomeOf(buy(900))).toBe('sent')
})

describe('an order of an account with a mandate', () => {
  test('counts at its worst case while it rests, and at what it was filled for once it has ended', async () => {
    await mandate({ maxDailyUsdc: 100n * USDC })
    world.orderAnswer = answered(accepted)
    expect(await outcomeOf(buy(60))).toBe('sent')
    for (const open of [order('NEW', 0, null), order('PARTIAL_FILLED', 0.0005)]) {
      await read(open)
      expect(await left()).toBe(40)
    }
    await read({ ...order('CANCELLED', 0.0005), order_id: 1 })
    expect(await left()).toBe(40)
    await read(order('CANCELLED', 0.0005))
    expect(await left()).toBe(75)
    await read(order('CANCELLED', 0))
    expect(await left()).toBe(75)
  })

  test('is given back whole when it was cancelled unfilled, in a list that another instance relays', async () => {
    await mandate({ maxDailyUsdc: 100n * USDC })
    world.orderAnswer = answered(accepted)
    expect(await outcomeOf(buy(60))).toBe('sent')
    const other = await openInstanceOn(world.store)
    await read({ rows: [order('CANCELLED', 0, null)] }, '/v1/orders?status=COMPLETED', other)
    expect(await left()).toBe(100)
  })

  test('never counts more than its worst case, and keeps it where a figure is missing', async () => {
    await mandate({ maxDailyUsdc: 100n * USDC })
    world.orderAnswer = answered(accepted)
    expect(await outcomeOf(buy(60))).toBe('sent')
    await read(order('FILLED', 0.0012, null))
    expect(await left()).toBe(40)
    await read(order('FILLED', 0.0012, 51_000))
    expect(await left()).toBe(40)
  })

  test('that the venue took and refused in one answer is given back', async () => {
    await mandate({ maxDailyUsdc: 100n * USDC, maxOrdersPerMinute: 1, onceByClientOrderId: true })
    world.orderAnswer = answered({ ...accepted, error_message: 'no liquidity' })
    expect(await outcomeOf(buy(60, { client_order_id: 'a' }))).toBe('sent')
    world.orderAnswer = answered(accepted)
    expect(await outcomeOf(buy(60, { client_order_id: 'a' }))).toBe('sent')
    expect(await outcomeOf(buy(1, { client_order_id: 'b' }))).toMatchObject({ reason: 'rate' })
  })

  test('that is conditional is not known by the id of a plain order, which may be the same number', async () => {
    await mandate({ maxDailyUsdc: 100n * USDC })
    const stop = {
      ...{ symbol: BTC, algo_type: 'STOP', type: 'LIMIT', side: 'BUY' },
      ...{ quantity: 0.0012, price: 50_000, trigger_price: 49_000 },
    }
    world.orderAnswer = answered({ order_id: ID, algo_type: 'STOP', quantity: 0.0012 })
    expect(await outcomeOf(post('/v1/algo/order', stop))).toBe('sent')
    await read(order('CANCELLED', 0, null))
    expect(await left()).toBe(40)
    world.orderAnswer = answered({ rows: [{ order_id: ID, client_order_id: 'a' }] })
    const named = { ...stop, client_order_id: 'a', quantity: 0.0002 }
    expect(await outcomeOf(post('/v1/algo/order', named))).toBe('sent')
    await read(order('CANCELLED', 0, null))
    expect(await left()).toBe(30)
  })

  test('of a batch that the venue has refused uses nothing, and its id is free again', async () => {
    await mandate({ maxDailyUsdc: 100n * USDC, onceByClientOrderId: true })
    const named = (id: string) => ({ ...JSON.parse(buy(20).body ?? ''), client_order_id: id })
    const batch = (...ids: string[]) => post('/v1/batch-order', { orders: ids.map(named) })
    const leftOf = async () => {
      const order = { ...named('huge'), order_price: 50_000, order_quantity: 1 }
      const refused = await outcomeOf(post('/v1/order', order))
      return typeof refused === 'object' && 'left' in refused ? refused.left : refused
    }
    const row = (id: string, message?: string) => ({
      ...{ order_id: message ? 0 : 7, client_order_id: id },
      ...(message && { error_message: message }),
    })
    world.orderAnswer = answered({ rows: [row('b', 'The price is too low.'), row('a')] })
    expect(await outcomeOf(batch('a', 'b'))).toBe('sent')
    expect(await leftOf()).toBe(80)
    world.orderAnswer = answered({ rows: [row('b', 'refused'), row('c', 'refused')] })
    expect(await outcomeOf(batch('b', 'c'))).toBe('sent')
    expect(await leftOf()).toBe(80)
    expect(await outcomeOf(batch('a', 'c'))).toMatchObject({ code: 'duplicate_request' })
    // An answer that does not say which one was refused gives nothing back.
    world.orderAnswer = answered({ rows: [{ order_id: 8 }, { order_id: 0, error_message: 'no' }] })
    expect(await outcomeOf(batch('b', 'c'))).toBe('sent')
    expect(await leftOf()).toBe(40)
  })

  test('of a batch is known by its own id, and by nothing else', async () => {
    await mandate({ maxDailyUsdc: 100n * USDC })
    const one = { ...JSON.parse(buy(30).body ?? ''), client_order_id: 'a' }
    const rows = [
      { ...accepted, client_order_id: 'b', order_id: 2 },
      { ...accepted, client_order_id: 'a', order_id: ID },
    ]
    const batch = (names: readonly object[]) =>
      post('/v1/batch-order', { orders: names.map((name) => ({ ...one, ...name })) })
    world.orderAnswer = answered({ rows })
    const named = [{}, { client_order_id: 'b', order_quantity: 0.0004 }]
    expect(await outcomeOf(batch(named))).toBe('sent')
    await read(order('CANCELLED', 0))
    expect(await left()).toBe(80)
    const unnamed = [{ client_order_id: undefined }, { client_order_id: undefined }]
    expect(await outcomeOf(batch(unnamed))).toBe('sent')
    await read({ ...order('CANCELLED', 0), order_id: ID })
    expect(await left()).toBe(20)
  })
})
