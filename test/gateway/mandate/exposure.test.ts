import { describe, expect, test } from 'bun:test'
import { UpstreamError } from '../../../src/core/ports.ts'
import { CONDITIONAL_UNREAD_STEP } from '../../../src/perp/limit-figures.ts'
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

const AT_MARKET = { order_type: 'MARKET', order_price: undefined }

/** A row of `GET /v1/positions` at a mark of 50,000 USDC. */
const held = (usdc: number, margin_mode = 'CROSS', pending: object = {}) => ({
  ...{ symbol: BTC, mark_price: 50_000, position_qty: usdc / 50_000 },
  ...{ pending_long_qty: 0, pending_short_qty: 0, fee_24_h: 0, margin_mode, ...pending },
})

/** A row of `GET /v1/algo/orders`: a stop that buys at 50,000 USDC at most. */
const stop = (usdc: number, own: object = {}) => ({
  ...{ algo_order_id: 7, algo_type: 'STOP', algo_status: 'NEW', is_triggered: 'false' },
  ...{ symbol: BTC, side: 'BUY', type: 'LIMIT', price: 50_000, trigger_price: 50_000 },
  ...{ quantity: usdc / 50_000, total_executed_quantity: 0, reduce_only: false },
  ...{ margin_mode: 'CROSS', child_orders: [], ...own },
})

const stopBuy = (usdc: number) =>
  post('/v1/algo/order', {
    ...{ symbol: BTC, algo_type: 'STOP', side: 'BUY', type: 'LIMIT' },
    ...{ price: 50_000, trigger_price: 50_000, quantity: usdc / 50_000 },
  })

describe('a conditional order that waits', () => {
  test('and cannot be read is to be cancelled: to read it again would help nothing', async () => {
    world.positions = []
    await mandate({ maxPositionUsdc: 500n * USDC })
    expect(await outcomeOf(buy(10))).toMatchObject({ next: expect.stringMatching(/^Relay GET/) })
    world.waiting = [stop(300, { algo_order_id: 'none' })]
    await readFigures()
    const unknown = { reason: 'unknown', next: CONDITIONAL_UNREAD_STEP }
    expect(await outcomeOf(buy(10))).toEqual(expect.objectContaining(unknown))
    world.waiting = [stop(300)]
    time.nowMs += 1
    await readFigures()
    expect(await outcomeOf(buy(10))).toBe('sent')
  })

  test('beyond the page that was read is read first', async () => {
    world.positions = []
    await mandate({ maxPositionUsdc: 500n * USDC })
    world.waiting = [stop(300, { algo_order_id: 'none' })]
    for (const path of ['/v1/algo/orders?status=INCOMPLETE&size=25', '/v1/positions'])
      expect((await call({ method: 'GET', path })).outcome).toBe('sent')
    expect(await outcomeOf(buy(10))).toMatchObject({ next: expect.stringMatching(/^Relay GET/) })
  })

  test('counts from its acceptance, and no longer once a read shows that it has ended', async () => {
    world.positions = []
    await mandate({ maxPositionUsdc: 500n * USDC })
    await readFigures()
    expect(await outcomeOf(stopBuy(300))).toBe('sent')
    expect(await outcomeOf(stopBuy(300))).toMatchObject({ reason: 'position', requested: 600 })
    world.waiting = [stop(300)]
    time.nowMs += 5_000
    await readFigures()
    expect(await outcomeOf(stopBuy(300))).toMatchObject({ reason: 'position', requested: 600 })
    expect(await outcomeOf(stopBuy(200))).toBe('sent')
    for (const ended of [[], [stop(300, { algo_status: 'CANCELLED' })]]) {
      world.waiting = ended
      time.nowMs += 5_000
      await readFigures()
      expect(await outcomeOf(buy(501))).toMatchObject({ reason: 'position', requested: 501 })
    }
    expect(await outcomeOf(buy(500))).toBe('sent')
  })

  test('counts where another program has placed it, and after a restart', async () => {
    world.positions = []
    world.waiting = [stop(300)]
    await mandate({ maxPositionUsdc: 500n * USDC })
    const restarted = await openInstanceOn(world.store)
    expect((await call(buy(100), caller, restarted)).outcome).toMatchObject({ reason: 'unknown' })
    await readFigures(restarted)
    const refused = (await call(buy(201), caller, restarted)).outcome
    expect(refused).toMatchObject({ reason: 'position', requested: 501 })
    expect((await call(buy(200), caller, restarted)).outcome).toBe('sent')
  })

  test.each([
    ['that only reduces', { reduce_only: true }],
    ['that has triggered: it is an open order', { is_triggered: 'true' }],
    ['of a bracket, whose order rests in the book', { algo_type: 'BRACKET' }],
    ['that closes a position', { type: 'CLOSE_POSITION' }],
  ])('does not count where it is one %s', async (_, own) => {
    world.positions = []
    world.waiting = [stop(300, own)]
    await mandate({ maxPositionUsdc: 500n * USDC })
    await readFigures()
    expect(await outcomeOf(buy(500))).toBe('sent')
  })

  test('counts by the leg that opens, and after a jump of the mark over its trigger', async () => {
    world.positions = []
    const leg = stop(300, { type: 'MARKET', price: null, trigger_price: 60_210 })
    world.waiting = [stop(0, { algo_type: 'TP_SL', child_orders: [leg] })]
    await mandate({ maxPositionUsdc: 500n * USDC })
    await readFigures()
    // 60,210 USDC, 3% above twice.
    const worst = (300 / 50_000) * 60_210 * 1.03 * 1.03
    expect(await outcomeOf(buy(200))).toMatchObject({
      requested: Number((worst + 200).toFixed(6)),
    })
  })

  test('is a reason to refuse where an answer leaves some out, and never a cancel or a reduction', async () => {
    await mandate({ maxPositionUsdc: 500_000n * USDC })
    world.waiting = [{ ...stop(300), symbol: 'PERP_GONE_USDC', side: 'SELL' }]
    await readFigures()
    const refused = Object(await outcomeOf(buy(10)))
    expect(refused).toMatchObject({ reason: 'unknown' })
    expect(refused.next).toContain('Cancel')
    expect(await outcomeOf(buy(10, { reduce_only: true }))).toBe('sent')
    expect(await outcomeOf({ method: 'DELETE', path: '/v1/algo/orders' })).toBe('sent')
  })

  test('counts towards the leverage of the account', async () => {
    world.positions = []
    // The account is worth 10,010.50 USDC.
    world.waiting = [stop(10_000)]
    await mandate({ maxLeverage: 1 })
    await readFigures()
    expect(await outcomeOf(buy(10))).toBe('sent')
    await readFigures()
    expect(await outcomeOf(buy(11))).toMatchObject({ reason: 'leverage', limit: 1 })
  })
})

