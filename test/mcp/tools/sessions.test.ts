import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openWireWorld, type WireWorld } from '../wire-world.ts'

const BTC = 'PERP_BTC_USDC'
const PATH = 'GET /v1/public/rwa/info'

let opened: WireWorld
beforeAll(async () => {
  opened = await openWireWorld()
})
afterAll(() => opened.stop())

test('get_market tells the session of a market that has one, and goes on while the venue does not tell it', async () => {
  opened.instead.set(`GET /v1/public/funding_rate/${BTC}`, {
    json: { success: true, timestamp: 1, data: { symbol: BTC } },
  })
  opened.instead.set(PATH, { status: 503, json: { success: false, code: -1000, message: 'x' } })
  const without = await opened.world.call('get_market', { symbol: BTC })
  expect(without.market.mark_price).toBeNumber()
  expect(without).not.toHaveProperty('session')
  const [next_close, next_open] = [Date.now() + 3_600_000, Date.now() + 7_200_000]
  const rows = [{ symbol: BTC, next_open, next_close }]
  opened.instead.set(PATH, { json: { success: true, timestamp: 1, data: { rows } } })
  const { session } = await opened.world.call('get_market', { symbol: BTC })
  expect(session).toMatchObject({
    symbol: BTC,
    open: true,
    opensAt: next_open,
    closesAt: next_close,
  })
})
