import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openEmbeddedWorld, type ToolWorld, toolNamed } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
let world: ToolWorld

beforeAll(async () => {
  world = await openEmbeddedWorld()
})
afterAll(() => world.stop())

test('an account without positions has no margin ratios, and a leverage that is a default', async () => {
  const account = await world.call('get_account')
  expect(account).toMatchObject({
    margin_ratio: null,
    maintenance_margin_ratio: null,
    margin_cushion: null,
    open_positions: 0,
  })
  expect(account).not.toHaveProperty('max_leverage')
  await world.call('set_leverage', { symbol: ETH, leverage: 3 })
  const { default_leverage } = await world.call('get_account')
  expect(default_leverage).toBeGreaterThan(3)
  expect(default_leverage).toBe(account.default_leverage)
})

test('PnL is before or after fees as the descriptions say', async () => {
  const order = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 1 }
  await world.call('place_order', order)
  const [opening] = (await world.call('list_fills', { symbol: ETH })).fills
  const [held] = (await world.call('list_positions')).positions
  const atMark = held.position_qty * (held.mark_price - held.average_open_price)
  expect(opening.fee).toBeGreaterThan(0)
  expect(held.unsettled_pnl).toBeCloseTo(atMark - opening.fee, 4)
  const raw = await world.call('read_account_path', { path: '/v1/positions' })
  expect(raw.result.rows).toMatchObject([{ est_liq_price: 0 }])
  expect(held).toMatchObject({ est_liq_price: null, liq_distance_pct: null })
  expect((await world.call('get_account')).margin_ratio).toBeNumber()
  expect(toolNamed('list_positions').description).toContain('unsettled_pnl is after fees')

  await world.call('close_position', { symbol: ETH })
  const [closing] = (await world.call('list_fills', { symbol: ETH })).fills
  const moved = closing.executed_price - held.average_open_price
  expect(closing.realized_pnl).toBeCloseTo(closing.executed_quantity * moved, 4)
  expect(toolNamed('list_fills').description).toContain('realized_pnl (before fees)')
  const { rows } = await world.call('list_account_history', { kind: 'closed_positions' })
  expect(rows[0].realized_pnl).toBeCloseTo(closing.realized_pnl, 4)
  const description = toolNamed('list_account_history').description
  expect(description).toContain('realized_pnl is before fees and funding')
})
