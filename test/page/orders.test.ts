import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { exact, textOfExact } from '../../src/page/common/format.ts'
import type { Rule } from '../../src/page/trade/market/rows.ts'
import { bodyText } from '../../src/page/trade/orders/body.ts'
import { type Candidate, checkOrder, largestSize } from '../../src/page/trade/orders/check.ts'
import { estimateOf, fillOf } from '../../src/page/trade/orders/estimate.ts'

function value(text: string): bigint {
  const found = exact(text)
  if (found === null) throw new Error(text)
  return found
}

const RULE: Rule = {
  ...{ symbol: 'PERP_ETH_USDC', maxLeverage: 100, quoteTick: '0.01', baseTick: '0.0001' },
  ...{ tick: value('0.01'), step: value('0.0001'), priceMin: 0n, priceMax: value('100000') },
  ...{ sizeMin: value('0.0001'), sizeMax: value('150'), notionalMin: value('10') },
  ...{ priceRange: value('0.03'), priceScope: value('0.4') },
  ...{ baseImr: value('0.01'), baseMmr: value('0.006') },
}

const ORDER: Candidate = {
  ...{ side: 'BUY', price: value('2000'), size: value('1') },
  ...{ reference: value('2000'), mark: value('2000'), isReduceOnly: false },
}

describe('the page’s check of an order', () => {
  test.each([
    ['nothing', {}, []],
    ['a price between two ticks', { price: value('1999.999') }, ['price_tick 1999.99']],
    ['a price above the mark’s range', { price: value('2100') }, ['price_mark 2060']],
    ['a price far below the mark', { price: value('1000') }, ['price_mark 1200']],
    ['a price above the bounds', { price: value('200000') }, ['price_bounds 100000']],
    ['a size between two steps', { size: value('1.00005') }, ['size_step 1']],
    ['a size above the maximum', { size: value('151') }, ['size_max 150']],
    ['an order worth too little', { size: value('0.001') }, ['notional 0.005']],
    ['no size at all', { size: 0n }, ['size_min 0.005']],
    ['a little to be reduced', { size: value('0.001'), isReduceOnly: true }, []],
    [
      'both at once',
      { price: value('2100'), size: value('151') },
      ['price_mark 2060', 'size_max 150'],
    ],
  ])('finds %s', (_, change, wanted) => {
    const found = checkOrder(RULE, { ...ORDER, ...change })
    expect(found.map(({ rule, corrected }) => `${rule} ${textOfExact(corrected)}`)).toEqual(wanted)
  })

  test('of a corrected order finds nothing, for any order', () => {
    const amount = fc.bigInt({ min: 1n, max: value('300000') })
    fc.assert(
      fc.property(
        amount,
        amount,
        fc.constantFrom('BUY' as const, 'SELL' as const),
        (price, size, side) => {
          let order: Candidate = { ...ORDER, price, size, side }
          for (let rounds = 0; rounds < 3; rounds += 1) {
            for (const { field, corrected } of checkOrder(RULE, order))
              order = { ...order, [field]: corrected }
          }
          expect(checkOrder(RULE, order)).toEqual([])
        },
      ),
    )
  })
})

describe('the page’s estimates', () => {
  const asks = [
    { price: value('2000'), size: value('1') },
    { price: value('2010'), size: value('2') },
  ]

  test.each([
    ['0.5', null, ['0.5', '2000', '2000']],
    ['2', null, ['2', '2005', '2010']],
    ['9', null, ['3', '2006.66666666', '2010']],
    ['2', '2005', ['1', '2000', '2000']],
    ['1', '1999', ['0', '0', '0']],
  ])('walk the book for %s up to %s', (size, limit, wanted) => {
    const fill = fillOf(asks, 'BUY', value(size), limit === null ? null : value(limit))
    expect([fill.size, fill.average, fill.worst].map(textOfExact)).toEqual(wanted)
  })

  test('tell fee, margin and the mark that would liquidate', () => {
    const order = {
      side: 'BUY',
      size: value('1'),
      price: value('2000'),
      feeRate: value('0.0006'),
    } as const
    const account = {
      collateral: value('500'),
      held: 0n,
      mark: value('2000'),
      otherMaintenance: 0n,
      leverage: 10,
    }
    const { fee, margin, liquidation } = estimateOf(RULE, order, account)
    expect([fee, margin].map(textOfExact)).toEqual(['1.2', '200'])
    // 498.8 + (p − 2000) = 0.006 p
    expect(Number(textOfExact(liquidation ?? 0n))).toBeCloseTo(1501.2 / 0.994, 4)
  })

  test('know no liquidation of a position that is closed, and no size without free margin', () => {
    const order = { side: 'SELL', size: value('1'), price: value('2000'), feeRate: 0n } as const
    const account = {
      collateral: value('500'),
      held: value('1'),
      mark: value('2000'),
      otherMaintenance: 0n,
      leverage: 10,
    }
    expect(estimateOf(RULE, order, account).liquidation).toBeNull()
    const parts = { free: 0n, leverage: 10, price: value('2000'), feeRate: 0n }
    expect(largestSize(RULE, parts)).toBe(0n)
    expect(textOfExact(largestSize(RULE, { ...parts, free: value('200') }))).toBe('1')
  })
})

test('a body holds decimals as they are, and nothing that is not said', () => {
  const body = bodyText({
    symbol: 'A"B',
    order_price: value('0.00000001'),
    order_quantity: value('90071992547409.93'),
    slippage: null,
  })
  expect(body).toBe(
    '{"symbol":"A\\"B","order_price":0.00000001,"order_quantity":90071992547409.93}',
  )
})
