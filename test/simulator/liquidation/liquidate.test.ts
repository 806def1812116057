import { describe, expect, test } from 'bun:test'
import { checkExchange } from '../../../src/simulator/engine/check.ts'
import { accountMargin } from '../../../src/simulator/margin/margin.ts'
import { setMarginMode } from '../../../src/simulator/margin/settings.ts'
import { placeOrder } from '../../../src/simulator/orders/place.ts'
import { PLAIN_ORDER } from '../../../src/simulator/orders/request.ts'
import { applyLeverage, deposit } from '../../../src/simulator/state/accounts.ts'
import { notionalAt } from '../../../src/simulator/state/markets.ts'
import { BUY } from '../../../src/simulator/state/state.ts'
import { openFixture, ownIn, quantityOf, USDC } from './fixture.ts'

describe('an account below its maintenance margin', () => {
  test('gives up just enough to be back at the initial margin', () => {
    const { account, give, move, records, marketOf, exchange, equity } = openFixture()
    const user = account('user', 3_000)
    give(user, 'SUI', 40_000)
    move('SUI', -0.052)
    const { spec, mark } = marketOf('SUI')
    const left = notionalAt(spec, mark, quantityOf(user, marketOf('SUI')))
    expect(records).toHaveLength(1)
    expect(records[0]?.transferred).toBe(0)
    expect(left).toBeGreaterThan(0)
    expect(equity(user) / left).toBeCloseTo(0.1, 3)
    expect(checkExchange(exchange)).toEqual([])
  })

  test('pays its fee half to the liquidator and half to the insurance fund', () => {
    const { account, give, move, records, world, exchange } = openFixture()
    const user = account('user', 3_000)
    give(user, 'SUI', 40_000)
    move('SUI', -0.052)
    const [taken] = records[0]?.takeovers ?? []
    expect(taken?.by).toBe('liquidator')
    expect(taken?.liquidatorFee).toBeGreaterThan(0)
    expect(Math.abs((taken?.liquidatorFee ?? 0) - (taken?.fundFee ?? 0))).toBeLessThanOrEqual(1)
    expect(accountMargin(world.fund).collateral).toBe(2_000_000 * USDC + (taken?.fundFee ?? 0))
    expect(checkExchange(exchange)).toEqual([])
  })

  test('in the low tier gives up the same part of each position', () => {
    const { account, give, move, records, marketOf } = openFixture()
    const user = account('user', 10_000)
    give(user, 'BTC', 200_000)
    give(user, 'ETH', 100_000)
    move('BTC', -0.0415)
    const shares = records[0]?.takeovers.map(({ quantity, held }) => quantity / held) ?? []
    expect(records[0]?.takeovers.map(({ market }) => market)).toEqual([
      marketOf('BTC'),
      marketOf('ETH'),
    ])
    expect(shares[0]).toBeCloseTo(shares[1] ?? 0, 4)
  })

  test('loses its orders first, and a healthy one loses nothing', () => {
    const { account, give, move, exchange, marketOf, records } = openFixture()
    const [user, healthy] = [account('user', 12_000), account('healthy', 50_000)]
    for (const owner of [user, healthy]) {
      give(owner, 'BTC', 100_000)
      const market = marketOf('XRP')
      const order = { ...PLAIN_ORDER, account: owner, market, side: BUY } as const
      placeOrder(exchange, { ...order, price: Math.round(market.mark * 0.9), quantity: 100 }, 0)
    }
    move('BTC', -0.115)
    expect(user.open.size).toBe(0)
    expect(healthy.open.size).toBe(1)
    expect(records.map((record) => record.account)).toEqual([user])
    expect(user.status).toBe('active')
  })

  test('with a small position gives it up whole', () => {
    const { account, give, move, marketOf, equity } = openFixture()
    const user = account('user', 300)
    give(user, 'SUI', 4_000)
    move('SUI', -0.052)
    expect(quantityOf(user, marketOf('SUI'))).toBe(0)
    expect(equity(user)).toBeGreaterThan(0)
  })

  test('in a high tier gives up one market at a time', () => {
    const { account, give, move, marketOf } = openFixture()
    const user = account('user', 3_000)
    give(user, 'SUI', 40_000)
    give(user, 'BTC', 4_000)
    const before = quantityOf(user, marketOf('BTC'))
    move('SUI', -0.051)
    expect(quantityOf(user, marketOf('BTC'))).toBe(before)
    expect(quantityOf(user, marketOf('SUI'))).toBeGreaterThan(0)
  })

  test('with less than both fees pays the liquidator before the fund', () => {
    const { account, give, move, records } = openFixture()
    const user = account('user', 10_000)
    give(user, 'BTC', 300_000)
    move('BTC', -0.029)
    const [record] = records
    const fees = record?.takeovers.reduce(
      (sum, { liquidatorFee, fundFee }) => ({
        liquidator: sum.liquidator + liquidatorFee,
        fund: sum.fund + fundFee,
      }),
      { liquidator: 0, fund: 0 },
    )
    expect((record?.collateral ?? 0) / (record?.notional ?? 1)).toBeLessThan(0.006)
    expect(fees?.liquidator).toBeGreaterThan(fees?.fund ?? 0)
  })

  test('with next to nothing leaves balance and positions to the insurance fund', () => {
    const { account, give, move, world, records, marketOf, exchange } = openFixture()
    const user = account('user', 10_000)
    give(user, 'BTC', 300_000)
    move('BTC', -0.05)
    const [record] = records
    expect(record?.takeovers.map(({ by }) => by)).toEqual(['fund'])
    expect(record?.transferred).toBeLessThan(0)
    expect(user.holding).toBe(0)
    expect(quantityOf(user, marketOf('BTC'))).toBe(0)
    expect(quantityOf(world.fund, marketOf('BTC'))).toBeGreaterThan(0)
    expect(checkExchange(exchange)).toEqual([])
  })

  test('of an isolated position loses only that, and what it lacks is the fund’s', () => {
    const { account, give, move, marketOf, records, exchange } = openFixture()
    const user = account('user', 20_000)
    setMarginMode(user, marketOf('BTC'), true)
    applyLeverage(ownIn(user, marketOf('BTC')), 50)
    give(user, 'BTC', 100_000)
    const free = user.holding
    move('BTC', -0.04)
    expect(records).toMatchObject([{ isolated: true }])
    expect(quantityOf(user, marketOf('BTC'))).toBe(0)
    expect(user.holding).toBe(free)
    expect(checkExchange(exchange)).toEqual([])
  })

  test('leaves an isolated position alone when the rest of its account is bankrupt', () => {
    const { account, give, move, marketOf, records, exchange } = openFixture()
    const user = account('user', 20_000)
    setMarginMode(user, marketOf('ETH'), true)
    const isolated = ownIn(user, marketOf('ETH'))
    give(user, 'ETH', 50_000)
    give(user, 'BTC', 140_000)
    const { quantity, margin, cost } = isolated
    expect(margin).toBeGreaterThan(0)
    move('BTC', -0.2)
    expect(records).toMatchObject([{ isolated: false }])
    expect(quantityOf(user, marketOf('BTC'))).toBe(0)
    expect(isolated).toMatchObject({ quantity, margin, cost })
    expect(checkExchange(exchange)).toEqual([])
  })

  test('goes to the fund when no liquidator has room', () => {
    const { account, give, move, world, records, exchange } = openFixture()
    for (const { role, account: rich } of world.agents)
      if (role === 'liquidator') deposit(exchange, rich, -rich.holding)
    const user = account('user', 10_000)
    give(user, 'BTC', 300_000)
    move('BTC', -0.028)
    expect(records[0]?.takeovers.every(({ by }) => by === 'fund')).toBe(true)
    expect(records[0]?.transferred).toBe(0)
  })
})
