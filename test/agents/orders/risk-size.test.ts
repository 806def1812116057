import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ETH, markOf } from '../tasks/task.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld, writesDuring } from '../tool-world.ts'

const TAKER = 0.0006

let service: ToolWorld
let mark: number
beforeAll(async () => {
  service = await openEmbeddedWorld()
  mark = await markOf(service, ETH)
})
afterAll(() => service.stop())

const market = (side: string, stop: number, more: object = {}) => ({
  ...{ symbol: ETH, side, order_type: 'MARKET', stop_loss: Math.round(mark * stop) },
  ...more,
})

/** An account whose positions in ETH are isolated, at a leverage. */
async function isolated(leverage: number): Promise<ToolWorld> {
  const world = await service.another()
  await world.call('set_margin_mode', { symbol: ETH, margin_mode: 'ISOLATED' })
  await world.call('set_leverage', { symbol: ETH, leverage })
  return world
}

describe('a size by what is lost at the stop', () => {
  test.each([
    ['BUY', 0.95],
    ['SELL', 1.05],
  ])('is the largest that loses no more, fees of both fills included: %s', async (side, at) => {
    const world = await service.another()
    const risk_usdc = 40
    const order = market(side, at, { risk_usdc })
    const { suggested, risk, ok } = await world.call('preview_order', order)
    expect(ok).toBe(true)
    expect(suggested).not.toHaveProperty('risk_usdc')
    await world.call('place_order', suggested)
    const { fills } = await world.call('list_fills', { size: 100 })
    const filled = fills.reduce((sum: number, row: Loose) => sum + row.executed_quantity, 0)
    const opened = fills.reduce(
      (sum: number, row: Loose) => sum + row.executed_quantity * row.executed_price,
      0,
    )
    const closed = filled * order.stop_loss
    const lost = Math.abs(opened - closed) + TAKER * (opened + closed)
    expect(filled).toBeCloseTo(suggested.order_quantity, 9)
    expect(risk.loss_at_stop_usdc).toBeCloseTo(lost, 4)
    expect(lost).toBeLessThanOrEqual(risk_usdc)
    // One step more would lose more than was risked.
    expect(lost + 0.0001 * (Math.abs(mark - order.stop_loss) + 4)).toBeGreaterThan(risk_usdc)
  })

  test('of a resting order is by its own price', async () => {
    const order_price = Math.round(mark * 0.97)
    const stop_loss = Math.round(mark * 0.94)
    const order = { symbol: ETH, side: 'BUY', order_type: 'LIMIT', order_price, stop_loss }
    const { suggested } = await service.call('preview_order', { ...order, risk_usdc: 20 })
    const perUnit = order_price - stop_loss + TAKER * (order_price + stop_loss)
    expect(suggested.order_quantity).toBeCloseTo(20 / perUnit, 3)
    expect(suggested.order_quantity * perUnit).toBeLessThanOrEqual(20)
  })

  test('says how far stop and liquidation are in daily moves of the market', async () => {
    const world = await isolated(10)
    const { risk } = await world.call('preview_order', market('BUY', 0.97, { risk_usdc: 30 }))
    const { rows } = await world.call('get_candles', { symbol: ETH, interval: '1d', limit: 15 })
    const moves = rows.slice(0, -1).map(([, open, high, low]: Loose) => (high - low) / open)
    const move = moves.reduce((sum: number, each: number) => sum + each, 0) / moves.length
    expect(risk.daily_move_pct).toBeCloseTo(move * 100, 2)
    expect(risk.liq_distance_daily_moves).toBeCloseTo((1 - risk.est_liq_price / mark) / move, 1)
    expect(risk.stop_distance_daily_moves).toBeCloseTo(0.03 / move, 1)
    expect(risk.stop_distance_daily_moves).toBeLessThan(risk.liq_distance_daily_moves)
  })

  test.each([
    ['without a stop', { stop_loss: null }, 'stop_loss', 'missing'],
    ['beside another size', { order_quantity: 0.1 }, 'risk_usdc', 'conflicting'],
    ['with a stop on the wrong side', { stop_loss: 100_000 }, 'stop_loss', 'out_of_range'],
    ['of an order that only reduces', { reduce_only: true }, 'reduce_only', 'conflicting'],
    ['of nothing', { risk_usdc: 0 }, 'risk_usdc', 'out_of_range'],
  ])('is refused %s', async (_, wrong, parameter, reason) => {
    const order = { ...market('BUY', 0.95), risk_usdc: 20, ...wrong }
    const { meta } = await service.refused('preview_order', order)
    expect(meta).toMatchObject({ parameter, reason })
  })

  test('is never rounded up to the smallest order where that loses more', async () => {
    const order = market('BUY', 0.9, { risk_usdc: 0.5 })
    const { code, meta } = await service.refused('preview_order', order)
    expect(code).toBe('notional_too_small')
    expect(meta.loss_at_stop_usdc).toBeGreaterThan(0.5)
    expect(meta).not.toHaveProperty('suggested')
  })

  test('is that of an account, and an order does not take the risk as its size', async () => {
    const order = market('BUY', 0.95, { risk_usdc: 20 })
    const anonymous = await service.refused('preview_order', order, { credentials: null })
    expect(anonymous).toMatchObject({ code: 'unauthorized', meta: { parameter: 'risk_usdc' } })
    const writes = await writesDuring(service, async () => {
      const { meta } = await service.refused('place_order', order)
      expect(meta.next).toContain('preview_order with risk_usdc')
    })
    expect(writes).toEqual([])
  })
})

