// Slow: orders are previewed, placed and read again at a venue.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { openEmbeddedWorld, type ToolWorld, writesDuring } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
const BTC = 'PERP_BTC_USDC'
let world: ToolWorld

beforeEach(async () => {
  world = await openEmbeddedWorld()
})
afterEach(() => world.stop())

describe('what a preview says of the account is what the venue says after the order', () => {
  test.each([
    ['a first long', [], { side: 'BUY', order_type: 'MARKET', order_amount: 5000 }],
    ['a first short', [], { side: 'SELL', order_type: 'MARKET', order_amount: 20_000 }],
    [
      'more of the same',
      [{ symbol: ETH, side: 'BUY' }],
      { side: 'BUY', order_type: 'MARKET', order_amount: 30_000 },
    ],
    [
      'less of it',
      [{ symbol: ETH, side: 'BUY' }],
      { side: 'SELL', order_type: 'MARKET', order_quantity: 1 },
    ],
    [
      'beside another position',
      [{ symbol: BTC, side: 'SELL' }],
      { side: 'BUY', order_type: 'MARKET', order_amount: 9000 },
    ],
  ])('%s', async (_, before, order) => {
    for (const held of before) {
      await world.call('place_order', { ...held, order_type: 'MARKET', order_amount: 10_000 })
    }
    const preview = await world.call('preview_order', { symbol: 'eth', ...order })
    expect(preview).toMatchObject({ ok: true, problems: [], symbol: ETH })
    const { order_id } = await world.call('place_order', preview.suggested)

    const filled = await world.call('get_order', { order_id })
    expect(filled.total_executed_quantity).toBe(preview.estimate.fills_now)
    expect(filled.average_executed_price).toBeCloseTo(preview.estimate.average_price, 2)
    expect(filled.total_fee).toBeCloseTo(preview.estimate.fee_usdc, 3)
    const account = await world.call('get_account')
    const { positions } = await world.call('list_positions')
    const position = positions.find((row: { symbol: string }) => row.symbol === ETH)
    const previewed = preview.account
    // Buying moves the mark, which no preview can know, and with it the account's value.
    const moved = account.free_collateral * 0.002
    expect(Math.abs(previewed.free_collateral_after - account.free_collateral)).toBeLessThan(moved)
    expect(previewed.margin_ratio_after).toBeCloseTo(account.margin_ratio, 2)
    expect(previewed.maintenance_margin_ratio_after).toBeCloseTo(
      account.maintenance_margin_ratio,
      4,
    )
    expect(previewed.position_qty_after).toBeCloseTo(position.position_qty, 6)
    const liquidation = previewed.est_liq_price_after ?? 0
    expect(Math.abs(liquidation - position.est_liq_price)).toBeLessThanOrEqual(
      position.mark_price * 0.002,
    )
  })
})

test('a preview sends nothing, and never calls itself a simulation of the exchange', async () => {
  const writes = await writesDuring(world, async () => {
    const args = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_amount: 100 }
    const { basis } = await world.call('preview_order', args)
    expect(basis).toContain('the exchange has simulated nothing')
  })
  expect(writes).toEqual([])
})

test('leverage set for the market is what margin is computed with', async () => {
  await world.call('set_leverage', { symbol: ETH, leverage: 5 })
  const args = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_amount: 1000 }
  const { account } = await world.call('preview_order', args)
  expect(account.leverage).toBe(5)
  expect(account.initial_margin_needed).toBeCloseTo(200, 0)
})

test('too little margin is seen before the order is sent', async () => {
  const args = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 60 }
  const preview = await world.call('preview_order', args)
  expect(preview.ok).toBe(false)
  expect(preview.problems).toMatchObject([
    { code: 'insufficient_margin', parameter: 'order_quantity' },
  ])
  expect((await world.refused('place_order', args)).code).toBe('insufficient_margin')
})

test('what breaks rules comes back corrected, and the correction passes at the venue', async () => {
  const { market } = await world.call('get_market', { symbol: ETH })
  const args = {
    symbol: ETH,
    side: 'SELL',
    order_type: 'LIMIT',
    order_quantity: 0.01239,
    order_price: Math.round(market.mark_price * 80) / 100 + 0.001,
  }
  const preview = await world.call('preview_order', args)
  expect(preview.ok).toBe(false)
  const rules = preview.problems.map(({ rule }: { rule: string }) => rule)
  expect(rules).toEqual(['price_range', 'quote_tick', 'base_tick'])
  const { order_id } = await world.call('place_order', preview.suggested)
  const { price, quantity } = await world.call('get_order', { order_id })
  expect(price).toBeGreaterThan(args.order_price)
  expect(quantity).toBeLessThan(args.order_quantity)
})

