import { describe, expect, test } from 'bun:test'
import { openVenueFixture, type Trader } from '../fixture.ts'
import { BTC, ETH, WORLD_START_MS } from '../past/small-feed.ts'

const HOUR_MS = 3_600_000

async function market(trader: Trader, side: string, quantity: number, more: object = {}) {
  const answer = await trader.order({
    side,
    order_type: 'MARKET',
    order_price: null,
    order_quantity: quantity,
    ...more,
  })
  expect(answer.status).toBe(200)
}

async function positionOf(trader: Trader, symbol = BTC) {
  return (await trader.get(`/v1/position/${symbol}`)).data
}

describe('a position', () => {
  test('has the ledger’s figures', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await market(trader, 'BUY', 0.1)
    await trader.order({ order_price: 59_000, order_quantity: 0.2 })
    const { rows } = (await trader.get('/v1/positions')).data
    expect(rows).toEqual([
      {
        symbol: BTC,
        position_qty: 0.1,
        cost_position: 6003.70006,
        last_sum_unitary_funding: 0,
        pending_long_qty: 0.2,
        pending_short_qty: 0,
        settle_price: 60_001,
        average_open_price: 60_001,
        unsettled_pnl: -3.70006,
        mark_price: 60_000,
        est_liq_price: 0,
        timestamp: fixture.nowMs(),
        seq: expect.any(Number),
        updated_time: fixture.nowMs(),
        leverage: 10,
        imr: 0.1,
        mmr: 0.006,
        IMR_withdraw_orders: 0.1,
        MMR_with_orders: 0.006,
        pnl_24_h: -0.1,
        fee_24_h: 3.60006,
        margin_mode: 'CROSS',
        margin: 0,
        accrued_funding_fee: 0,
      },
    ])
    expect(await positionOf(trader)).toEqual(rows[0])
  })

  test('that never was is a row of zeros; a market that never was is refused', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    expect(await positionOf(trader, ETH)).toMatchObject({
      symbol: ETH,
      position_qty: 0,
      mark_price: 3000,
    })
    expect(await trader.get('/v1/position/PERP_NOPE_USDC')).toMatchObject({
      status: 400,
      code: -1005,
    })
    expect((await trader.get('/v1/positions')).data.rows).toEqual([])
  })

  test('that is closed stays until its result is settled, and joins the history', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await market(trader, 'BUY', 0.1)
    await market(trader, 'SELL', 0.1)
    expect(await positionOf(trader)).toMatchObject({
      position_qty: 0,
      average_open_price: 0,
      cost_position: 7.4,
      unsettled_pnl: -7.4,
    })
    expect((await trader.get('/v1/positions')).data.rows).toHaveLength(1)
    expect(
      (await trader.get(`/v1/position_history?limit=5&symbol=${BTC}`)).data.rows,
    ).toMatchObject([
      {
        status: 'closed',
        side: 'LONG',
        avg_open_price: 60_001,
        avg_close_price: 59_999,
        max_position_qty: 0.1,
        closed_position_qty: 0.1,
        trading_fee: 7.2,
        realized_pnl: -0.2,
        open_timestamp: fixture.nowMs(),
        close_timestamp: fixture.nowMs(),
        margin_mode: 'CROSS',
      },
    ])
    expect((await trader.get(`/v1/position_history?limit=5&symbol=${ETH}`)).data.rows).toEqual([])
  })

  test('that flips ends one life and begins another at the new price', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await market(trader, 'BUY', 0.1)
    await market(trader, 'SELL', 0.3)
    expect(await positionOf(trader)).toMatchObject({
      position_qty: -0.2,
      average_open_price: 59_999,
    })
    expect((await trader.get('/v1/position_history?limit=5')).data.rows).toMatchObject([
      { side: 'LONG', closed_position_qty: 0.1, realized_pnl: -0.2 },
    ])
  })

  test('follows the mark', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await market(trader, 'BUY', 0.1)
    fixture.move(BTC, 61_000)
    fixture.quote(BTC, { bids: [[60_999, 1]], asks: [[61_001, 1]] })
    expect(await positionOf(trader)).toMatchObject({ unsettled_pnl: 96.29994, pnl_24_h: 99.9 })
    fixture.sleep(24 * HOUR_MS - 1)
    // The funding still to come lifts the mark by a part of a dollar.
    expect((await positionOf(trader)).pnl_24_h).toBeCloseTo(99.9, 0)
  })
})

