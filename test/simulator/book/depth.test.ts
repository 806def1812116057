import { expect, test } from 'bun:test'
import { impactPrice, priceAt, visibleDepth } from '../../../src/simulator/book/depth.ts'
import { placeOrder } from '../../../src/simulator/orders/place.ts'
import { PLAIN_ORDER } from '../../../src/simulator/orders/request.ts'
import { Rejection } from '../../../src/simulator/state/rejections.ts'
import { type Account, BUY, SELL } from '../../../src/simulator/state/state.ts'
import { openFixture, quantityOf } from '../liquidation/fixture.ts'

/** A market with one seller who only reduces a long position, and one who sells more behind. */
function openBook() {
  const fixture = openFixture()
  const market = fixture.marketOf('XRP')
  const [owner, other] = [fixture.account('owner', 10_000), fixture.account('other seller', 10_000)]
  fixture.give(owner, 'XRP', 5_000)
  const held = quantityOf(owner, market)
  const price = Math.round(market.mark * 1.01)
  const sell = (account: Account, at: number, quantity: number, reduceOnly: boolean) => {
    const order = { ...PLAIN_ORDER, side: SELL, price: at, quantity, reduceOnly } as const
    const request = { ...order, account, market }
    const placed = placeOrder(fixture.exchange, request, 0)
    if (placed instanceof Rejection) throw new Error(placed.refusal)
  }
  sell(owner, price, held, true)
  sell(other, price + 10, 100, false)
  return { ...fixture, market, owner, held, price, sell }
}

test('the book shows of a reduce-only order what its owner still holds', () => {
  const { market, owner, held, price, give } = openBook()
  expect(visibleDepth(market, SELL, 5).slice(0, 2)).toEqual([
    { price, quantity: held },
    { price: price + 10, quantity: 100 },
  ])
  give(owner, 'XRP', -3_000)
  const left = quantityOf(owner, market)
  expect(left).toBeWithin(1, held)
  expect(visibleDepth(market, SELL, 1)).toEqual([{ price, quantity: left }])
})

test('a level that shows nothing is no level: neither in the depth, nor counted, nor sold into', () => {
  const { market, owner, held, price, give } = openBook()
  expect([0, 1].map((nth) => priceAt(market, SELL, nth))).toEqual([price, price + 10])
  const value = price * held + (price + 10) * 50
  expect(impactPrice(market, SELL, value)).toBeCloseTo(value / (held + 50), 6)
  give(owner, 'XRP', -5_000)
  expect(quantityOf(owner, market)).toBe(0)
  expect(visibleDepth(market, SELL, 5)).toEqual([{ price: price + 10, quantity: 100 }])
  expect([0, 1].map((nth) => priceAt(market, SELL, nth))).toEqual([price + 10, null])
  expect(impactPrice(market, SELL, (price + 10) * 100)).toBe(price + 10)
  expect(impactPrice(market, SELL, (price + 10) * 100 + 1)).toBeNull()
})

test('both sides are listed best first, up to a count', () => {
  const { market, sell, account, exchange, price } = openBook()
  const buyer = account('buyer', 100_000)
  for (const back of [3, 1, 2]) {
    const at = { price: market.mark - back * 10, quantity: 100 * back }
    placeOrder(exchange, { ...PLAIN_ORDER, account: buyer, market, side: BUY, ...at }, 0)
  }
  sell(buyer, price + 5, 700, false)
  const [best, second] = [market.mark - 10, market.mark - 20]
  expect(visibleDepth(market, BUY, 2)).toEqual([
    { price: best, quantity: 100 },
    { price: second, quantity: 200 },
  ])
  expect(visibleDepth(market, SELL, 3).map((each) => each.price)).toEqual([
    price,
    price + 5,
    price + 10,
  ])
})
