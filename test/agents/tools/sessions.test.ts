import { afterAll, beforeAll, expect, test } from 'bun:test'
import wire from '../../vectors/tools-wire.json'
import { openWireWorld, type WireWorld } from '../wire-world.ts'

const [BTC, ETH] = ['PERP_BTC_USDC', 'PERP_ETH_USDC']
const PATH = 'GET /v1/public/rwa/info'

type Row = { readonly symbol: string }

let opened: WireWorld
let closedUntilMs: number
beforeAll(async () => {
  opened = await openWireWorld()
  const { data, ...envelope } = wire['GET /v1/public/futures']
  const rows = [BTC, ETH].map((symbol) => ({ ...data.rows[0], symbol }))
  opened.instead.set('GET /v1/public/futures', { json: { ...envelope, data: { rows } } })
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
  closedUntilMs = next_close
  const rows = [
    { symbol: BTC, next_open, next_close },
    { symbol: ETH, next_open: next_close, next_close: next_open },
  ]
  opened.instead.set(PATH, { json: { success: true, timestamp: 1, data: { rows } } })
  const { session } = await opened.world.call('get_market', { symbol: BTC })
  expect(session).toMatchObject({
    symbol: BTC,
    open: true,
    opensAt: next_open,
    closesAt: next_close,
  })
})

test('list_markets says of a closed market when it opens, whatever fields are chosen, and nothing of an open one', async () => {
  for (const given of [{}, { fields: 'symbol' }]) {
    const { markets } = await opened.world.call('list_markets', { limit: 200, ...given })
    const [btc, eth] = [BTC, ETH].map((symbol) => markets.find((row: Row) => row.symbol === symbol))
    expect(eth.session).toEqual({ open: false, opensAt: closedUntilMs })
    expect(btc).not.toHaveProperty('session')
  }
})
