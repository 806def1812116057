import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Rule } from '../../src/page/trade/market/rows.ts'
import { bodyText } from '../../src/page/trade/orders/body.ts'
import { type Candidate, checkOrder } from '../../src/page/trade/orders/check.ts'
import {
  judgeWaiting,
  legProblem,
  type WaitingDraft,
} from '../../src/page/trade/orders/conditional.ts'
import { estimateOf, type Fate, fillOf } from '../../src/page/trade/orders/estimate.ts'
import { judge, largestOf } from '../../src/page/trade/orders/judge.ts'
import { amountText, toAmount } from '../../src/perp/amounts.ts'

function value(text: string): bigint {
  const found = toAmount(text)
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
  ...{ reference: value('2000'), mark: value('2000'), isFullClose: false },
}

const DRAFT = {
  side: 'BUY',
  type: 'LIMIT',
  price: null,
  isReduceOnly: false,
  slippage: null,
} as const

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
    ['a little to be reduced', { size: value('0.001'), isFullClose: true }, []],
    [
      'both at once',
      { price: value('2100'), size: value('151') },
      ['price_mark 2060', 'size_max 150'],
    ],
  ])('finds %s', (_, change, wanted) => {
    const found = checkOrder(RULE, { ...ORDER, ...change })
    expect(found.map(({ rule, corrected }) => `${rule} ${amountText(corrected)}`)).toEqual(wanted)
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

  const mark = value('2005')

  test.each([
    ['0.5', null, ['0.5', '1000', '0']],
    ['2', null, ['2', '4010', '5']],
    ['9', null, ['3', '6020', '10']],
    ['2', '2005', ['1', '2000', '0']],
    ['1', '1999', ['0', '0', '0']],
  ])('walk the book for %s up to %s', (size, limit, wanted) => {
    const order = {
      side: 'BUY' as const,
      size: value(size),
      limit: limit === null ? null : value(limit),
    } as const
    const fill = fillOf(asks, order, mark)
    expect([fill.size, fill.value, fill.loss].map(amountText)).toEqual(wanted)
  })

  test.each([
    ['POST_ONLY', '1', '2000', 'would_take'],
    ['POST_ONLY', '1', '1999', null],
    ['FOK', '3', '2010', null],
    ['FOK', '3.1', '2010', 'not_whole'],
    ['IOC', '1', '1999', 'takes_nothing'],
    ['IOC', '9', '2000', null],
    ['LIMIT', '1', '1999', null],
  ] as const)('know what becomes of %s %s at %s', (type, size, price, fate) => {
    const draft = { ...DRAFT, type, size: value(size), price: value(price) }
    const opposite = { best: value('2000'), opposite: asks }
    expect(judge(RULE, { ...draft, ...opposite, mark: value('2000') }, null).fate).toBe(fate)
  })

  const trader = {
    ...{ held: 0n, mark: value('2000'), buys: 0n, sells: 0n, buyValue: 0n, sellValue: 0n },
    ...{ leverage: 10, isIsolated: false, margin: 0n, unsettled: 0n, imrFactor: 0 },
    ...{ notionalMax: null, collateral: value('500'), free: value('500'), isShort: false },
    ...{ otherMaintenance: 0n, takerFee: value('0.0006'), makerFee: 0n },
  }

  const fill = { size: value('1'), value: value('2000'), loss: 0n, worst: null }
  const order = { type: 'LIMIT', size: value('1'), price: value('2000'), fill } as const

  test('have fee, margin and the mark that would liquidate', () => {
    const { figures } = estimateOf(RULE, { ...order, side: 'BUY' }, trader) ?? {}
    const { fee = 0n, margin = 0n, liquidation } = figures ?? {}
    expect([fee, margin].map(amountText)).toEqual(['1.2', '200'])
    // 498.8 + (p − 2000) = 0.006 p
    expect(Number(amountText(liquidation ?? 0n))).toBeCloseTo(1501.2 / 0.994, 4)
  })

  test('have no liquidation of a position that is closed, and no size without free margin', () => {
    const holder = { ...trader, held: value('1') }
    expect(estimateOf(RULE, { ...order, side: 'SELL' }, holder)?.figures?.liquidation).toBeNull()
    const best = { best: value('2000'), opposite: [], mark: value('2000') }
    expect(largestOf(RULE, { ...DRAFT, ...best }, { ...trader, free: 0n })).toBe(0n)
    const free = { ...trader, free: value('200') }
    expect(amountText(largestOf(RULE, { ...DRAFT, ...best }, free))).toBe('1')
  })

  test('put a long that margin carries below its entry, a short above, and refuse the others', () => {
    const amount = fc.bigInt({ min: 1n, max: value('40') })
    const leverage = fc.integer({ min: 1, max: 100 })
    const side = fc.constantFrom('BUY' as const, 'SELL' as const)
    fc.assert(
      fc.property(amount, amount, leverage, side, (size, money, times, direction) => {
        const account = { ...trader, leverage: times, free: money * 50n, collateral: money * 50n }
        const draft = { ...DRAFT, side: direction, size, price: value('2000') }
        const book = { best: null, opposite: [], mark: value('2000') }
        const { excess, fill: nothing } = judge(RULE, { ...draft, ...book }, account)
        const placed = { ...draft, fill: nothing }
        const liquidation = estimateOf(RULE, placed, account)?.figures?.liquidation ?? null
        if (excess !== null || liquidation === null) return
        if (direction === 'BUY') expect(liquidation).toBeLessThan(value('2000'))
        else expect(liquidation).toBeGreaterThan(value('2000'))
      }),
    )
  })
})

