import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { LimitsBody } from '../../src/contract/mandate.ts'
import { bodyLimits, combinedLimits, type Limits, limitsBody } from '../../src/core/mandate.ts'
import { parseBody } from '../../src/core/parse-body.ts'
import { ANY_LIMITS } from '../gateway/mandate/limits.ts'

test('limits are the same after they travelled as JSON', () => {
  fc.assert(
    fc.property(ANY_LIMITS, (limits) => {
      const text = JSON.stringify(limitsBody(limits))
      expect(bodyLimits(parseBody(LimitsBody, text))).toEqual(limits)
    }),
  )
})

test('the tightest of several is each of its own limits, in any order, and none that nobody gave', () => {
  fc.assert(
    fc.property(ANY_LIMITS, ANY_LIMITS, ANY_LIMITS, (a, b, c) => {
      const merged = combinedLimits(a, b, c)
      expect(combinedLimits(merged, b)).toEqual(merged)
      expect(combinedLimits(a)).toEqual(a)
      expect(sorted(combinedLimits(c, a, b))).toEqual(sorted(merged))
      for (const name of NAMES) {
        const given = [a, b, c].map((limits) => limits[name]).filter((value) => value !== undefined)
        expect(merged[name] === undefined).toBe(given.length === 0)
        for (const value of given) expect(isWithin(merged[name], value)).toBe(true)
      }
    }),
  )
})

const NAMES = Object.keys(LimitsBody.properties) as (keyof Limits)[]

function sorted(limits: Limits) {
  return { ...limits, symbols: limits.symbols?.toSorted() }
}

/** Whether whatever keeps to the one keeps to the other. */
function isWithin(one: Limits[keyof Limits], other: Limits[keyof Limits]): boolean {
  if (Array.isArray(one) && Array.isArray(other)) return one.every((each) => other.includes(each))
  if (typeof one === 'boolean') return one === other
  return one !== undefined && other !== undefined && one <= other
}

const MALFORMED = [
  ['an unknown limit', { maxOrderUSDC: 1 }, 'maxOrderUSDC'],
  ['a seventh decimal', { maxOrderUsdc: '0.0000001' }, 'maxOrderUsdc'],
  ['a number with decimals', { maxOrderUsdc: 0.5 }, 'maxOrderUsdc'],
  ['an exponent', { maxOrderUsdc: '1e3' }, 'maxOrderUsdc'],
  ['a negative amount', { maxLossUsdc: -1 }, 'maxLossUsdc'],
  ['a market named twice', { symbols: ['PERP_ETH_USDC', 'PERP_ETH_USDC'] }, 'symbols'],
  ['a market that can be none', { symbols: ['ETH'] }, 'symbols.0'],
  ['a leverage of nothing', { maxLeverage: 0 }, 'maxLeverage'],
  ['text for a flag', { readOnly: 'true' }, 'readOnly'],
] as const

test.each(MALFORMED)('%s is refused', (_, body, parameter) => {
  const parse = () => parseBody(LimitsBody, JSON.stringify(body))
  expect(parse).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      meta: expect.objectContaining({ parameter }),
    }),
  )
})

test('a misspelt limit is named as one that nobody knows', () => {
  const parse = () => parseBody(LimitsBody, '{"maxOrderUSDC":1}')
  const meta = { parameter: 'maxOrderUSDC', reason: 'unknown_argument' }
  expect(parse).toThrow(expect.objectContaining({ meta: expect.objectContaining(meta) }))
})

test('a whole number of USDC is taken beside decimal text', () => {
  expect(bodyLimits({ maxOrderUsdc: 100, maxDailyUsdc: '0.5' })).toEqual({
    maxOrderUsdc: 100_000_000n,
    maxDailyUsdc: 500_000n,
  })
})
