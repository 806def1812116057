import { describe, expect, test } from 'bun:test'
import { openVenueFixture, type Trader } from '../fixture.ts'
import { BTC, ETH } from '../past/small-feed.ts'

const MARKET = { order_type: 'MARKET', order_price: null }

function mode(trader: Trader, symbol: string, default_margin_mode: string) {
  return trader.post('/v1/client/margin_mode', { symbol, default_margin_mode })
}

/** A trader whose BTC is isolated, with a long position of 0.1. */
async function isolated(trader: Trader) {
  await mode(trader, BTC, 'ISOLATED')
  await trader.order(MARKET)
}

async function holdingOf(trader: Trader) {
  return (await trader.get('/v1/client/holding')).data.holding[0]
}

async function positionOf(trader: Trader, symbol = BTC, mode = 'ISOLATED') {
  return (await trader.get(`/v1/position/${symbol}?margin_mode=${mode}`)).data
}

describe('margin modes', () => {
  test('a market is cross until it is set isolated, and the setting survives a restart', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const modes = async () => (await trader.get('/v1/client/margin_modes')).data.rows
    expect((await modes())[0]).toEqual({ symbol: BTC, default_margin_mode: 'CROSS' })
    expect((await mode(trader, BTC, 'ISOLATED')).body).not.toHaveProperty('data')
    fixture.restart()
    expect(await modes()).toEqual([
      { symbol: BTC, default_margin_mode: 'ISOLATED' },
      { symbol: ETH, default_margin_mode: 'CROSS' },
    ])
  })

  test('a market that is in use in its default mode keeps it: an open order, a position and a waiting stop all use it', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const { order_id } = (await trader.order()).data
    expect(await mode(trader, BTC, 'ISOLATED')).toMatchObject({ status: 400, code: -1005 })
    await trader.delete(`/v1/order?order_id=${order_id}&symbol=${BTC}`)
    const stop = { symbol: BTC, algo_type: 'STOP', type: 'MARKET', side: 'BUY', quantity: 0.1 }
    await trader.post('/v1/algo/order', { ...stop, trigger_price: 61_000 })
    expect(await mode(trader, BTC, 'ISOLATED')).toMatchObject({ status: 400, code: -1005 })
    await trader.delete('/v1/algo/orders')
    await trader.order(MARKET)
    expect(await mode(trader, BTC, 'ISOLATED')).toMatchObject({ status: 400, code: -1005 })
    expect((await positionOf(trader, BTC, 'CROSS')).position_qty).toBe(0.1)
    expect((await mode(trader, ETH, 'ISOLATED')).status).toBe(200)
  })

  test('an order may name the mode, which leaves the default of the market as it was', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    expect((await trader.order({ margin_mode: 'ISOLATED', order_quantity: 50 })).code).toBe(-1101)
    const modeOf = async (fields: Record<string, unknown>) => {
      const { order_id } = (await trader.order(fields)).data
      return (await trader.get(`/v1/order/${order_id}`)).data.margin_mode
    }
    expect(await modeOf({ margin_mode: 'ISOLATED' })).toBe('ISOLATED')
    expect(await modeOf({ margin_mode: 'CROSS' })).toBe('CROSS')
    expect(await modeOf({})).toBe('CROSS')
    const [first] = (await trader.get('/v1/client/margin_modes')).data.rows
    expect(first).toEqual({ symbol: BTC, default_margin_mode: 'CROSS' })
  })

  test('each mode has a leverage of its own, and a position that is open isolated keeps its', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const set = (fields: object) => trader.post('/v1/client/leverages', fields)
    const leverageOf = async (margin_mode: string, symbol = BTC) =>
      (await trader.get(`/v1/client/leverage?symbol=${symbol}&margin_mode=${margin_mode}`)).data
    expect((await set({ symbol: BTC, leverage: 20, margin_mode: 'ISOLATED' })).data).toEqual({
      symbol: BTC,
      margin_mode: 'ISOLATED',
      leverage: 20,
    })
    expect(await leverageOf('ISOLATED')).toMatchObject({ leverage: 20 })
    expect(await leverageOf('CROSS')).toMatchObject({ leverage: 10 })
    await isolated(trader)
    expect((await positionOf(trader)).leverage).toBe(20)
    expect(await set({ symbol: BTC, leverage: 5, margin_mode: 'ISOLATED' })).toMatchObject({
      status: 400,
      code: -1005,
    })
    expect((await set({ leverage: 7, margin_mode: 'ISOLATED' })).status).toBe(200)
    expect(await leverageOf('ISOLATED')).toMatchObject({ leverage: 20 })
    expect(await leverageOf('ISOLATED', ETH)).toMatchObject({ leverage: 7 })
    expect(await leverageOf('CROSS', ETH)).toMatchObject({ leverage: 10 })
  })
})

