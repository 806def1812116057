import { describe, expect, test } from 'bun:test'
import { openVenueFixture, type Trader, type VenueFixture } from '../fixture.ts'
import { BTC, ETH } from '../past/small-feed.ts'

const MARKET = { order_type: 'MARKET', order_price: null }
const ISOLATED = { margin_mode: 'ISOLATED' }

type Row = Record<string, unknown>

/** A trader with a long cross position of 0.05 BTC and a short isolated one of 0.03. */
async function bothModes(fixture: VenueFixture): Promise<Trader> {
  const trader = await fixture.trader('a')
  await trader.order({ ...MARKET, order_quantity: 0.05 })
  await trader.order({ ...MARKET, ...ISOLATED, side: 'SELL', order_quantity: 0.03 })
  return trader
}

async function rowsOf(trader: Trader): Promise<readonly Row[]> {
  return (await trader.get('/v1/positions')).data.rows
}

/** The quantity of each position of BTC, by its margin mode. */
async function heldBy(trader: Trader): Promise<unknown> {
  const rows = (await rowsOf(trader)).filter(({ symbol }) => symbol === BTC)
  return Object.fromEntries(rows.map((row) => [row['margin_mode'], row['position_qty']]))
}

describe('a market with a cross and an isolated position at once', () => {
  test('has one row per mode, also after a restart, and one mode where a symbol is asked for', async () => {
    using fixture = openVenueFixture()
    const trader = await bothModes(fixture)
    await trader.order({ ...ISOLATED, order_price: 58_000, order_quantity: 0.02 })
    const stop = { symbol: BTC, algo_type: 'STOP', type: 'MARKET', side: 'BUY', quantity: 0.01 }
    await trader.post('/v1/algo/order', { ...stop, ...ISOLATED, trigger_price: 62_000 })
    const before = await rowsOf(trader)
    expect(before).toMatchObject([
      { symbol: BTC, margin_mode: 'CROSS', position_qty: 0.05, margin: 0, pending_long_qty: 0 },
      { symbol: BTC, margin_mode: 'ISOLATED', position_qty: -0.03, pending_long_qty: 0.02 },
    ])
    fixture.restart()
    expect(await rowsOf(trader)).toEqual([...before])
    const one = async (query: string) => (await trader.get(`/v1/position/${BTC}${query}`)).data
    expect([await one(''), await one('?margin_mode=ISOLATED')]).toEqual([...before])
    expect((await trader.get(`/v1/position/${BTC}?margin_mode=BOTH`)).code).toBe(-1005)
    const [order] = (await trader.get('/v1/orders?status=INCOMPLETE')).data.rows
    const [algo] = (await trader.get('/v1/algo/orders?status=INCOMPLETE')).data.rows
    expect([order.margin_mode, algo.margin_mode]).toEqual(['ISOLATED', 'ISOLATED'])
  })

  test('closes one of them by a reduce-only order of its mode, and refuses one that the mode has nothing for', async () => {
    using fixture = openVenueFixture()
    const trader = await bothModes(fixture)
    const reduce = { ...MARKET, reduce_only: true, order_quantity: 0.1 }
    expect((await trader.order({ ...reduce, side: 'BUY' })).code).toBe(-1012)
    expect((await trader.order({ ...reduce, ...ISOLATED, side: 'SELL' })).code).toBe(-1012)
    expect(await heldBy(trader)).toEqual({ CROSS: 0.05, ISOLATED: -0.03 })
    await trader.order({ ...reduce, ...ISOLATED, side: 'BUY' })
    expect(await heldBy(trader)).toEqual({ CROSS: 0.05 })
    const closed = (await trader.get('/v1/position_history')).data.rows
    expect(closed).toMatchObject([
      { margin_mode: 'ISOLATED', side: 'SHORT', max_position_qty: 0.03 },
    ])
  })

  test('trades neither with itself nor with its other mode: own orders that it meets are cancelled', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const { order_id } = (await trader.order({ side: 'SELL', order_price: 60_000.5 })).data
    await trader.order({ ...MARKET, ...ISOLATED, order_quantity: 0.02 })
    expect((await trader.get(`/v1/order/${order_id}`)).data).toMatchObject({
      status: 'CANCELLED',
      margin_mode: 'CROSS',
      total_executed_quantity: 0,
    })
    const [trade] = (await trader.get('/v1/trades')).data.rows
    expect(trade).toMatchObject({ margin_mode: 'ISOLATED', executed_price: 60_001 })
  })

  test('gives each mode its conditional orders: one closes its own position, and each may have a POSITIONAL_TP_SL', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await trader.order({ ...MARKET, order_quantity: 0.05 })
    await trader.order({ ...MARKET, ...ISOLATED, order_quantity: 0.03 })
    const leg = { algo_type: 'STOP_LOSS', type: 'CLOSE_POSITION', side: 'SELL', reduce_only: true }
    const positional = (mode: object, trigger_price: number) =>
      trader.post('/v1/algo/order', {
        ...{ symbol: BTC, algo_type: 'POSITIONAL_TP_SL', ...mode },
        child_orders: [{ ...leg, symbol: BTC, trigger_price }],
      })
    expect((await positional({}, 58_000)).status).toBe(200)
    expect((await positional({}, 58_500)).status).toBe(409)
    expect((await positional(ISOLATED, 59_000)).status).toBe(200)
    fixture.move(BTC, 58_800)
    expect(await heldBy(trader)).toEqual({ CROSS: 0.05 })
    fixture.quote(BTC, { bids: [[57_900, 1]], asks: [[57_910, 1]] })
    fixture.move(BTC, 57_900)
    const [row] = await rowsOf(trader)
    expect(row).toMatchObject({ margin_mode: 'CROSS', position_qty: 0 })
  })

  test('liquidates the isolated position alone, with a history row of its mode', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await trader.order({ ...MARKET, order_quantity: 0.02 })
    await trader.order({ ...MARKET, ...ISOLATED, order_quantity: 0.1 })
    const waiting = (await trader.order({ order_price: 50_000, order_quantity: 0.01 })).data
      .order_id
    const gone = await trader.order({ ...ISOLATED, order_price: 50_000, order_quantity: 0.01 })
    fixture.quote(BTC, { bids: [[53_000, 1]], asks: [[53_010, 1]] })
    fixture.move(BTC, 53_000)
    expect(await heldBy(trader)).toEqual({ CROSS: 0.02 })
    const statusOf = async (id: number) => (await trader.get(`/v1/order/${id}`)).data.status
    expect([await statusOf(waiting), await statusOf(gone.data.order_id)]).toEqual([
      'NEW',
      'CANCELLED',
    ])
    const [closed, ...others] = (await trader.get('/v1/position_history')).data.rows
    expect(closed).toMatchObject({ margin_mode: 'ISOLATED', type: 'liquidated' })
    expect(others).toEqual([])
    const [row] = await rowsOf(trader)
    // 0.02 bought at 60,001 and worth 53,000: nothing of the other position's loss.
    expect(row).toMatchObject({ margin_mode: 'CROSS', pnl_24_h: expect.closeTo(-140.02, 2) })
  })

  test('charges funding and counts the day for each mode', async () => {
    using fixture = openVenueFixture()
    const trader = await bothModes(fixture)
    fixture.sleep(8 * 3_600_000)
    const [cross, isolated] = await rowsOf(trader)
    const charges = (await trader.get('/v1/funding_fee/history')).data.rows
    const paid = (mode: string, type: string) =>
      charges
        .filter((row: Row) => row['margin_mode'] === mode && row['payment_type'] === type)
        .reduce((sum: number, row: Row) => sum + Number(row['funding_fee']), 0)
    expect(paid('CROSS', 'Pay')).toBeCloseTo(Number(cross?.['accrued_funding_fee']), 6)
    expect(paid('ISOLATED', 'Receive')).toBeCloseTo(-Number(isolated?.['accrued_funding_fee']), 6)
    expect([paid('CROSS', 'Receive'), paid('ISOLATED', 'Pay')]).toEqual([0, 0])
    expect(cross?.['fee_24_h']).toBeCloseTo(60_001 * 0.05 * 0.0006, 6)
    expect(isolated?.['fee_24_h']).toBeCloseTo(59_999 * 0.03 * 0.0006, 6)
  })

  test('has a leverage per mode, and its default mode changes as long as the present one is idle', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await trader.order({ ...MARKET, ...ISOLATED, order_quantity: 0.01 })
    const set = (leverage: number, mode: string) =>
      trader.post('/v1/client/leverages', { symbol: BTC, leverage, margin_mode: mode })
    expect((await set(20, 'ISOLATED')).code).toBe(-1005)
    expect((await set(5, 'CROSS')).status).toBe(200)
    await trader.order({ ...MARKET, order_quantity: 0.01 })
    const rows = await rowsOf(trader)
    expect(rows.map((row) => [row['margin_mode'], row['leverage']])).toEqual([
      ['ISOLATED', 10],
      ['CROSS', 5],
    ])
    const mode = (symbol: string, default_margin_mode: string) =>
      trader.post('/v1/client/margin_mode', { symbol, default_margin_mode })
    expect((await mode(BTC, 'ISOLATED')).code).toBe(-1005)
    await trader.order({ ...MARKET, side: 'SELL', reduce_only: true, order_quantity: 0.01 })
    expect((await mode(BTC, 'ISOLATED')).status).toBe(200)
    expect((await mode(BTC, 'CROSS')).code).toBe(-1005)
    expect((await mode(ETH, 'ISOLATED')).status).toBe(200)
    const { order_id } = (await trader.order({ order_price: 58_000 })).data
    expect((await trader.get(`/v1/order/${order_id}`)).data.margin_mode).toBe('ISOLATED')
  })

  test('gives margin to the isolated position alone, and takes cross margin for both', async () => {
    using fixture = openVenueFixture()
    const trader = await bothModes(fixture)
    const margins = async () => (await rowsOf(trader)).map((row) => row['margin'])
    const [, margin] = await margins()
    await trader.post('/v1/position_margin', { symbol: BTC, type: 'ADD', amount: '100' })
    expect(await margins()).toEqual([0, Number(margin) + 100])
    const { data } = await trader.get('/v1/positions')
    // The initial margin of 0.05 at 60,000 and a tenth; the isolated one holds its own.
    const used = data.total_collateral_value - data.free_collateral
    expect(used).toBeCloseTo(300, 4)
  })
})
