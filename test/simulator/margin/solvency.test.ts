import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkExchange } from '../../../src/simulator/engine/check.ts'
import { accountMargin } from '../../../src/simulator/margin/margin.ts'
import { setMarginMode } from '../../../src/simulator/margin/settings.ts'
import { editOrder } from '../../../src/simulator/orders/edit.ts'
import { placeOrder } from '../../../src/simulator/orders/place.ts'
import { PLAIN_ORDER } from '../../../src/simulator/orders/request.ts'
import { notionalAt } from '../../../src/simulator/state/markets.ts'
import { Rejection } from '../../../src/simulator/state/rejections.ts'
import { type Account, BUY, type EngineOrder } from '../../../src/simulator/state/state.ts'
import { runs } from '../../runs.ts'
import { openFixture, ownIn, quantityOf, USDC } from '../liquidation/fixture.ts'

type Fixture = ReturnType<typeof openFixture>

/** Rests an isolated buy order far under the mark that holds back about so many USDC. */
function freeze(
  { exchange, marketOf }: Fixture,
  account: Account,
  base: string,
  usdc: number,
): EngineOrder {
  const market = marketOf(base)
  setMarginMode(account, market, true)
  const marketAccount = ownIn(account, market)
  const price = Math.round(market.mark * 0.9)
  const quantity = Math.floor((usdc * USDC * marketAccount.leverage) / (price * market.spec.unit))
  const request = { ...PLAIN_ORDER, account, market, side: BUY, price, quantity } as const
  const placed = placeOrder(exchange, request, 0)
  if (placed instanceof Rejection) throw new Error(placed.refusal)
  return placed
}

test('a position of one step alone is watched like any other', () => {
  const fixture = openFixture()
  const user = fixture.account('user', 0.1)
  const market = fixture.marketOf('BTC')
  fixture.give(user, 'BTC', notionalAt(market.spec, market.mark, 1) / USDC)
  expect(quantityOf(user, market)).toBe(1)
  expect(market.safeLow).toBeGreaterThan(market.mark * 0.8)
  fixture.move('BTC', -0.17)
  expect(fixture.records).toHaveLength(1)
  expect(checkExchange(fixture.exchange)).toEqual([])
})

describe('collateral that isolated orders hold back', () => {
  const SHARE = fc.double({ min: 0.05, max: 0.95, noNaN: true })
  const STEPS = fc.array(fc.double({ min: 0.0005, max: 0.02, noNaN: true }), { minLength: 8 })

  test('leaves no account below its maintenance margin, however the mark falls after an order or an edit', () => {
    const falls = fc.property(SHARE, SHARE, fc.boolean(), STEPS, (size, held, edits, steps) => {
      const fixture = openFixture()
      const user = fixture.account('user', 10_000)
      fixture.give(user, 'BTC', 95_000 * size)
      const free = (10_000 - 9_500 * size) * held
      const order = freeze(fixture, user, 'SUI', edits ? free / 4 : free)
      const more = { price: order.price, quantity: order.quantity * 4 }
      if (edits) expect(editOrder(fixture.exchange, order, more, 0)).toBeNull()
      for (const step of steps) {
        fixture.move('BTC', -step)
        expect(checkExchange(fixture.exchange)).toEqual([])
      }
    })
    fc.assert(falls, { numRuns: runs(30), seed: 15, endOnFailure: true })
  })

  test('is given back before a position is taken over: what that saves is not liquidated', () => {
    const fixture = openFixture()
    const user = fixture.account('user', 10_000)
    fixture.give(user, 'BTC', 50_000)
    const order = freeze(fixture, user, 'SUI', 4_900)
    const before = quantityOf(user, fixture.marketOf('BTC'))
    fixture.move('BTC', -0.1)
    expect(order.status).toBe('CANCELLED')
    expect(fixture.records).toEqual([])
    expect(quantityOf(user, fixture.marketOf('BTC'))).toBe(before)
    expect(accountMargin(user).collateral).toBeGreaterThan(accountMargin(user).maintenance)
    expect(checkExchange(fixture.exchange)).toEqual([])
  })

  test('does not save an account that is below its maintenance margin without its orders too', () => {
    const fixture = openFixture()
    const user = fixture.account('user', 10_000)
    fixture.give(user, 'BTC', 50_000)
    freeze(fixture, user, 'SUI', 4_900)
    fixture.move('BTC', -0.197)
    const [record] = fixture.records
    expect(fixture.records).toHaveLength(1)
    expect(record?.collateral).toBeLessThan(record?.maintenance ?? 0)
    expect(record?.takeovers.length).toBeGreaterThan(0)
    expect(checkExchange(fixture.exchange)).toEqual([])
  })
})
