import { describe, expect, test } from 'bun:test'
import { checkExchange } from '../../../src/venue/engine/check.ts'
import { placeOrder } from '../../../src/venue/orders/place.ts'
import { PLAIN_ORDER } from '../../../src/venue/orders/request.ts'
import { applyLeverage, deposit, marketAccountOf } from '../../../src/venue/state/accounts.ts'
import { BUY } from '../../../src/venue/state/state.ts'
import { openFixture, quantityOf, USDC } from './fixture.ts'

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
    const marketAccount = marketAccountOf(rich, marketOf('BTC'))
    marketAccount.isolated = true
    applyLeverage(marketAccount, 50)
    give(user, 'BTC', 100_000, bold)
    give(user, 'BTC', 200_000, rich)
    move('BTC', -0.06)
    expect(records[0]?.takeovers[0]).toMatchObject({ by: 'adl', to: rich })
    expect(checkExchange(exchange)).toEqual([])
  })
})