describe('the exposure in a market', () => {
  const limited = async (...rows: object[]) => {
    world.positions = rows
    await mandate({ maxPositionUsdc: 500n * USDC })
    await readFigures()
  }

  test('counts an order of unknown outcome beside figures while the venue may still take it, and then by figures alone', async () => {
    await limited(held(0))
    const { orderAnswer } = world
    const sentAtMs = time.nowMs
    world.orderAnswer = () => Promise.reject(new UpstreamError('timeout', true))
    expect(await outcomeOf(buy(300))).toMatchObject({ code: 'outcome_unknown' })
    world.orderAnswer = orderAnswer
    world.positions = [held(300)]
    await readFigures()
    expect(await outcomeOf(buy(150))).toMatchObject({ reason: 'position', requested: 750 })
    // Five minutes of its signature, one for the clocks, one second between instances.
    time.nowMs = sentAtMs + 360_000
    await readFigures()
    expect(await outcomeOf(buy(150))).toMatchObject({ reason: 'position', requested: 750 })
    time.nowMs = sentAtMs + 361_001
    await readFigures()
    expect(await outcomeOf(buy(201))).toMatchObject({ reason: 'position', requested: 501 })
    expect(await outcomeOf(buy(150))).toBe('sent')
  })

  test.each([[[held(300), held(10, 'ISOLATED')]], [[held(10, 'ISOLATED'), held(300)]]])(
    'adds up the positions of both margin modes, in any order',
    async (rows) => {
      await limited(...rows)
      expect(await outcomeOf(buy(191))).toMatchObject({ reason: 'position', requested: 501 })
      expect(await outcomeOf(buy(190))).toBe('sent')
    },
  )

  test('is the larger of its long and its short side, not their sum', async () => {
    await limited(held(100, 'CROSS', { pending_long_qty: 300 / 50_000 }))
    // Each counts at 62,016.30 USDC, 3% above the mark.
    const sell = (order_quantity: number, own: object = {}) =>
      buy(0, { ...AT_MARKET, side: 'SELL', order_quantity, ...own })
    // It names no margin mode, so that it may open a short position beside the long one.
    expect(await outcomeOf(sell(0.00807))).toMatchObject({ reason: 'position' })
    const cross = { margin_mode: 'CROSS' }
    expect(await outcomeOf(sell(0.00968, cross))).toMatchObject({ reason: 'position' })
    expect(await outcomeOf(sell(0.00967, cross))).toBe('sent')
    await readFigures()
    expect(await outcomeOf(buy(101))).toMatchObject({ reason: 'position', requested: 501 })
    expect(await outcomeOf(buy(100))).toBe('sent')
  })

  test('above the limit already is no reason to refuse an order against it', async () => {
    await limited(held(800))
    expect(await outcomeOf(buy(10))).toMatchObject({ reason: 'position', requested: 810 })
    const sell = (order_quantity: number) =>
      buy(0, { ...AT_MARKET, side: 'SELL', margin_mode: 'CROSS', order_quantity })
    // 0.03 would turn the position to 1,060.49 USDC short.
    expect(await outcomeOf(sell(0.03))).toMatchObject({ reason: 'position', requested: 1060.489 })
    expect(await outcomeOf(sell(0.01))).toBe('sent')
  })
})

