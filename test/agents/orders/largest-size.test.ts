// Slow: orders are previewed, placed and read again at a venue.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
const BTC = 'PERP_BTC_USDC'
let world: ToolWorld

beforeEach(async () => {
  world = await openEmbeddedWorld()
})
afterEach(() => world.stop())

describe('the largest size that fits is one the venue takes', () => {
  const market = { order_type: 'MARKET' }
  const limit = { order_type: 'LIMIT' }
  // biome-ignore format: one account and order a row
  test.each([
    ['resting above', [], { side: 'SELL', ...limit, order_price: 3500 }],
    ['resting below', [], { side: 'BUY', ...limit, order_price: 2000 }],
    ['through the book', [], { side: 'BUY', ...limit, order_price: 2600 }],
    ['turning a position around', [{ symbol: ETH, side: 'BUY', ...market, order_quantity: 10 }], { side: 'SELL', ...market }],
    ['beside another position', [{ symbol: BTC, side: 'BUY', ...market, order_quantity: 0.5 }], { side: 'SELL', ...market }],
    ['beside an order that rests', [{ symbol: ETH, side: 'BUY', ...limit, order_quantity: 15, order_price: 2400 }], { side: 'BUY', ...market }],
  ])('%s', async (_, before, order) => {
    for (const earlier of before) await world.call('place_order', earlier)
    const asked = { symbol: ETH, ...order, order_quantity: 200 }
    const { problems, suggested } = await world.call('preview_order', asked)
    expect(problems).toMatchObject([{ code: 'insufficient_margin' }])
    expect(suggested.order_quantity).toBeWithin(1, 200)
    const { order_id } = await world.call('place_order', suggested)
    const { quantity } = await world.call('get_order', { order_id })
    expect(quantity).toBe(suggested.order_quantity)
  })
})

test('of a size that does not fit the largest that does is suggested, until none does', async () => {
  const args = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 200 }
  const sizes: number[] = []
  for (let tries = 0; tries < 6; tries += 1) {
    const { ok, suggested, problems, next } = await world.call('preview_order', args)
    expect(ok).toBe(false)
    const [problem] = problems
    expect(problem.code).toBe('insufficient_margin')
    if (!suggested) {
      expect(problem).not.toHaveProperty('suggestion')
      expect(next).toContain('any size')
      break
    }
    expect(problem.suggestion).toBe(suggested.order_quantity)
    if (sizes.length === 0) {
      const larger = { ...suggested, order_quantity: Math.ceil(suggested.order_quantity * 1.03) }
      expect((await world.refused('place_order', larger)).code).toBe('insufficient_margin')
    }
    await world.call('place_order', suggested)
    sizes.push(suggested.order_quantity)
  }
  expect(sizes.length).toBeWithin(1, 6)
  const [held] = (await world.call('list_positions')).positions
  expect(held.position_qty).toBeCloseTo(
    sizes.reduce((sum, size) => sum + size, 0),
    6,
  )
})
