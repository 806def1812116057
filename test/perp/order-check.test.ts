import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { amountNumber, amountText, toAmount } from '../../src/perp/amounts.ts'
import { wholeOnTick } from '../../src/perp/largest-size.ts'
import {
  brokenTriggerRules,
  type CheckedMarket,
  checkOrder,
  type OrderShape,
} from '../../src/perp/order-check.ts'
import type { Side } from '../../src/perp/positions.ts'

function exact(value: number | string): bigint {
  const amount = toAmount(value)
  if (amount === null) throw new Error(`no decimal: ${value}`)
  return amount
}

/** A market whose ticks no binary float can count in. */
const MARKET: CheckedMarket = {
  symbol: 'PERP_ETH_USDC',
  maxLeverage: 100,
  mark: exact(2000),
  quoteMin: exact(0),
  quoteMax: exact(100_000),
  quoteTick: exact(0.01),
  baseMin: exact(0.001),
  baseMax: exact(100),
  baseTick: exact(0.001),
  minNotional: exact(10),
  priceRange: exact(0.03),
  baseImr: 0n,
  baseMmr: 0n,
  priceScope: exact(0.4),
}

function order(
  side: Side,
  price: number | null,
  quantity: number,
  /** Of a reduce-only order: the size that it can close, null if unknown. */
  closable?: number | null,
): OrderShape {
  const own = price === null ? null : exact(price)
  return {
    side,
    price: own,
    quantity: exact(quantity),
    reference: own ?? exact(2000),
    reduceOnly: closable !== undefined,
    closable: toAmount(closable),
  }
}

const CASES = [
  ['on every step', order('BUY', 1999.99, 0.123), [], 1999.99, 0.123],
  ['a buy off the price step goes down', order('BUY', 1999.999, 1), ['quote_tick'], 1999.99, 1],
  ['a sale off the price step goes up', order('SELL', 2000.001, 1), ['quote_tick'], 2000.01, 1],
  ['a size off its step goes down', order('BUY', 2000, 0.1239), ['base_tick'], 2000, 0.123],
  [
    'a size below a step goes up',
    order('BUY', 2000, 0.0004),
    ['base_tick', 'base_min', 'min_notional'],
    2000,
    0.005,
  ],
  ['a size above the most goes down', order('BUY', 2000, 500), ['base_max'], 2000, 100],
  ['too little value goes up', order('BUY', 2000, 0.004), ['min_notional'], 2000, 0.005],
  ['a whole position may be dust', order('SELL', 2000, 0.004, 0.004), [], 2000, 0.004],
  ['a part of a position may not', order('SELL', 2000, 0.004, 1), ['min_notional'], 2000, 0.005],
  ['of dust only all of it goes', order('SELL', 2000, 0.003, 0.004), ['min_notional'], 2000, 0.004],
  [
    'of an unknown position any size may be all of it',
    order('SELL', 2000, 0.001, null),
    [],
    2000,
    0.001,
  ],
  [
    'without a position nothing is whole',
    order('SELL', 2000, 0.004, 0),
    ['min_notional'],
    2000,
    0.005,
  ],
  [
    'a price below a tick goes up',
    order('SELL', 0.001, 100),
    ['price_range', 'quote_tick', 'min_notional'],
    1940,
    100,
  ],
  ['a buy far through the mark', order('BUY', 2500, 1), ['price_range'], 2060, 1],
  ['a sale far through the mark', order('SELL', 1000, 1), ['price_range'], 1940, 1],
  ['a buy far away from the mark', order('BUY', 1, 1), ['price_scope', 'min_notional'], 1200, 1],
  ['a sale far away from the mark', order('SELL', 9000, 1), ['price_scope'], 2800, 1],
  ['a price above the most', order('BUY', 200_000, 1), ['quote_max', 'price_range'], 2060, 1],
  ['no price of its own', order('BUY', null, 0.004), ['min_notional'], null, 0.005],
] as const

