import { afterAll, beforeAll, expect, test } from 'bun:test'
import wire from '../../vectors/tools-wire.json'
import { openWireWorld, type WireWorld } from '../wire-world.ts'

let opened: WireWorld
beforeAll(async () => {
  opened = await openWireWorld()
})
afterAll(() => opened.stop())

const ORDER = {
  ...{ symbol: 'PERP_BTC_USDC', side: 'BUY', order_type: 'LIMIT' },
  ...{ order_price: 60_000, order_quantity: 0.1 },
}

test('an order is previewed when the venue writes its rules as text and names no price range', async () => {
  const expected = await opened.world.call('preview_order', ORDER)
  const spelled = JSON.stringify(wire['GET /v1/public/info'], (name, value) =>
    name === 'price_range' ? 0 : typeof value === 'number' ? String(value) : value,
  )
  const other = await openWireWorld()
  other.instead.set('GET /v1/public/info', { json: JSON.parse(spelled) })
  const preview = await other.world.call('preview_order', ORDER)
  await other.stop()
  expect(preview).toEqual(expected)
})