describe('a stop beyond the liquidation', () => {
  test.each([
    ['BUY', 0.9, 0.985],
    ['SELL', 1.1, 1.015],
  ])('is refused with the liquidation price: %s', async (side, beyond, before) => {
    const world = await isolated(25)
    for (const size of [{ order_quantity: 0.5 }, { risk_usdc: 100 }]) {
      const refused = await world.call('preview_order', market(side, beyond, size))
      expect(refused).toMatchObject({ ok: false, next: expect.stringContaining('liquidated') })
      expect(refused).not.toHaveProperty('suggested')
      const [problem] = refused.problems
      expect(problem).toMatchObject({ rule: 'liquidation', parameter: 'stop_loss' })
      const taken = await world.call('preview_order', market(side, before, size))
      expect(taken.ok).toBe(true)
      const stop = side === 'BUY' ? 'floor' : 'ceil'
      const at = { stop_loss: Math[stop](problem.limit) }
      const { problems } = await world.call('preview_order', { ...market(side, 1, size), ...at })
      expect(problems[0]?.rule).toBe('liquidation')
    }
  })

  test('does not hide the size that has margin, if the stop comes first at that size', async () => {
    const world = await service.another()
    await world.call('set_leverage', { symbol: ETH, leverage: 10 })
    const order = market('BUY', 0.97, { order_quantity: 200 })
    const { problems, suggested, risk } = await world.call('preview_order', order)
    expect(problems.map(({ rule }: Loose) => rule)).toEqual(['liquidation', 'free_collateral'])
    expect(suggested.order_quantity).toBe(problems[1].suggestion)
    expect(suggested.order_quantity).toBeWithin(1, 200)
    expect(risk).toBeUndefined()
    expect((await world.call('preview_order', suggested)).ok).toBe(true)
    const farther = { ...order, stop_loss: Math.round(mark * 0.8) }
    const refused = await world.call('preview_order', farther)
    expect(refused).toMatchObject({ ok: false, next: expect.stringContaining('liquidated') })
    expect(refused).not.toHaveProperty('suggested')
  })

  test('is the price at which the venue liquidates the position', async () => {
    const world = await isolated(25)
    const order = market('BUY', 0.9, { order_quantity: 0.5 })
    const { problems } = await world.call('preview_order', order)
    const { stop_loss: _, ...entry } = order
    await world.call('place_order', entry)
    const [{ est_liq_price }] = (await world.call('list_positions')).positions
    expect(problems[0].limit / est_liq_price).toBeCloseTo(1, 4)
  })

  test('is found for an order that rests, as if it had filled', async () => {
    const world = await isolated(25)
    const order_price = Math.round(mark * 0.97)
    const order = {
      symbol: ETH,
      side: 'BUY',
      order_type: 'LIMIT',
      order_quantity: 0.5,
      order_price,
    }
    const far = { ...order, stop_loss: Math.round(mark * 0.9) }
    const { problems, suggested } = await world.call('preview_order', far)
    expect(problems).toMatchObject([{ rule: 'liquidation' }])
    expect(suggested).toBeUndefined()
    const near = { ...order, stop_loss: Math.round(mark * 0.96) }
    expect((await world.call('preview_order', near)).ok).toBe(true)
  })
})