describe('checkOrder', () => {
  test.each(CASES)('%s', (_, asked, rules, price, quantity) => {
    const { broken, corrected } = checkOrder(MARKET, asked)
    expect(broken.map(({ rule }) => rule)).toEqual([...rules])
    expect(corrected.price === null ? null : amountNumber(corrected.price)).toBe(price)
    expect(amountNumber(corrected.quantity)).toBe(quantity)
  })

  test('each broken rule names the value that keeps them all', () => {
    const { broken } = checkOrder(MARKET, order('BUY', 2000, 0.0004))
    expect(broken.map(({ corrected }) => amountNumber(corrected))).toEqual([0.005, 0.005, 0.005])
  })

  test('what it corrects passes when it is checked again', () => {
    const side = fc.constantFrom<Side>('BUY', 'SELL')
    const number = fc.double({ min: 1e-6, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(
        side,
        fc.option(number),
        number,
        fc.boolean(),
        (who, price, quantity, reduces) => {
          const text = (value: number) => Number(value.toPrecision(12))
          const asked = order(
            who,
            price === null ? null : text(price),
            text(quantity),
            reduces ? 7 : undefined,
          )
          const { corrected } = checkOrder(MARKET, asked)
          const again = checkOrder(MARKET, corrected)
          expect(again.broken).toEqual([])
          expect(again.corrected).toEqual(corrected)
        },
      ),
    )
  })

  test('a correction survives being sent as a JSON number', () => {
    const number = fc.double({ min: 0.001, max: 100, noNaN: true })
    fc.assert(
      fc.property(number, (quantity) => {
        const { corrected } = checkOrder(
          MARKET,
          order('BUY', 2000, Number(quantity.toPrecision(12))),
        )
        expect(exact(amountNumber(corrected.quantity))).toBe(corrected.quantity)
        expect(amountText(corrected.quantity)).not.toMatch(/e/i)
      }),
    )
  })
})

describe('a step counts from zero, wherever the smallest size and price are', () => {
  // biome-ignore format: one order a row
  test.each([
    ['a size on the step', { baseMin: 0.015 }, 2000, 0.02, [], 0.02],
    ['a size on a grid from the smallest', { baseMin: 0.015 }, 2000, 0.025, ['base_tick'], 0.02],
    ['a size below the smallest', { baseMin: 0.015 }, 2000, 0.01, ['base_min'], 0.02],
  ] as const)('%s', (_, rules, price, quantity, names, corrected) => {
    const market = { ...MARKET, baseTick: exact(0.01), baseMin: exact(rules.baseMin) }
    const checked = checkOrder(market, order('BUY', price, quantity))
    expect(checked.broken.map(({ rule }) => rule)).toEqual([...names])
    expect(amountNumber(checked.corrected.quantity)).toBe(corrected)
  })

  test.each([
    [2000.1, []],
    [2000.05, ['quote_tick']],
  ] as const)('a price of %d with a smallest price of 0.05', (price, names) => {
    const market = { ...MARKET, quoteTick: exact(0.1), quoteMin: exact(0.05) }
    const { broken } = checkOrder(market, order('BUY', price, 1))
    expect(broken.map(({ rule }) => rule)).toEqual([...names])
  })
})

describe('a price range of zero', () => {
  const market = { ...MARKET, priceRange: null, priceScope: null }
  const isOfPrice = ({ field }: { readonly field: string }) => field === 'price'

  test.each([
    ['BUY', 90_000],
    ['SELL', 0.01],
  ] as const)('bounds no price: %s at %d', (side, price) => {
    expect(checkOrder(market, order(side, price, 100)).broken.filter(isOfPrice)).toEqual([])
    expect(checkOrder(MARKET, order(side, price, 100)).broken.filter(isOfPrice)).not.toEqual([])
  })
})

test('a trigger keeps steps and bounds of a price, at any distance from the mark', () => {
  const broken = (side: Side, trigger: string) =>
    brokenTriggerRules(MARKET, side, exact(trigger)).map(
      ({ rule, corrected }) => `${rule} ${amountText(corrected)}`,
    )
  expect(broken('BUY', '90000')).toEqual([])
  expect(broken('SELL', '1')).toEqual([])
  expect(broken('BUY', '2000.005')).toEqual(['quote_tick 2000'])
  expect(broken('SELL', '2000.005')).toEqual(['quote_tick 2000.01'])
  expect(broken('BUY', '100000.01')).toEqual(['quote_max 100000'])
})

test('a size is closed on its tick, and a size below one tick as it is', () => {
  expect(wholeOnTick(exact('1.2345'), exact('0.01'))).toBe(exact('1.23'))
  expect(wholeOnTick(exact('1.23'), exact('0.01'))).toBe(exact('1.23'))
  expect(wholeOnTick(exact('0.004'), exact('0.01'))).toBe(exact('0.004'))
  expect(wholeOnTick(exact('1.2345'))).toBe(exact('1.2345'))
})
