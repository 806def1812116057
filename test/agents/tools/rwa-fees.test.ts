import { afterAll, beforeAll, expect, test } from 'bun:test'
import { accountIn } from '../../../src/pages/trade/orders/ticket-account.ts'
import { amountNumber } from '../../../src/perp/amounts.ts'
import { toMarginAccount } from '../../../src/perp/margin-account.ts'
import { toMarketRules } from '../../../src/perp/market-rules.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'

const CRYPTO = 'PERP_ETH_USDC'
const BPS = 10_000

let world: ToolWorld
let rwa = ''
beforeAll(async () => {
  world = await openEmbeddedWorld({ VENUE_FEES: '6,2,30,10', VENUE_MARKETS: 'all' })
  const { rows } = Object(await world.client.get('/api/prep/market-sessions'))
  rwa = rows[0].symbol
})
afterAll(() => world.stop())

const TAKER_BPS = () => ({ [CRYPTO]: 6, [rwa]: 30 })

test('the preview of an order and its break-even price count the fee of its market, as the venue takes it', async () => {
  for (const [symbol, bps] of Object.entries(TAKER_BPS())) {
    const order = { symbol, side: 'BUY', order_type: 'MARKET', order_amount: 1000 }
    const { estimate, suggested } = await world.call('preview_order', order)
    await world.call('place_order', suggested)
    const { fills } = await world.call('list_fills', { symbol, size: 100 })
    const sum = (part: (fill: Loose) => number) =>
      fills.reduce((total: number, fill: Loose) => total + part(fill), 0)
    const value = sum((fill) => fill.executed_price * fill.executed_quantity)
    expect(sum((fill) => fill.fee)).toBeCloseTo((value * bps) / BPS, 4)
    expect(estimate.fee_usdc).toBeCloseTo((value * bps) / BPS, 1)
  }
  const { positions } = await world.call('get_report')
  expect(positions.rows).toHaveLength(2)
  for (const [symbol, bps] of Object.entries(TAKER_BPS())) {
    const row = positions.rows.find(([name]: string[]) => name === symbol)
    const [, held, mark, won, even] = row
    const entry = mark - won / held
    expect(even / entry).toBeCloseTo((1 + bps / BPS) / (1 - bps / BPS), 5)
  }
})

test('the ticket of the page counts the fee of its market too', async () => {
  const info = Object(
    await world.client.relay(world.credentials, { method: 'GET', path: '/v1/client/info' }),
  )
  const account = toMarginAccount([info], [], [])
  if (!account) throw new Error('unknown margin')
  const taker = (symbol: string, known: ReadonlySet<string> | null) =>
    amountNumber(
      accountIn(
        account,
        toMarketRules({ symbol, info: {} }),
        { mode: 'CROSS', leverage: 1, imrFactor: 0 },
        known,
      ).takerFee ?? -1n,
    )
  for (const [symbol, bps] of Object.entries(TAKER_BPS()))
    expect(taker(symbol, new Set([rwa]))).toBe(bps / BPS)
  // While the kind of a market is unknown, the larger fee counts.
  expect(taker(CRYPTO, null)).toBe(30 / BPS)
})

test('without a fee rate a preview calls an order that fills unknown, not fitting, and sizes nothing by risk', async () => {
  const { relay } = world.client
  const client: ToolWorld['client'] = {
    ...world.client,
    relay: async (credentials, call) => {
      const answer = await relay(credentials, call)
      if (call.path !== '/v1/client/info') return answer
      const fields = Object.entries(Object(answer)).filter(([name]) => !name.endsWith('_fee_rate'))
      return Object.fromEntries(fields)
    },
  }
  const order = { symbol: CRYPTO, side: 'BUY', order_type: 'MARKET' }
  const sized = { ...order, order_amount: 1000 }
  const unknown = await world.call('preview_order', sized, { client })
  const { estimate } = unknown
  expect(estimate.fee_usdc).toBeNull()
  expect(unknown).toMatchObject({ ok: false, problems: [{ rule: 'free_collateral' }] })
  expect(unknown).not.toHaveProperty('suggested')
  expect(unknown.account).toMatchObject({ free_collateral_after: null, est_liq_price_after: null })
  expect(unknown.account.initial_margin_needed).toBeGreaterThan(0)
  // What rests pays nothing at once, and what reduces needs no margin.
  const price = Math.floor(estimate.mark_price * 0.9)
  const resting = { symbol: CRYPTO, side: 'BUY', order_type: 'POST_ONLY', order_price: price }
  const reducing = { ...order, side: 'SELL', reduce_only: true }
  for (const each of [resting, reducing]) {
    const asked = { ...each, order_quantity: 0.01 }
    expect(await world.call('preview_order', asked, { client })).toMatchObject({ ok: true })
  }
  const stop_loss = Math.round(estimate.mark_price * 0.95)
  const byRisk = { ...order, stop_loss, risk_usdc: 40 }
  const refused = await world.refused('preview_order', byRisk, { client })
  expect(refused.code).toBe('upstream_unavailable')
  expect((await world.call('preview_order', byRisk)).risk.loss_at_stop_usdc).toBeGreaterThan(0)
})
