import { describe, expect, test } from 'bun:test'
import { initialRate, maintenanceRate, notionalMax } from '../../../src/venue/margin/rates.ts'
import { BTC, BUCKET_MS, d, ETH, smallFeed } from '../market/small-feed.ts'
import { type Desk, openDesk, type Trader } from '../trading-desk.ts'

const MICRO = 1_000_000n

function instrument() {
  const found = smallFeed().instruments.get(BTC)
  if (!found) throw new Error('no market')
  return found
}

async function market(trader: Trader, side: string, quantity: number, symbol = BTC) {
  const answer = await trader.order({
    symbol,
    side,
    order_type: 'MARKET',
    order_price: null,
    order_quantity: quantity,
  })
  expect(answer.status).toBe(200)
}

/** Moves the mark of BTC, leaving nobody to trade with. */
function moveTo(desk: Desk, mark: number) {
  desk.feed.stage(BTC, {
    fromMs: desk.nowMs() + BUCKET_MS,
    mark: mark.toFixed(8),
    bids: [],
    asks: [],
  })
  desk.sleep(BUCKET_MS)
}

describe('rates', () => {
  test.each([
    { leverage: 10, usdc: 1000n, imr: '0.1', mmr: '0.006', bound: 'leverage' },
    { leverage: 100, usdc: 1000n, imr: '0.01', mmr: '0.006', bound: 'the market’s base' },
    { leverage: 100, usdc: 10_000_000n, imr: '0.03622775', mmr: '0.02173665', bound: 'size' },
  ])('are bound by $bound', ({ leverage, usdc, imr, mmr }) => {
    expect(initialRate(instrument(), leverage, usdc * MICRO)).toBe(d(imr))
    expect(maintenanceRate(instrument(), usdc * MICRO)).toBe(d(mmr))
  })

  test('the largest notional is where size begins to bind', () => {
    const notional = notionalMax(instrument(), 10)
    expect(initialRate(instrument(), 10, notional)).toBe(d('0.1'))
    expect(initialRate(instrument(), 10, (notional * 1001n) / 1000n)).toBeGreaterThan(d('0.1'))
  })
})

describe('margin', () => {
  test('orders on both sides are margined for the worse of them', async () => {
    using desk = openDesk()
    const trader = await desk.trader('a')
    await trader.order({ order_price: 59_000, order_quantity: 0.5 })
    await trader.order({ side: 'SELL', order_price: 61_000, order_quantity: 0.3 })
    expect((await trader.get('/v1/positions')).data).toMatchObject({
      free_collateral: 7000,
      initial_margin_ratio: 0,
      initial_margin_ratio_with_orders: 0.1,
      margin_ratio: 10,
    })
  })

  test('an order that the free collateral does not cover is refused; reduce-only needs none', async () => {
    using desk = openDesk()
    const trader = await desk.trader('a')
    await market(trader, 'BUY', 1.6)
    expect(await trader.order({ symbol: ETH, order_price: 2900, order_quantity: 2 })).toMatchObject(
      { code: -1101 },
    )
    moveTo(desk, 59_000)
    const close = { side: 'SELL', order_price: 59_000, order_quantity: 1 }
    expect(await trader.order(close)).toMatchObject({ code: -1101 })
    expect(await trader.order({ ...close, reduce_only: true })).toMatchObject({ status: 200 })
  })

  test('cancelling frees what the order held', async () => {
    using desk = openDesk()
    const trader = await desk.trader('a')
    await trader.order({ order_quantity: 1.5 })
    expect(await trader.order({ order_quantity: 0.5 })).toMatchObject({ code: -1101 })
    await trader.delete('/v1/orders')
    expect(await trader.order({ order_quantity: 1.5 })).toMatchObject({ status: 200 })
  })
})

describe('the estimated liquidation price', () => {
  test.each([
    { side: 'BUY', quantity: 1, other: 0 },
    { side: 'SELL', quantity: 1, other: 0 },
    { side: 'BUY', quantity: 1, other: 5 },
    { side: 'SELL', quantity: 0.2, other: 5 },
  ])(
    'of a $side of $quantity beside $other ETH is where the ratios meet',
    async ({ side, quantity, other }) => {
      using desk = openDesk()
      const trader = await desk.trader('a')
      await market(trader, side, quantity)
      if (other > 0) await market(trader, 'BUY', other, ETH)
      const { est_liq_price } = (await trader.get(`/v1/position/${BTC}`)).data
      expect(side === 'BUY' ? est_liq_price < 60_000 : est_liq_price > 60_000).toBe(true)
      moveTo(desk, est_liq_price)
      const { margin_ratio, maintenance_margin_ratio } = (await trader.get('/v1/positions')).data
      expect(Math.abs(margin_ratio - maintenance_margin_ratio)).toBeLessThan(0.0005)
    },
  )

  test('of a position that cannot be liquidated is zero', async () => {
    using desk = openDesk()
    const trader = await desk.trader('a')
    await market(trader, 'BUY', 0.1)
    expect((await trader.get(`/v1/position/${BTC}`)).data.est_liq_price).toBe(0)
  })
})
