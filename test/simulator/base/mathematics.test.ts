import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { cosTurns, exp, log, power, tanh } from '../../../src/simulator/base/mathematics.ts'

const RELATIVE = 1e-15
const finite = (min: number, max: number) => fc.double({ min, max, noNaN: true })

describe('functions that are equal on every machine', () => {
  test('are as near to the runtime’s own as its last digits', () => {
    fc.assert(
      fc.property(finite(-600, 600), finite(1e-9, 1e9), finite(-2, 2), (x, above, turns) => {
        expect(Math.abs(exp(x) / Math.exp(x) - 1)).toBeLessThan(RELATIVE)
        expect(Math.abs(log(above) - Math.log(above))).toBeLessThan(21 * RELATIVE)
        expect(Math.abs(cosTurns(turns) - Math.cos(2 * Math.PI * turns))).toBeLessThan(4 * RELATIVE)
        expect(Math.abs(tanh(x) - Math.tanh(x))).toBeLessThan(RELATIVE)
      }),
    )
  })

  test('are exact where their values are', () => {
    expect([exp(0), log(1), power(1, 7), tanh(0)]).toEqual([1, 0, 1, 0])
    expect([0, 0.25, 0.5, 0.75, 1].map(cosTurns).map(Math.abs)).toEqual([1, 0, 1, 0, 1])
    expect(log(1024)).toBeCloseTo(10 * Math.LN2, 14)
    expect([exp(0.1), log(7), cosTurns(0.1)]).toEqual([
      1.1051709180756475, 1.9459101490553132, 0.8090169943749475,
    ])
  })
})