describe('the page’s check of an order that waits', () => {
  const STOP: WaitingDraft = {
    ...{ side: 'SELL', price: null, trigger: value('1900'), size: value('1') },
    ...{ isReduceOnly: false, mark: value('2000') },
  }

  test.each<[string, Partial<WaitingDraft>, readonly string[]]>([
    ['nothing, however far its trigger is', { trigger: value('20') }, []],
    ['a trigger between two ticks', { trigger: value('1899.999') }, ['trigger price_tick']],
    ['a trigger above the bounds', { trigger: value('200000') }, ['trigger price_bounds']],
    ['a size worth too little at its trigger', { size: value('0.005') }, ['size notional']],
    ['nothing of so little that only closes', { size: value('0.005'), isReduceOnly: true }, []],
    ['a price between two ticks', { price: value('1899.999') }, ['price price_tick']],
  ])('finds %s', (_, change, wanted) => {
    const { problems, excess } = judgeWaiting(RULE, { ...STOP, ...change }, null)
    expect(problems.map(({ field, rule }) => `${field} ${rule}`)).toEqual([...wanted])
    expect(excess).toBeNull()
  })

  test.each<[string, Partial<WaitingDraft>, Fate | null]>([
    ['nothing', {}, null],
    ['that its price is too far from its trigger', { price: value('1700') }, 'range_then'],
    ['nothing of a price near its trigger', { price: value('1890') }, null],
  ])('foresees %s', (_, change, wanted) => {
    expect(judgeWaiting(RULE, { ...STOP, ...change }, null).fate).toBe(wanted)
  })

  test.each([
    ['TAKE_PROFIT', true, '2001', null],
    ['TAKE_PROFIT', true, '2000', 'above'],
    ['STOP_LOSS', true, '1999', null],
    ['STOP_LOSS', true, '2000', 'below'],
    ['TAKE_PROFIT', false, '1999', null],
    ['TAKE_PROFIT', false, '2000', 'below'],
    ['STOP_LOSS', false, '2001', null],
    ['STOP_LOSS', false, '2000', 'above'],
    ['STOP_LOSS', true, '1999.999', 'price_tick'],
  ] as const)('of a %s of a position (long: %p) at %s finds %p', (leg, isLong, at, wanted) => {
    const found = legProblem(RULE, { leg, isLong, reference: value('2000') }, value(at))
    expect(found?.rule ?? null).toBe(wanted)
  })
})

test('a body holds decimals as they are, and nothing that is not said', () => {
  const body = bodyText({
    symbol: 'A"B',
    order_price: value('0.00000001'),
    order_quantity: value('90071992547409.93'),
    slippage: null,
    child_orders: [{ trigger_price: value('0.1'), price: null }],
  })
  expect(body).toBe(
    '{"symbol":"A\\"B","order_price":0.00000001,"order_quantity":90071992547409.93,"child_orders":[{"trigger_price":0.1}]}',
  )
})