test('an edit counts at the worst case of what rests, whatever side, type and price its body claims', async () => {
  await mandate({ maxOrderUsdc: 200n * USDC })
  const edit = (order_price: number, own: object = {}) => ({
    ...post('/v1/order', {
      ...{ order_id: 7, symbol: BTC, side: 'BUY', order_type: 'LIMIT' },
      ...{ order_price, order_quantity: 0.004, ...own },
    }),
    method: 'PUT' as const,
  })
  // 0.004 at 3% above the mark of 60,210 USDC.
  for (const lie of [
    edit(0.1),
    edit(40_000, { side: 'SELL' }),
    edit(40_000, { order_type: 'MARKET' }),
  ])
    expect(await outcomeOf(lie)).toMatchObject({ reason: 'order_value', requested: 248.0652 })
  expect(await outcomeOf(edit(70_000))).toMatchObject({ requested: 288.4 })
  expect(await outcomeOf(edit(40_000, { order_quantity: 0.003 }))).toBe('sent')
})

describe('an order that follows another one at once', () => {
  const AGAIN =
    /^It may fit: .* Wait 2 seconds, relay GET .*algo\/orders.* and then GET .*positions/

  test('and fits beside it is told to go after a read, and goes then', async () => {
    world.positions = []
    await mandate({ maxPositionUsdc: 500n * USDC })
    await readFigures()
    expect(await outcomeOf(buy(300))).toBe('sent')
    world.positions = [held(300)]
    await readFigures()
    const second = await call(buy(150))
    // The first one counts in the figures, and beside them.
    expect(second.outcome).toMatchObject({
      ...{ reason: 'position', requested: 750, retryAfterSeconds: 2 },
      next: expect.stringMatching(AGAIN),
    })
    expect(second.outcome).not.toHaveProperty('fitsUsdc')
    expect(second.outcome).not.toHaveProperty('largestOrderQuantity')
    time.nowMs += 2000
    await readFigures()
    expect(await second.again()).toBe('sent')
    expect(world.sent).toHaveLength(2)
  })

  test('is told so of leverage too', async () => {
    world.positions = []
    await mandate({ maxLeverage: 1 })
    await readFigures()
    expect(await outcomeOf(buy(6000))).toBe('sent')
    expect(await outcomeOf(buy(6000))).toMatchObject({ reason: 'leverage', retryAfterSeconds: 2 })
  })

  test('and exceeds the limit by the figures alone is refused for certain', async () => {
    world.positions = []
    await mandate({ maxPositionUsdc: 500n * USDC })
    await readFigures()
    expect(await outcomeOf(buy(300))).toBe('sent')
    world.positions = [held(300)]
    await readFigures()
    const { outcome } = await call(buy(250))
    expect(outcome).toMatchObject({ code: 'mandate_exceeded', reason: 'position' })
    expect(outcome).not.toHaveProperty('retryAfterSeconds')
    expect(outcome).not.toHaveProperty('next')
  })

  test('is held within the limit while the first one is on its way, whatever is read meanwhile', async () => {
    world.positions = []
    await mandate({ maxPositionUsdc: 500n * USDC })
    await readFigures()
    world.orderAnswer = () => Promise.reject(new UpstreamError('timeout', true))
    expect(await outcomeOf(buy(300))).toMatchObject({ code: 'outcome_unknown' })
    for (let seconds = 0; seconds < 60; seconds += 5) {
      time.nowMs += 5000
      await readFigures()
      const { outcome } = await call(buy(250))
      expect(outcome).toMatchObject({ reason: 'position', requested: 550, fitsUsdc: 200 })
      expect(outcome).not.toHaveProperty('retryAfterSeconds')
      expect(outcome).not.toHaveProperty('next')
    }
    expect(world.sent).toHaveLength(1)
  })
})
