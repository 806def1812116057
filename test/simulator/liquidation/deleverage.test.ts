import { describe, expect, test } from 'bun:test'
import { checkExchange } from '../../../src/simulator/engine/check.ts'
import { setMarginMode } from '../../../src/simulator/margin/settings.ts'
import { placeOrder } from '../../../src/simulator/orders/place.ts'
import { PLAIN_ORDER } from '../../../src/simulator/orders/request.ts'
import { applyLeverage, deposit } from '../../../src/simulator/state/accounts.ts'
import { BUY } from '../../../src/simulator/state/state.ts'
import { openFixture, ownIn, quantityOf, USDC } from './fixture.ts'

describe('deleveraging', () => {
  test('of an account, when the fund is poor, goes against who gains most with the most leverage, at its own bankruptcy', () => {
    const { account, give, move, world, records, marketOf, exchange, equity } = openFixture()
    deposit(exchange, world.fund, -1_990_000 * USDC)
    const [user, bold, careful] = [
      account('user', 10_000),
      account('bold', 40_000),
      account('careful', 5_000_000),
    ]
    give(user, 'BTC', 200_000, bold)
    give(user, 'BTC', 100_000, careful)
    const held = quantityOf(user, marketOf('BTC'))
    const boldBefore = quantityOf(bold, marketOf('BTC'))
    move('BTC', -0.06)
    const [record] = records
    expect(record?.takeovers[0]).toMatchObject({ by: 'adl', to: bold })
    expect(record?.takeovers.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(held)
    expect(quantityOf(bold, marketOf('BTC'))).toBe(0)
    expect(boldBefore).toBeLessThan(0)
    expect(Math.abs(record?.transferred ?? 1)).toBeLessThan(5 * USDC)
    expect(equity(user)).toBe(0)
    expect(checkExchange(exchange)).toEqual([])
  })

  test('whoever is deleveraged has no reduce-only order left for what is gone', () => {
    const { account, give, move, world, marketOf, exchange } = openFixture()
    deposit(exchange, world.fund, -1_990_000 * USDC)
    const [user, bold] = [account('user', 10_000), account('bold', 40_000)]
    give(user, 'BTC', 200_000, bold)
    const market = marketOf('BTC')
    const price = Math.round(market.mark * 0.8)
    const order = {
      ...PLAIN_ORDER,
      account: bold,
      market,
      side: BUY,
      price,
      quantity: 1000,
    } as const
    placeOrder(exchange, { ...order, reduceOnly: true }, 0)
    expect(bold.open.size).toBe(1)
    move('BTC', -0.06)
    expect(quantityOf(bold, market)).toBe(0)
    expect(bold.open.size).toBe(0)
    expect(checkExchange(exchange)).toEqual([])
  })

  test('an isolated position is ranked by the leverage of its own margin', () => {
    const { account, give, move, world, records, marketOf, exchange } = openFixture()
    deposit(exchange, world.fund, -1_990_000 * USDC)
    const [user, bold, rich] = [
      account('user', 10_000),
      account('bold', 40_000),
      account('rich', 5_000_000),
    ]
    setMarginMode(rich, marketOf('BTC'), true)
    applyLeverage(ownIn(rich, marketOf('BTC')), 50)
    give(user, 'BTC', 100_000, bold)
    give(user, 'BTC', 200_000, rich)
    move('BTC', -0.06)
    expect(records[0]?.takeovers[0]).toMatchObject({ by: 'adl', to: rich })
    expect(checkExchange(exchange)).toEqual([])
  })

  test('closes the position that gains most with the most leverage, and leaves the other one of its account in that market', () => {
    const { account, give, move, world, records, marketOf, exchange } = openFixture()
    deposit(exchange, world.fund, -1_990_000 * USDC)
    const market = marketOf('BTC')
    const [user, both] = [account('user', 10_000), account('both', 5_000_000)]
    const cross = ownIn(both, market)
    give(both, 'BTC', -100_000)
    both.isolatedMarkets.add(market.number)
    const isolated = ownIn(both, market)
    applyLeverage(isolated, 50)
    give(user, 'BTC', 300_000, both)
    const { quantity } = cross
    move('BTC', -0.06)
    const taken = records[0]?.takeovers.map((part) => [part.by, part.to.key, part.isolated])
    expect(taken).toEqual([['adl', 'both', true]])
    expect([isolated.quantity, cross.quantity]).toEqual([0, quantity])
    expect(checkExchange(exchange)).toEqual([])
  })
})
