import { describe, expect, test } from 'bun:test'
import { Failure } from '../../../src/core/failure.ts'
import { UpstreamError } from '../../../src/core/ports.ts'
import { newCaller, type TestCall } from '../../caller.ts'
import wire from '../../vectors/tools-wire.json'
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
  START_MS,
  time,
  USDC,
  world,
} from './gate-world.ts'

openWorldForEach()

describe('an account without a mandate', () => {
  test('is forwarded whatever its bodies are', async () => {
    const twice = '{"order_quantity":0.2,"order_quantity":0.1}'
    expect(await outcomeOf(post('/v1/order', twice))).toBe('sent')
    expect(world.sent.map(({ body }) => body)).toEqual([twice])
  })
})

describe('a write whose account could not be looked up', () => {
  test('was not sent, and is sent when it is repeated', async () => {
    const { mandates } = world.store
    let isAway = true
    const away = () => Promise.reject(new Failure('store_unavailable'))
    const instance = await openInstanceOn({
      ...world.store,
      mandates: { ...mandates, find: (id) => (isAway ? away() : mandates.find(id)) },
    })
    const first = await call(buy(10), caller, instance)
    expect(first.outcome).toMatchObject({ code: 'store_unavailable' })
    expect(await first.again()).toMatchObject({ code: 'store_unavailable' })
    expect(world.sent).toEqual([])
    isAway = false
    expect(await first.again()).toBe('sent')
    expect(world.sent.length).toBe(1)
  })

  test.each([false, true])(
    'is sent where it only reduces, also with needsApproval %p',
    async (needsApproval) => {
      const away = () => Promise.reject(new Failure('store_unavailable'))
      const mandates = { ...world.store.mandates, find: away }
      const instance = await openInstanceOn({ ...world.store, mandates })
      const sent = (asked: TestCall) => call(asked, caller, instance, needsApproval)
      const stop = { algo_type: 'STOP', type: 'MARKET', reduce_only: true }
      expect((await sent(buy(10, { reduce_only: true }))).outcome).toBe('sent')
      expect((await sent(post('/v1/algo/order', stop))).outcome).toBe('sent')
      expect((await sent({ method: 'DELETE', path: '/v1/orders' })).outcome).toBe('sent')
      expect(world.sent.length).toBe(3)
      // A mandate refuses a body with a member that it does not know.
      const unknown = buy(10, { reduce_only: true, reduceOnly: false })
      expect((await sent(unknown)).outcome).toMatchObject({ code: 'store_unavailable' })
      expect(world.sent.length).toBe(3)
    },
  )
})

