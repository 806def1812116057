import { expect, test } from 'bun:test'
import { MARKETS } from '../../../src/simulator/listing/instruments.ts'
import { placeOrder } from '../../../src/simulator/orders/place.ts'
import { PLAIN_ORDER } from '../../../src/simulator/orders/request.ts'
import { deposit, openAccount } from '../../../src/simulator/state/accounts.ts'
import { createExchange } from '../../../src/simulator/state/exchange.ts'
import { marketSpec, openMarket } from '../../../src/simulator/state/markets.ts'
import { Rejection } from '../../../src/simulator/state/rejections.ts'
import { BUY, SELL } from '../../../src/simulator/state/state.ts'
import { openVenueFixture } from '../fixture.ts'

const FEES = {
  fees: { taker: 50_000, maker: -10_000 },
  rwaFees: { taker: 30_000, maker: 5_000 },
}

test('new accounts pay what the venue is set to, those that were there pay what they did', async () => {
  using fixture = openVenueFixture({ fees: FEES })
  const trader = await fixture.trader('a')
  expect((await trader.get('/v1/client/info')).data).toMatchObject({
    ...{ taker_fee_rate: 5, maker_fee_rate: -1, rwa_taker_fee_rate: 3, rwa_maker_fee_rate: 0.5 },
  })
  await trader.order({ order_type: 'MARKET', order_price: null })
  const [trade] = (await trader.get('/v1/trades')).data.rows
  expect(trade.fee).toBeCloseTo(6000.1 * 0.0005, 6)
  const { engine } = fixture.exchange().simulation()
  expect(engine.world.exchange.byKey.get('house')?.fees).toEqual({ taker: 0, maker: 0 })
})

test('markets of assets outside of crypto have fee rates of their own', () => {
  const listed = ['PERP_XAU_USDC', 'PERP_BTC_USDC'].flatMap((symbol) => MARKETS.get(symbol) ?? [])
  const markets = listed.map((each, at) => openMarket(at, marketSpec(each), each.referenceTicks))
  const exchange = createExchange(markets)
  const [maker, taker] = ['maker', 'taker'].map((key) => {
    const account = openAccount(exchange, { key, ...FEES, leverage: 10 })
    deposit(exchange, account, 1_000_000_000_000)
    return account
  })
  if (!maker || !taker) throw new Error('no accounts')
  const rates = markets.map((market) => {
    const order = { ...PLAIN_ORDER, market, price: market.mark, quantity: 100 }
    const resting = placeOrder(exchange, { ...order, account: maker, side: SELL }, 0)
    const taking = placeOrder(exchange, { ...order, account: taker, side: BUY }, 0)
    if (resting instanceof Rejection || taking instanceof Rejection) throw new Error('refused')
    const notional = market.mark * 100 * market.spec.unit
    return [taking, resting].map(({ fee }) => Math.round((fee / notional) * 1e8))
  })
  expect(rates).toEqual([
    [30_000, 5_000],
    [50_000, -10_000],
  ])
})
