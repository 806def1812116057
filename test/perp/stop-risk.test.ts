import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toAmount } from '../../src/perp/amounts.ts'
import { parseBook } from '../../src/perp/book.ts'
import { dailyMove, movesBetween } from '../../src/perp/daily-move.ts'
import { isBeyondLiquidation } from '../../src/perp/liquidation-price.ts'
import { toMarketRules } from '../../src/perp/market-rules.ts'
import type { Order } from '../../src/perp/order-match.ts'
import { liquidationOnceFilled, lossAtStop, quantityAtRisk } from '../../src/perp/stop-risk.ts'

const exact = (value: number) => toAmount(value) ?? 0n
const SYMBOL = 'PERP_ETH_USDC'
const RULES = toMarketRules({
  symbol: SYMBOL,
  info: { quote_tick: 1, base_tick: 0.001, base_min: 0.001, min_notional: 1, price_range: 0.03 },
})
const RATES = { leverage: 10, baseImr: exact(0.01), baseMmr: exact(0.006), imrFactor: 0 }
const ACCOUNT = {
  ...{ positions: [], orders: [], collateral: exact(1e6), free: exact(1e6), rates: RATES },
  ...{ takerFee: exact(0.0006), makerFee: 0n },
}

/** A book around 3000 whose levels are a few units apart. */
const BOOK = fc
  .array(
    fc.record({
      apart: fc.integer({ min: 1, max: 9 }),
      quantity: fc.integer({ min: 1, max: 400 }),
    }),
    {
      maxLength: 6,
    },
  )
  .map((levels) => {
    let away = 0
    const rows = levels.map(({ apart, quantity }) => {
      away += apart
      return { away, quantity: quantity / 100 }
    })
    return parseBook({
      asks: rows.map((row) => ({ price: 3000 + row.away, quantity: row.quantity })),
      bids: rows.map((row) => ({ price: 3000 - row.away, quantity: row.quantity })),
    })
  })

const ORDER = fc.record({
  side: fc.constantFrom('BUY' as const, 'SELL' as const),
  limit: fc.option(fc.integer({ min: 2990, max: 3010 })),
  away: fc.integer({ min: 15, max: 600 }),
  risk: fc.integer({ min: 1, max: 20_000 }),
  book: BOOK,
})

test('the size at risk loses no more than the risk at its stop, and one step more loses more', () => {
  fc.assert(
    fc.property(ORDER, ({ side, limit, away, risk, book }) => {
      const market = { ...RULES, mark: exact(3000), book }
      const order: Omit<Order, 'quantity'> = {
        ...{ side, type: limit === null ? 'MARKET' : 'LIMIT', mode: 'CROSS' },
        ...{ price: limit === null ? null : exact(limit), reduceOnly: false, slippage: null },
      }
      const stop = exact(side === 'BUY' ? 3000 - away : 3000 + away)
      const loss = (quantity: bigint) => lossAtStop(market, { ...order, quantity }, stop, ACCOUNT)
      const quantity = quantityAtRisk(market, order, { stop, risk: exact(risk) }, ACCOUNT)
      expect(loss(quantity) <= exact(risk)).toBe(true)
      expect(loss(quantity + RULES.baseTick) > exact(risk)).toBe(true)
      expect(quantity % RULES.baseTick).toBe(0n)
      const wrong = exact(side === 'BUY' ? 3100 : 2900)
      expect(quantityAtRisk(market, order, { stop: wrong, risk: exact(risk) }, ACCOUNT)).toBe(0n)
    }),
    { numRuns: 300 },
  )
})

test('the liquidation price of an order that fills or rests is unknown at an unknown fee', () => {
  const book = parseBook({ asks: [], bids: [] })
  const market = { ...RULES, mark: exact(3000), book }
  const order: Order = {
    ...{ side: 'BUY', type: 'LIMIT', mode: 'CROSS', price: exact(3000), quantity: exact(1) },
    ...{ reduceOnly: false, slippage: null },
  }
  const account = { ...ACCOUNT, collateral: exact(400), free: exact(400) }
  expect(liquidationOnceFilled(market, order, account)).toBeGreaterThan(0n)
  expect(liquidationOnceFilled(market, order, { ...account, takerFee: null })).toBeNull()
})

test('a daily move is the mean range of days, and unknown without any', () => {
  const days = [
    { open: 100, high: 104, low: 98 },
    { open: 200, high: 204, low: 200 },
  ]
  expect(dailyMove(days)).toBeCloseTo(0.04, 12)
  expect(dailyMove([])).toBeNull()
  expect(dailyMove([{ open: 0, high: 1, low: 0 }])).toBeNull()
  expect(movesBetween(exact(100), exact(90), 0.04)).toBeCloseTo(2.5, 9)
  expect(movesBetween(exact(100), null, 0.04)).toBeNull()
  expect(movesBetween(exact(100), exact(90), null)).toBeNull()
  expect(movesBetween(0n, exact(90), 0.04)).toBeNull()
})

test('a stop at or beyond the liquidation price is never reached, and a nearer one is', () => {
  expect([89n, 90n, 91n].map((stop) => isBeyondLiquidation('BUY', stop, 90n))).toEqual([
    true,
    true,
    false,
  ])
  expect([89n, 90n, 91n].map((stop) => isBeyondLiquidation('SELL', stop, 90n))).toEqual([
    false,
    true,
    true,
  ])
})
