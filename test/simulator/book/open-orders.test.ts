import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { cancel, findOpen, openOrderList } from '../../../src/simulator/book/open-orders.ts'
import { MARKETS } from '../../../src/simulator/listing/instruments.ts'
import { placeOrder } from '../../../src/simulator/orders/place.ts'
import { PLAIN_ORDER } from '../../../src/simulator/orders/request.ts'
import { BASE_FEES, deposit, openAccount } from '../../../src/simulator/state/accounts.ts'
import { createExchange } from '../../../src/simulator/state/exchange.ts'
import { marketSpec, openMarket } from '../../../src/simulator/state/markets.ts'
import { Rejection } from '../../../src/simulator/state/rejections.ts'
import { BUY, type EngineOrder, type EngineOrderType } from '../../../src/simulator/state/state.ts'
import { runs } from '../../runs.ts'

function openPlace() {
  const listed = [...MARKETS.values()].slice(0, 1)
  const markets = listed.map((each, at) => openMarket(at, marketSpec(each), each.referenceTicks))
  const exchange = createExchange(markets)
  const account = openAccount(exchange, { key: 'one', fees: BASE_FEES, leverage: 10 })
  deposit(exchange, account, 1e12)
  const place = (away: number, type: EngineOrderType = 'LIMIT'): EngineOrder => {
    const [market] = markets
    if (!market) throw new Error('no market')
    const terms = { ...PLAIN_ORDER, account, market, side: BUY, type, quantity: 100 } as const
    const placed = placeOrder(exchange, { ...terms, price: market.mark - 1 - away }, 0)
    if (placed instanceof Rejection) throw new Error(placed.message)
    return placed
  }
  return { exchange, account, place }
}

test('open orders are those that were placed and not ended, the oldest first', () => {
  const steps = fc.array(fc.record({ away: fc.nat(50), ends: fc.boolean(), which: fc.nat() }))
  fc.assert(
    fc.property(steps, (all) => {
      const { exchange, account, place } = openPlace()
      const known: EngineOrder[] = []
      for (const { away, ends, which } of all) {
        const [ended] = ends ? known.splice(which % Math.max(1, known.length), 1) : []
        if (ended) cancel(exchange, ended, 0)
        else known.push(place(away))
        expect(openOrderList(account).map(({ id }) => id)).toEqual(known.map(({ id }) => id))
        expect(account.open.size).toBe(known.length)
        if (ended) expect(findOpen(account, ended.id)).toBeUndefined()
      }
      for (const order of known) expect(findOpen(account, order.id)).toBe(order)
    }),
    { numRuns: runs(30) },
  )
})

test('an order that ends without resting takes no other from the open ones', () => {
  const { account, place } = openPlace()
  const resting = [place(1), place(2)]
  expect(place(3, 'IOC').status).toBe('CANCELLED')
  expect(openOrderList(account)).toEqual(resting)
  expect(account.open.size).toBe(2)
})

test('a cancelled order is one of the time of its cancelling', () => {
  const { exchange, place } = openPlace()
  const order = place(1)
  expect(order).toMatchObject({ status: 'NEW', updatedAtMs: 0 })
  cancel(exchange, order, 7)
  expect(order).toMatchObject({ status: 'CANCELLED', updatedAtMs: 7 })
})
