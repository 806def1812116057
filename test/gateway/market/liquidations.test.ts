import { expect, test } from 'bun:test'
import { openWireWorld } from '../../agents/wire-world.ts'

const GOOD = {
  timestamp: 1_777_500_000_000,
  liquidation_id: 7,
  transfer_amount_to_insurance_fund: 0,
  type: 'liquidated',
  positions_by_perp: [{ symbol: 'PERP_BTC_USDC', position_qty: -0.5, liquidator_fee: 0.006 }],
}
const BAD = [
  null,
  'text',
  {},
  { ...GOOD, timestamp: 'soon' },
  { ...GOOD, liquidation_id: null },
  { ...GOOD, positions_by_perp: 'none' },
  { ...GOOD, positions_by_perp: [{ symbol: 5, position_qty: 1 }] },
  { ...GOOD, positions_by_perp: [{ symbol: 'PERP_BTC_USDC', position_qty: {} }] },
]

test('malformed liquidations are left out, and an answer without rows is neither passed on nor kept', async () => {
  const { world, instead, stop } = await openWireWorld()
  const path = 'GET /v1/public/liquidated_positions'
  const answer = (data: unknown) => instead.set(path, { json: { success: true, data } })
  answer({ rows: 'none' })
  expect((await world.fetch('/api/prep/liquidations')).status).toBe(502)
  answer({ rows: [...BAD, GOOD] })
  const response = await world.fetch('/api/prep/liquidations')
  expect(await response.json()).toEqual({ rows: [GOOD] })
  await stop()
})