describe('an account with a mandate', () => {
  test('sends an order of exactly the limit, and nothing beyond it', async () => {
    await mandate({ maxOrderUsdc: 100n * USDC })
    expect(await outcomeOf(buy(100))).toBe('sent')
    expect(await outcomeOf(buy(100.5))).toEqual({
      ...{ code: 'mandate_exceeded', reason: 'order_value', limit: 100, requested: 100.5 },
      ...{ fitsUsdc: 100, worstPrice: 50_000, largestOrderQuantity: 0.002 },
    })
    // Up to 3% above the mark of 60,210 USDC.
    const at = { order_type: 'MARKET', order_price: undefined }
    for (const own of [at, { side: 'SELL' }]) {
      expect(await outcomeOf(buy(0, { ...own, order_quantity: 0.00161 }))).toBe('sent')
      expect(await outcomeOf(buy(0, { ...own, order_quantity: 0.00162 }))).toMatchObject({
        reason: 'order_value',
      })
    }
    expect(world.sent.length).toBe(3)
  })

  test('sends no body that two parsers may read differently, or that has unknown members', async () => {
    await mandate({ maxOrderUsdc: 100n * USDC })
    for (const body of [
      '{"symbol":"PERP_BTC_USDC","order_quantity":0.2,"order_quantity":0.1}',
      '{"symbol":"PERP_BTC_USDC","order_quantity":"0.1"}',
      '{"symbol":"PERP_BTC_USDC","order_quantity":0.1,"orderQuantity":5}',
      '{"symbol":"PERP_BTC_USDC","reduce_only":"true"}',
      '[]',
    ])
      expect(await outcomeOf(post('/v1/order', body))).toMatchObject({ code: 'invalid_request' })
    expect(world.sent).toEqual([])
  })

  test('has a day of rolling 24 hours, in which what the venue refused does not count', async () => {
    await mandate({ maxDailyUsdc: 100n * USDC })
    world.orderAnswer = async () => ({ success: false, code: -1101, message: 'margin' })
    expect(await outcomeOf(buy(90))).toMatchObject({ code: 'insufficient_margin' })
    world.orderAnswer = async () => wire['POST /v1/order']
    const first = await call(buy(60))
    expect(first.outcome).toBe('sent')
    const renewsAtMs = Math.floor(time.nowMs / 60_000) * 60_000 + 60_000 + 86_400_000
    expect(await first.again()).toBe('true')
    expect(await outcomeOf(buy(40))).toBe('sent')
    expect(await outcomeOf(buy(20))).toMatchObject({
      ...{ reason: 'daily_value', limit: 100, requested: 120, left: 0, renewsAtMs },
    })
    time.nowMs = renewsAtMs - 2
    expect(await outcomeOf(buy(60))).toMatchObject({ reason: 'daily_value' })
    time.nowMs = renewsAtMs
    expect(await outcomeOf(buy(60))).toBe('sent')
  })

  test('has used what may have reached the venue', async () => {
    await mandate({ maxDailyUsdc: 100n * USDC })
    world.orderAnswer = () => Promise.reject(new UpstreamError('timeout', true))
    expect(await outcomeOf(buy(60))).toMatchObject({ code: 'outcome_unknown' })
    expect(await outcomeOf(buy(60))).toMatchObject({ reason: 'daily_value' })
    world.orderAnswer = () => Promise.reject(new UpstreamError('unreachable', false))
    expect(await outcomeOf(buy(40))).toMatchObject({ code: 'upstream_unavailable' })
    world.orderAnswer = async () => wire['POST /v1/order']
    expect(await outcomeOf(buy(40))).toBe('sent')
  })

  test('counts the orders of a batch, of which none only reduces', async () => {
    await mandate({ maxOrdersPerMinute: 3, maxDailyUsdc: 100n * USDC })
    const order = JSON.parse(buy(20).body ?? '')
    const batch = (count: number) =>
      post('/v1/batch-order', { orders: Array(count).fill({ ...order, reduce_only: true }) })
    expect(await outcomeOf(batch(4))).toMatchObject({ reason: 'rate', requested: 4, left: 3 })
    expect(await outcomeOf(batch(2))).toBe('sent')
    expect(await outcomeOf(batch(2))).toMatchObject({ reason: 'rate' })
    time.nowMs += 61_000
    expect(await outcomeOf(batch(3))).toBe('sent')
    time.nowMs += 61_000
    expect(await outcomeOf(buy(1))).toMatchObject({ reason: 'daily_value' })
  })

  test('that is frozen sends cancels and what only reduces, and moves no money', async () => {
    await mandate({}, 'key')
    const frozen = { code: 'mandate_exceeded', reason: 'frozen' } as const
    for (const asked of [
      buy(10),
      post('/v1/internal_transfer', { token: 'USDC' }),
      post('/v1/withdraw_request', { signature: '0x' }),
      post('/v1/client/leverages', { symbol: BTC, leverage: 2 }),
      post('/v1/algo/order', { symbol: BTC, algo_type: 'STOP', quantity: 1, trigger_price: 1 }),
    ])
      expect(await outcomeOf(asked)).toEqual(frozen)
    expect(await outcomeOf(buy(10, { reduce_only: true }))).toBe('sent')
    const leg = { symbol: BTC, algo_type: 'STOP_LOSS', side: 'SELL', reduce_only: true }
    const protect = { symbol: BTC, algo_type: 'POSITIONAL_TP_SL', child_orders: [leg] }
    expect(await outcomeOf(post('/v1/algo/order', protect))).toBe('sent')
    expect(await outcomeOf({ method: 'DELETE', path: '/v1/orders' })).toBe('sent')
    const open = { ...protect, child_orders: [{ ...leg, reduce_only: false }] }
    expect(await outcomeOf(post('/v1/algo/order', open))).toEqual(frozen)
  })

  test('trades its markets, within its leverage, until its end', async () => {
    const endsMs = START_MS + 1000
    await mandate({ symbols: ['PERP_ETH_USDC'], maxLeverage: 3, expiresAtMs: endsMs })
    expect(await outcomeOf(buy(10))).toMatchObject({ reason: 'symbol', requested: BTC })
    const leverage = (leverage: number, symbol = 'PERP_ETH_USDC') =>
      outcomeOf(post('/v1/client/leverages', { symbol, leverage }))
    expect(await leverage(3)).toBe('sent')
    expect(await leverage(4)).toMatchObject({ reason: 'leverage', limit: 3, requested: 4 })
    expect(await leverage(2, BTC)).toMatchObject({ reason: 'symbol' })
    time.nowMs = endsMs
    expect(await leverage(2)).toMatchObject({ reason: 'expired' })
  })

  test('is judged by figures of ten seconds at most', async () => {
    await mandate({ maxPositionUsdc: 4000n * USDC })
    expect(await outcomeOf(buy(900))).toMatchObject({ reason: 'unknown' })
    await readFigures()
    time.nowMs += 9_000
    // The position of the wire is worth 3,010.50 USDC.
    expect(await outcomeOf(buy(900))).toBe('sent')
    expect(await outcomeOf(buy(100))).toMatchObject({ reason: 'position', requested: 4010.5 })
    time.nowMs += 1_000
    expect(await outcomeOf(buy(10))).toMatchObject({ reason: 'unknown' })
  })

  test('that has lost too much opens nothing, whatever the order, and reduces on', async () => {
    await mandate({ maxLossUsdc: 50n * USDC })
    const atMarket = buy(0, {
      side: 'SELL',
      order_type: 'MARKET',
      order_price: undefined,
      order_quantity: 0.001,
    })
    world.dayResult = -40
    await readFigures()
    for (const order of [buy(10), atMarket]) expect(await outcomeOf(order)).toBe('sent')
    world.dayResult = -50
    await readFigures()
    for (const order of [buy(10), atMarket])
      expect(await outcomeOf(order)).toMatchObject({ reason: 'loss', limit: 50 })
    expect(await outcomeOf(buy(10, { reduce_only: true }))).toBe('sent')
  })

  test('counts an edit as all that it may become, and refuses one that does not say it', async () => {
    await mandate({ maxDailyUsdc: 100n * USDC })
    const edit = (own: object): TestCall => ({
      ...buy(60, { order_id: '7', ...own }),
      method: 'PUT',
    })
    expect(await outcomeOf(edit({ order_quantity: undefined }))).toMatchObject({
      reason: 'unknown',
    })
    expect(await outcomeOf(edit({ reduce_only: true }))).toBe('sent')
    expect(await outcomeOf(edit({}))).toMatchObject({ reason: 'daily_value' })
    const algo = { method: 'PUT', path: '/v1/algo/order', body: '{"order_id":"7"}' } as const
    expect(await outcomeOf(algo)).toMatchObject({ reason: 'unknown' })
  })

  test('sends each client_order_id once, and again where the venue refused it', async () => {
    await mandate({ onceByClientOrderId: true })
    const named = { client_order_id: 'a' }
    expect(await outcomeOf(buy(10))).toMatchObject({ parameter: 'body.client_order_id' })
    world.orderAnswer = async () => ({ success: false, code: -1101, message: 'margin' })
    expect(await outcomeOf(buy(10, named))).toMatchObject({ code: 'insufficient_margin' })
    world.orderAnswer = async () => wire['POST /v1/order']
    expect(await outcomeOf(buy(10, named))).toBe('sent')
    expect(await outcomeOf(buy(20, named))).toMatchObject({ code: 'duplicate_request' })
  })

  test('is used by no key that the venue has not accepted', async () => {
    await mandate({ maxDailyUsdc: 100n * USDC })
    const stranger = { ...newCaller(), accountId: caller.accountId }
    expect((await call(buy(100), stranger)).outcome).toMatchObject({ code: 'unauthorized' })
    expect(await outcomeOf(buy(100))).toBe('sent')
  })

  test('stays within its day however orders race over two instances', async () => {
    await mandate({ maxDailyUsdc: 100n * USDC })
    const other = await openInstanceOn(world.store)
    const outcomes = await Promise.all(
      Array.from(
        { length: 40 },
        async (_, at) =>
          (
            await call(
              buy(7, { order_quantity: (7 + at / 100) / 50_000 }),
              caller,
              at % 2 ? other : world.instance,
            )
          ).outcome,
      ),
    )
    const passed = outcomes.filter((outcome) => outcome === 'sent')
    expect(passed.length).toBeWithin(12, 15)
    const value = world.sent.reduce(
      (sum, { body }) => sum + JSON.parse(body ?? '').order_quantity,
      0,
    )
    expect(value * 50_000).toBeLessThanOrEqual(100.000001)
  })
})