test('an order that the market takes only larger or at a worse price is never suggested', async () => {
  const { market } = await world.call('get_market', { symbol: ETH })
  const at = (share: number) => Math.round(market.mark_price * share)
  const order = { symbol: ETH, side: 'BUY', order_type: 'LIMIT', order_price: at(0.95) }
  const tiny = { ...order, order_quantity: 0.00123 }
  const small = await world.call('preview_order', tiny)
  for (const { problems, smallest, next } of [
    small,
    (await world.refused('place_order', tiny)).meta,
  ]) {
    expect(problems.map(({ rule }: { rule: string }) => rule)).toEqual([
      'base_tick',
      'min_notional',
    ])
    expect(smallest.order_quantity * at(0.95)).toBeCloseTo(smallest.value_usdc, 6)
    expect(smallest.value_usdc).toBeWithin(problems[1].limit, 2 * problems[1].limit)
    expect(next).toContain(`${smallest.order_quantity} ETH or ${smallest.value_usdc} USDC, is more`)
  }
  const far = { ...order, order_quantity: 0.1, order_price: at(0.2) }
  const low = await world.call('preview_order', far)
  expect(low.problems).toMatchObject([{ rule: 'price_scope', limit: expect.any(Number) }])
  expect(low.next).toMatch(
    /takes no order_price below [\d.]+, which is worse for the user than the [\d.]+ asked/,
  )
  for (const answer of [small, low]) {
    expect(answer.ok).toBe(false)
    expect(JSON.stringify(answer)).not.toContain('"suggest')
    expect(answer.estimate.note).toContain('more than was asked')
  }
})

test('a post-only order that would trade is moved a tick away', async () => {
  const { asks } = await world.call('get_orderbook', { symbol: ETH, depth: 1 })
  const ask = Number(asks[0].price)
  const args = {
    symbol: ETH,
    side: 'BUY',
    order_type: 'POST_ONLY',
    order_quantity: 0.1,
    order_price: ask,
  }
  const preview = await world.call('preview_order', args)
  expect(preview.problems).toMatchObject([{ rule: 'post_only' }])
  const { order_id } = await world.call('place_order', preview.suggested)
  expect(await world.call('get_order', { order_id })).toMatchObject({
    status: 'NEW',
    price: Number((ask - 0.01).toFixed(2)),
  })
})

test('an order that the book fills in part says what stays unfilled', async () => {
  const { asks } = await world.call('get_orderbook', { symbol: ETH, depth: 2 })
  const [first, second] = asks.map((level: { price: string }) => Number(level.price))
  const args = {
    symbol: ETH,
    side: 'BUY',
    order_type: 'IOC',
    order_quantity: 100,
    order_price: second,
  }
  const { estimate } = await world.call('preview_order', args, { credentials: null })
  const filled = Number(asks[0].quantity) + Number(asks[1].quantity)
  expect(estimate).toMatchObject({ worst_price: second })
  expect(estimate.fills_now).toBeCloseTo(filled, 8)
  expect(estimate.unfilled).toBeCloseTo(100 - filled, 8)
  expect(estimate.average_price).toBeWithin(first, second)
  expect(String(estimate.average_price)).toMatch(/^\d+(?:\.\d{1,2})?$/)
})

test('slippage bounds what a market order takes', async () => {
  const args = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 20 }
  const { estimate } = await world.call('preview_order', args)
  const bounded = await world.call('preview_order', { ...args, slippage: 0.00001 })
  expect(bounded.estimate.fills_now).toBeLessThan(estimate.fills_now)
  const { order_id } = await world.call('place_order', { ...args, slippage: 0.00001 })
  const filled = await world.call('get_order', { order_id })
  expect(filled.total_executed_quantity).toBe(bounded.estimate.fills_now)
})

test.each([
  ['that the book holds whole fills at once', 0.9, true],
  ['of more than the book holds up to its price fills nothing', 1.1, false],
])('an order to fill or kill %s', async (_, share, fills) => {
  const { asks } = await world.call('get_orderbook', { symbol: ETH, depth: 1 })
  const [{ price, quantity }] = asks
  const order_quantity = Math.floor(quantity * share * 100) / 100
  const order = { symbol: ETH, side: 'BUY', order_type: 'FOK', order_quantity }
  const asked = { ...order, order_price: Number(price) }
  const { estimate, suggested } = await world.call('preview_order', asked)
  expect(estimate.fills_now).toBe(fills ? order_quantity : 0)
  expect(estimate.unfilled).toBe(fills ? 0 : order_quantity)
  const { order_id } = await world.call('place_order', suggested)
  const { total_executed_quantity } = await world.call('get_order', { order_id })
  expect(total_executed_quantity).toBe(estimate.fills_now)
})
