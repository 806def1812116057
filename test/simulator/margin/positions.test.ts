import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fillPosition } from '../../../src/simulator/margin/positions.ts'
import { openMarketAccount } from '../../../src/simulator/state/accounts.ts'
import { notionalAt } from '../../../src/simulator/state/markets.ts'
import { BUY, type PositionLife, SELL, type SideSign } from '../../../src/simulator/state/state.ts'
import { openFixture } from '../liquidation/fixture.ts'

const fills = fc.array(
  fc.record({
    quantity: fc.integer({ min: -3, max: 3 }).filter((quantity) => quantity !== 0),
    price: fc.integer({ min: 90, max: 110 }),
    fee: fc.integer({ min: 0, max: 50 }),
  }),
  { minLength: 1, maxLength: 20 },
)

/** A position as a list of single steps, the price of each kept apart: an independent model of its average. */
function createModel() {
  let [held, total] = [0, 0]
  return {
    held: () => held,
    average: () => (held === 0 ? 0 : total / Math.abs(held)),
    /** Answers what was won, in ticks times steps. */
    fill(quantity: number, price: number): number {
      let won = 0
      const sign = Math.sign(quantity)
      for (let step = 0; step < Math.abs(quantity); step += 1) {
        if (held * sign < 0) {
          won += (price - total / Math.abs(held)) * -sign
          total -= total / Math.abs(held)
        } else total += price
        held += sign
      }
      return won
    },
  }
}

// Slow: generated fills are each added up in two ways.
test('a position is the sum of its fills: what it holds, its average, what it won, and each of its lives', () => {
  const property = fc.property(fills, (scenario) => {
    const { exchange, account, marketOf } = openFixture()
    const market = marketOf('BTC')
    const own = openMarketAccount(account('user', 1000), market)
    const ended: { side: SideSign; life: PositionLife }[] = []
    exchange.observers.push({ closed: (_, life, side) => ended.push({ side, life }) })
    const model = createModel()
    const openBefore = market.openInterest
    let [paid, traded] = [0, 0]
    const lives: SideSign[] = []
    for (const { quantity, price, fee } of scenario) {
      const before = model.held()
      const won = model.fill(quantity, price)
      const realized = fillPosition(exchange, own, { quantity, price, fee, atMs: 1 })
      expect(Math.abs(realized - won * market.spec.unit)).toBeLessThanOrEqual(20)
      traded += notionalAt(market.spec, price, quantity)
      paid += fee
      expect(own.quantity).toBe(model.held())
      expect(own.averageOpen / market.spec.tick).toBeCloseTo(model.average(), 4)
      expect(own.cost).toBe(traded + paid)
      expect(own.life === null).toBe(model.held() === 0)
      if (model.held() === 0) expect(own.settlePrice).toBe(0)
      if (before !== 0 && before * model.held() <= 0) lives.push(before > 0 ? BUY : SELL)
    }
    expect(ended.map(({ side }) => side)).toEqual(lives)
    const open = own.life ? [own.life] : []
    const all = [...ended.map(({ life }) => life), ...open]
    expect(all.reduce((sum, { tradingFee }) => sum + tradingFee, 0)).toBe(paid)
    for (const { life } of ended)
      expect(life.closedQuantity).toBeGreaterThanOrEqual(life.maxQuantity)
    expect(market.openInterest - openBefore).toBe(Math.max(0, own.quantity))
    expect(market.holders.has(own)).toBe(own.quantity !== 0)
  })
  fc.assert(property, { numRuns: 200 })
})