describe('an isolated position', () => {
  test('takes its margin out of the balance; what backs the others is less by it', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await isolated(trader)
    // 0.1 BTC at 60,001: a tenth of it, and six basis points for the fee.
    const margin = 6000.1 * 0.1006
    expect(await positionOf(trader)).toMatchObject({
      margin_mode: 'ISOLATED',
      position_qty: 0.1,
      margin: expect.closeTo(margin, 5),
    })
    expect(await holdingOf(trader)).toMatchObject({
      holding: expect.closeTo(10_000 - margin, 5),
      isolated_margin: expect.closeTo(margin, 5),
      isolated_order_frozen: 0,
    })
    const account = (await trader.get('/v1/positions')).data
    expect(account.total_collateral_value).toBeCloseTo(10_000 - margin, 5)
    // Nothing but the fee and the distance from the mark is lost.
    expect(account.account_value).toBeGreaterThan(9_996)
    expect(account.margin_ratio).toBe(10)
  })

  test('open orders hold their margin back, and give it back when they go', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const { order_id } = (await trader.order({ margin_mode: 'ISOLATED' })).data
    expect((await holdingOf(trader)).isolated_order_frozen).toBeCloseTo(5900 * 0.1006, 5)
    await trader.delete(`/v1/order?order_id=${order_id}&symbol=${BTC}`)
    expect((await holdingOf(trader)).isolated_order_frozen).toBe(0)
  })

  test('is settled into the balance as it closes', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await isolated(trader)
    await trader.order({ ...MARKET, side: 'SELL', reduce_only: true })
    expect(await holdingOf(trader)).toMatchObject({ isolated_margin: 0 })
    // Bought at 60,001, sold at 59,999, six basis points each time.
    const fees = (6000.1 + 5999.9) * 0.0006
    expect((await holdingOf(trader)).holding).toBeCloseTo(10_000 - 0.2 - fees, 4)
    expect((await trader.get('/v1/positions')).data.rows).toEqual([])
  })

  test('settles the funding of what it closes with it', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await isolated(trader)
    fixture.sleep(16 * 3_600_000)
    const accrued = async () => (await positionOf(trader)).accrued_funding_fee
    const whole = await accrued()
    expect(whole).toBeGreaterThan(0)
    const close = { ...MARKET, side: 'SELL', reduce_only: true, order_quantity: 0.05 }
    await trader.order(close)
    expect(await accrued()).toBeCloseTo(whole / 2, 6)
    await trader.order(close)
    await trader.order()
    expect(await positionOf(trader)).toMatchObject({ position_qty: 0, accrued_funding_fee: 0 })
  })

  test('is liquidated alone, with nothing of the rest of the account', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await isolated(trader)
    await trader.order({ ...MARKET, symbol: ETH, order_quantity: 1 })
    const { holding } = await holdingOf(trader)
    fixture.quote(BTC, { bids: [[53_000, 1]], asks: [[53_010, 1]] })
    fixture.move(BTC, 53_000)
    expect((await positionOf(trader)).position_qty).toBe(0)
    expect((await positionOf(trader, ETH, 'CROSS')).position_qty).toBe(1)
    expect((await holdingOf(trader)).holding).toBeGreaterThanOrEqual(holding)
    const [row] = (await trader.get('/v1/liquidations')).data.rows
    expect(row.positions_by_perp[0].symbol).toBe(BTC)
  })
})

describe('position margin', () => {
  const move = (trader: Trader, type: string, amount: unknown, symbol = BTC) =>
    trader.post('/v1/position_margin', { symbol, type, amount })

  test('goes in and out of an isolated position, and the liquidation price with it', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await isolated(trader)
    const before = await positionOf(trader)
    expect((await move(trader, 'ADD', '500')).body).toEqual({
      success: true,
      timestamp: fixture.nowMs(),
    })
    const added = await positionOf(trader)
    expect(added.margin).toBeCloseTo(before.margin + 500, 6)
    expect(added.est_liq_price).toBeLessThan(before.est_liq_price)
    expect((await move(trader, 'REDUCE', 499.5)).status).toBe(200)
    fixture.restart()
    expect((await positionOf(trader)).margin).toBeCloseTo(before.margin + 0.5, 6)
  })

  test.each([
    { is: 'more than the account has', type: 'ADD', amount: '20000', code: -1101 },
    { is: 'what the position needs', type: 'REDUCE', amount: '100', code: -1101 },
    { is: 'no amount', type: 'ADD', amount: null, code: -1005 },
    { is: 'nothing', type: 'ADD', amount: '0', code: -1005 },
    { is: 'less than a micro', type: 'ADD', amount: '0.0000001', code: -1005 },
    { is: 'an unknown type', type: 'MOVE', amount: '1', code: -1005 },
  ])('$is is refused, and nothing moves', async ({ type, amount, code }) => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await isolated(trader)
    const { margin } = await positionOf(trader)
    expect(await move(trader, type, amount)).toMatchObject({ status: 400, code })
    expect((await positionOf(trader)).margin).toBe(margin)
  })

  test('needs an isolated position, and a key that trades', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const reader = await fixture.trader('a', { scope: 'read' })
    await trader.order(MARKET)
    expect(await move(trader, 'ADD', '1')).toMatchObject({ status: 400, code: -1006 })
    expect(await move(trader, 'ADD', '1', ETH)).toMatchObject({ status: 400, code: -1006 })
    expect((await move(reader, 'ADD', '1')).status).toBe(401)
  })
})
