import { describe, expect, test } from 'bun:test'
import {
  exponentText,
  paddedText,
  parseScaled,
  tickDecimals,
} from '../../../src/simulator/base/decimals.ts'

describe('the text of a number', () => {
  test.each([
    ['0.00001', 5],
    ['0.1', 1],
    ['1', 0],
    ['100', 0],
  ])('has the places of its tick: %s has %d', (tick, places) => {
    expect(tickDecimals(parseScaled(tick))).toBe(places)
  })

  test.each([
    ['77339.2', 2, '77339.20'],
    ['77339', 1, '77339.0'],
    ['0.00000001', 8, '0.00000001'],
    ['1200', 0, '1200'],
  ])('is padded with zeros: %s to %d places is %s', (value, places, text) => {
    expect(paddedText(parseScaled(value), places)).toBe(text)
  })

  test('is in exponent form where the venue prints it so', () => {
    expect(exponentText(10_008_662.996861)).toBe('1.0008662996861E7')
  })

  test.each(['', 'x', '1.', '0.000000001'])(
    'refuses a table entry that is no decimal: "%s"',
    (text) => {
      expect(() => parseScaled(text)).toThrow(RangeError)
    },
  )
})
