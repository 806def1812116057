import { expect, test } from 'bun:test'
import { MARKETS } from '../../../src/simulator/listing/instruments.ts'
import { placeOrder } from '../../../src/simulator/orders/place.ts'
import { PLAIN_ORDER } from '../../../src/simulator/orders/request.ts'
import { BASE_FEES, deposit, openAccount } from '../../../src/simulator/state/accounts.ts'
import { createExchange } from '../../../src/simulator/state/exchange.ts'
import { marketSpec, notionalAt, openMarket } from '../../../src/simulator/state/markets.ts'
import { REJECTIONS } from '../../../src/simulator/state/rejections.ts'
import { BUY, SELL } from '../../../src/simulator/state/state.ts'

const QUANTITY = 1000

/** One market that may have so many times an order open, with a buyer and a seller in it. */
function open(times = 1.5) {
  const [listed] = MARKETS.values()
  if (!listed) throw new Error('no market')
  const spec = marketSpec(listed)
  const price = listed.referenceTicks
  const openInterestMax = Math.floor(notionalAt(spec, price, QUANTITY) * times)
  const market = openMarket(0, { ...spec, openInterestMax, notionalMin: 0 }, price)
  const exchange = createExchange([market])
  const [buyer, seller] = ['buyer', 'seller'].map((key) => {
    const account = openAccount(exchange, { key, fees: BASE_FEES, leverage: 10 })
    deposit(exchange, account, 1e12)
    return account
  })
  if (!buyer || !seller) throw new Error('no accounts')
  const place = (account: typeof buyer, side: typeof BUY | typeof SELL, quantity = QUANTITY) =>
    placeOrder(exchange, { ...PLAIN_ORDER, account, market, side, price, quantity }, 0)
  return { market, buyer, seller, place }
}

test('a market opens no more than its cap, and what closes passes', () => {
  const { market, buyer, seller, place } = open()
  place(buyer, BUY)
  place(seller, SELL)
  expect(market.openInterest).toBe(QUANTITY)
  expect(place(buyer, BUY)).toBe(REJECTIONS.openInterest)
  expect(place(seller, SELL)).toBe(REJECTIONS.openInterest)
  expect(market.openInterest).toBe(QUANTITY)
  place(buyer, SELL)
  place(seller, BUY)
  expect(market.openInterest).toBe(0)
  expect(place(buyer, BUY)).not.toBe(REJECTIONS.openInterest)
})

test('beyond its cap a market opens not one step', () => {
  const { market, buyer, seller, place } = open(1)
  place(buyer, BUY)
  place(seller, SELL)
  expect(place(buyer, BUY, 1)).toBe(REJECTIONS.openInterest)
  expect(market.openInterest).toBe(QUANTITY)
})