describe('funding', () => {
  test('a long pays what a short receives, at each settlement once', async () => {
    using fixture = openVenueFixture()
    const [long, short] = [await fixture.trader('a'), await fixture.trader('b')]
    await market(long, 'BUY', 0.1)
    await market(short, 'SELL', 0.1)
    fixture.sleep(2 * HOUR_MS)
    const [paid, received] = [await positionOf(long), await positionOf(short)]
    expect(paid).toMatchObject({ cost_position: 6003.85006, accrued_funding_fee: 0.15 })
    expect(received).toMatchObject({ accrued_funding_fee: -0.15, last_sum_unitary_funding: 1.5 })
    const { rows } = (await long.get('/v1/funding_fee/history')).data
    expect(rows).toEqual(
      [2, 1].map((hour) => ({
        symbol: BTC,
        funding_rate: 0.0000125,
        mark_price: 60_000,
        funding_fee: 0.075,
        payment_type: 'Pay',
        status: 'Accrued',
        created_time: WORLD_START_MS + hour * HOUR_MS,
        updated_time: WORLD_START_MS + hour * HOUR_MS,
        margin_mode: 'CROSS',
      })),
    )
    expect((await short.get('/v1/funding_fee/history')).data.rows).toMatchObject([
      { payment_type: 'Receive', funding_fee: 0.075 },
      { payment_type: 'Receive', funding_fee: 0.075 },
    ])
  })

  test('the charge does not depend on how often the account looks', async () => {
    using fixture = openVenueFixture()
    const [watcher, sleeper] = [await fixture.trader('a'), await fixture.trader('b')]
    await market(watcher, 'BUY', 0.1)
    await market(sleeper, 'BUY', 0.1)
    for (let hour = 0; hour < 30; hour++) {
      fixture.warp(HOUR_MS)
      await watcher.get('/v1/positions')
    }
    const { cost_position } = await positionOf(watcher)
    expect(await positionOf(sleeper)).toMatchObject({ cost_position, accrued_funding_fee: 2.25 })
    expect((await sleeper.get('/v1/funding_fee/history')).data.meta.total).toBe(30)
  })

  // Slow: a thousand hours of a venue are simulated.
  test('a long absence is charged in full, with a row for each hour', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await market(trader, 'BUY', 0.1)
    fixture.warp(1000 * HOUR_MS)
    expect(await positionOf(trader)).toMatchObject({ accrued_funding_fee: 75 })
    expect((await trader.get('/v1/funding_fee/history')).data.meta.total).toBe(1000)
  })

  test('who is flat pays nothing', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await market(trader, 'BUY', 0.1)
    await market(trader, 'SELL', 0.1)
    fixture.sleep(5 * HOUR_MS)
    expect(await positionOf(trader)).toMatchObject({ cost_position: 7.4, accrued_funding_fee: 0 })
    await market(trader, 'BUY', 0.1)
    expect((await trader.get('/v1/funding_fee/history')).data.rows).toEqual([])
  })
})

test('an account is worth its tokens at their index and what isolated orders hold, also as a day ends', async () => {
  using fixture = openVenueFixture()
  const trader = await fixture.trader('a')
  fixture.venue().practice.fund(trader.accountId, 200_000_000n, 'ETH')
  await trader.order({ margin_mode: 'ISOLATED' })
  const { account_value, total_collateral_value } = (await trader.get('/v1/positions')).data
  expect(account_value).toBe(10_000 + 2 * 3000)
  expect(total_collateral_value).toBeCloseTo(10_000 + 0.9 * 2 * 3000 - 5900 * 0.1006, 5)
  fixture.sleep(25 * HOUR_MS)
  const days = '/v1/client/statistics/daily?start_date=2025-01-01&end_date=2025-12-31'
  const [day] = (await trader.get(days)).data.rows
  expect(day.account_value).toBe(account_value)
})

test('a position that falls below its maintenance margin is liquidated, and every history says so', async () => {
  using fixture = openVenueFixture()
  const [owner, other] = [await fixture.trader('a'), await fixture.trader('b')]
  await market(owner, 'BUY', 1.6)
  expect((await owner.get('/v1/liquidations')).data.rows).toEqual([])
  fixture.move(BTC, 54_100)
  const { meta, rows } = (await owner.get('/v1/liquidations')).data
  expect(meta.total).toBe(1)
  const [{ position_notional, account_mmr, margin_ratio, positions_by_perp, ...liquidation }] = rows
  expect(position_notional).toBeCloseTo(1.6 * 54_100, 0)
  expect(margin_ratio).toBeLessThan(account_mmr)
  const taken = positions_by_perp.reduce(
    (sum: number, { position_qty }: { position_qty: number }) => sum + position_qty,
    0,
  )
  expect(await positionOf(owner)).toMatchObject({ position_qty: expect.closeTo(1.6 - taken, 6) })
  expect(positions_by_perp[0]).toMatchObject({
    symbol: BTC,
    total_position: 1.6,
    mark_price: 54_100,
    transfer_price: 54_100,
  })
  const closed = (await owner.get('/v1/position_history')).data.rows
  expect(closed).toMatchObject(
    taken === 1.6 ? [{ type: 'liquidated', liquidation_id: liquidation.liquidation_id }] : [],
  )
  expect((await other.get('/v1/liquidations')).data.rows).toEqual([])
})
