// Slow: a world is opened and run, and its agent is a program of its own.
import { expect, test } from 'bun:test'
import { CALLS, openEvaluations } from './fixture.ts'

const TRADING = `${CALLS}
const symbol = 'PERP_ETH_USDC'
let cost = 0
async function costOf(order) {
  const { bids, asks } = await call('get_orderbook', { symbol })
  const middle = (Number(bids[0].price) + Number(asks[0].price)) / 2
  const { order_id } = await order(middle)
  const { average_executed_price: price, total_executed_quantity: quantity } = await call('get_order', { order_id })
  cost += (price - middle) * quantity
}
const buy = (terms) => () => call('place_order', { symbol, side: 'BUY', ...terms })
for (let at = 0; at < 3; at += 1) await costOf(buy({ order_type: 'MARKET', order_amount: 15000 }))
const { order_id, order_quantity } = await call('place_order', { symbol, side: 'BUY', order_type: 'LIMIT', order_price: 2000, order_quantity: 1 })
await costOf(async (middle) => {
  const edited = await call('edit_order', { order_id, symbol, order_price: Math.round(middle * 1.01) })
  if (edited.code) process.stderr.write(JSON.stringify(edited))
  return { order_id: edited.order_id ?? order_id }
})
process.stderr.write(String(cost))
process.exit(0)
`

test('what orders cost is measured against the middle before each, also at one moment and of an order that is edited', async () => {
  using here = openEvaluations()
  const agent = ['--agent', here.program(TRADING), '--seed', '7']
  await here.evaluate('run', '', 'out', ...agent)
  const { figures } = here.runOf('out')
  expect(here.errorsOf('out')).toMatch(/^[\d.]+$/)
  expect(figures).toMatchObject({ orders: 4, refusals: 0, errors: 0 })
  const cost = Number(here.errorsOf('out'))
  expect(cost).toBeGreaterThan(1)
  expect(figures.impactUsdc).toBeCloseTo(-cost, 2)
})
