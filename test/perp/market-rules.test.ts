import { describe, expect, test } from 'bun:test'
import { toAmount } from '../../src/perp/amounts.ts'
import { toMarketRules } from '../../src/perp/market-rules.ts'

const INFO = {
  quote_tick: 0.1,
  quote_min: 0,
  quote_max: 100000,
  base_tick: '0.00000001',
  base_min: 0.001,
  base_max: 500,
  min_notional: 10,
  price_range: 0.03,
  price_scope: 0.4,
  base_imr: 0.01,
  base_mmr: 0.006,
}

describe('the rules of a market', () => {
  test('are exact, from numbers and from texts', () => {
    const rules = toMarketRules({ symbol: 'PERP_ETH_USDC', maxLeverage: 100, info: INFO })
    expect(rules.baseTick).toBe(10_000_000_000n)
    expect(rules.quoteTick).toBe(toAmount(0.1) ?? 0n)
    expect(rules.maxLeverage).toBe(100)
    const texts = Object.fromEntries(
      Object.entries(INFO).map(([name, value]) => [name, `${value}`]),
    )
    expect(toMarketRules({ symbol: 'PERP_ETH_USDC', maxLeverage: '100', info: texts })).toEqual(
      rules,
    )
  })

  test.each([
    ['price_range', 'priceRange'],
    ['price_scope', 'priceScope'],
    ['quote_max', 'quoteMax'],
    ['base_max', 'baseMax'],
  ] as const)(
    'know no bound where %s is 0 or missing, and one from the smallest number on',
    (name, field) => {
      const rules = (value: unknown) => toMarketRules({ info: { ...INFO, [name]: value } })[field]
      expect(rules(0)).toBeNull()
      expect(rules(undefined)).toBeNull()
      expect(rules('1e-18')).toBe(1n)
    },
  )
})
