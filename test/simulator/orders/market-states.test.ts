import { describe, expect, test } from 'bun:test'
import { openOrderList } from '../../../src/simulator/book/open-orders.ts'
import { checkExchange } from '../../../src/simulator/engine/check.ts'
import type { MarketStatus } from '../../../src/simulator/state/market-spec.ts'
import { openVenueFixture, type Trader, type VenueFixture } from '../fixture.ts'
import { BTC, ETH } from '../past/small-feed.ts'
import { heldOf, hold, moveTo, POSITIONAL, place, rowOf, STOP } from './conditional/calls.ts'

const MARKET = { order_type: 'MARKET', order_price: null }
const CLOSE = { ...MARKET, side: 'SELL', reduce_only: true }

function setState(fixture: VenueFixture, status: MarketStatus, symbol = BTC): void {
  const { engine } = fixture.exchange().simulation()
  const market = engine.world.exchange.bySymbol.get(symbol)?.number ?? -1
  engine.submit('status', { market, status }, fixture.nowMs())
  fixture.exchange().commit()
}

async function openOrders(trader: Trader) {
  return (await trader.get('/v1/orders?status=INCOMPLETE')).data.rows
}

describe('a market', () => {
  test('that is halted takes nothing, keeps what rests, and goes on where it stopped', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const { order_id } = (await trader.order()).data
    setState(fixture, 'PENDING')
    for (const refused of [{}, MARKET, CLOSE])
      expect(await trader.order(refused)).toMatchObject({ status: 400, code: -1012 })
    const edit = { order_id, symbol: BTC, order_type: 'LIMIT', side: 'BUY', order_price: 59_100 }
    expect((await trader.put('/v1/order', edit)).code).toBe(-1012)
    expect((await trader.post('/v1/algo/order', STOP)).code).toBe(-1012)
    expect((await trader.order({ ...MARKET, symbol: ETH, order_quantity: 1 })).status).toBe(200)
    expect(await openOrders(trader)).toMatchObject([{ order_id, price: 59_000 }])
    fixture.restart()
    setState(fixture, 'ACTIVE')
    expect((await trader.put('/v1/order', edit)).status).toBe(200)
    expect((await trader.order(MARKET)).status).toBe(200)
  })

  test('that only reduces drops what would open, and closes', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await hold(trader)
    await trader.order()
    const keep = (
      await trader.order({
        side: 'SELL',
        order_price: 61_000,
        reduce_only: true,
        order_quantity: 0.05,
      })
    ).data.order_id
    setState(fixture, 'REDUCE_ONLY')
    expect(await openOrders(trader)).toMatchObject([{ order_id: keep }])
    expect((await trader.order()).code).toBe(-1012)
    expect((await trader.post('/v1/algo/order', STOP)).code).toBe(-1012)
    const house = fixture.exchange().simulation().engine.world.exchange.byKey.get('house')
    expect(
      (house ? openOrderList(house) : []).map(
        ({ marketAccount }) => marketAccount.market.spec.symbol,
      ),
    ).toEqual([ETH, ETH])
  })

  test('that only builds a book takes no order that would not rest', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    setState(fixture, 'POST_ONLY')
    expect((await trader.order(MARKET)).code).toBe(-1012)
    expect((await trader.order({ order_type: 'IOC' })).code).toBe(-1012)
    expect((await trader.order()).status).toBe(200)
  })

  test('that is being delisted takes nothing and holds no orders; positions stay', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await hold(trader)
    await trader.order()
    const algo = await place(trader, POSITIONAL)
    setState(fixture, 'DELISTING')
    expect(await openOrders(trader)).toEqual([])
    expect((await rowOf(trader, algo)).algo_status).toBe('CANCELLED')
    expect((await trader.order(CLOSE)).code).toBe(-1012)
    expect(await heldOf(trader)).toBe(0.1)
  })

  test('that is delisted has its positions closed at the mark, cross and isolated', async () => {
    using fixture = openVenueFixture()
    const [trader, other] = [await fixture.trader('a'), await fixture.trader('b')]
    await hold(trader)
    await other.order({ ...MARKET, margin_mode: 'ISOLATED' })
    moveTo(fixture, 61_000)
    setState(fixture, 'DELISTED')
    for (const each of [trader, other]) {
      expect(await heldOf(each)).toBe(0)
      const [closed] = (await each.get('/v1/position_history')).data.rows
      expect(closed).toMatchObject({ avg_close_price: 61_000, closed_position_qty: 0.1 })
    }
    expect((await trader.order()).code).toBe(-1012)
    expect(checkExchange(fixture.exchange().simulation().engine.world.exchange)).toEqual([])
  })
})

test('a market’s open interest has a cap: what would go beyond it is refused, what shrinks it is not', async () => {
  using fixture = openVenueFixture({ faucet: 1_000_000_000_000_000n })
  const traders = await Promise.all(['a', 'b', 'c', 'd'].map((name) => fixture.trader(name)))
  const [first, , , last] = traders
  // The cap of BTC is 100 million USDC, some 1,666 BTC at 60,000; one account may hold 593 of them.
  const { engine } = fixture.exchange().simulation()
  const house = engine.world.exchange.byKey.get('house')?.number ?? -1
  engine.submit('leverage', { account: house, market: null, leverage: 1 }, fixture.nowMs())
  fixture.quote(BTC, { bids: [[59_999, 90]], asks: Array(20).fill([60_001, 90]) })
  const buy = (trader: Trader | undefined, order_quantity: number) =>
    trader?.order({ ...MARKET, order_quantity })
  for (const trader of traders.slice(0, 3))
    for (let count = 0; count < 6; count++) expect((await buy(trader, 90))?.status).toBe(200)
  expect(await buy(last, 90)).toMatchObject({ status: 400, code: -1101 })
  expect((await buy(last, 40))?.status).toBe(200)
  expect((await first?.order({ ...CLOSE, order_quantity: 90 }))?.status).toBe(200)
})
