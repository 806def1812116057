import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS } from '../../../src/contract/durations.ts'
import {
  annualVolatility,
  bootstrapInterval,
  calmarRatio,
  maxDrawdown,
  pairedTest,
  periodReturns,
  sharpeRatio,
  sortinoRatio,
  toDistribution,
} from '../../../src/lab/eval/statistics.ts'
import { createRng, nextRandom, normal } from '../../../src/simulator/base/rng.ts'

/** Of the tests of empyrical 0.2, whose year has 252 periods. */
const MIXED = [1, 10, -4, 2, 3, 2, 1, -10].map((each) => each / 100)
const NEGATIVE = [0, -6, -7, -1, -9, -2, -6, -8, -5].map((each) => each / 100)
const POSITIVE = [1, 2, 1, 1, 1, 1, 1, 1, 1].map((each) => each / 100)
const ONE = [
  -0.00171614, 0.01322056, 0.03063862, -0.01422057, -0.00489779, 0.01268925, -0.03357711,
  0.01797036,
]
const TWO = [
  0.01846232, 0.00793951, -0.01448395, 0.00422537, -0.00339611, 0.03756813, 0.0151531, 0.03549769,
]
/** A 252nd part of a year. */
const PERIOD_MS = (365 * DAY_MS) / 252

function valuesOf(returns: readonly number[]): number[] {
  const values = [100]
  for (const each of returns) values.push((values.at(-1) ?? 0) * (1 + each))
  return values
}

describe('ratios are those of a published library', () => {
  test('Sharpe, and none without variation', () => {
    expect(sharpeRatio(MIXED, PERIOD_MS)).toBeCloseTo(1.7238613961706866, 8)
    expect(sharpeRatio(POSITIVE, PERIOD_MS)).toBeCloseTo(52.915026221291804, 8)
    expect(sharpeRatio(NEGATIVE, PERIOD_MS)).toBeCloseTo(-24.406808633910085, 8)
    expect(sharpeRatio([0.5, 0.5, 0.5], PERIOD_MS)).toBeNull()
    expect(sharpeRatio([], PERIOD_MS)).toBeNull()
  })

  test('Sortino, and none where nothing was lost', () => {
    expect(sortinoRatio(MIXED, PERIOD_MS)).toBeCloseTo(2.605531251673693, 8)
    expect(sortinoRatio(NEGATIVE, PERIOD_MS)).toBeCloseTo(-13.532743075043401, 8)
    expect(sortinoRatio(ONE, PERIOD_MS)).toBeCloseTo(3.0639640966566306, 8)
    expect(sortinoRatio(TWO, PERIOD_MS)).toBeCloseTo(38.090963117002495, 8)
    expect(sortinoRatio(POSITIVE, PERIOD_MS)).toBeNull()
  })

  test('volatility, and none of a single return', () => {
    expect(annualVolatility(MIXED, PERIOD_MS)).toBeCloseTo(0.9136465399704637, 8)
    expect(annualVolatility([0.5, 0.5], PERIOD_MS)).toBe(0)
    expect(annualVolatility([0.5], PERIOD_MS)).toBeNull()
  })

  test('Calmar, of a return that is scaled to a year and not compounded, and none without a fall', () => {
    const values = [100, 120, 90, 110]
    expect(calmarRatio(values, 365 * DAY_MS)).toBeCloseTo(0.1 / 0.25, 12)
    expect(calmarRatio(values, 73 * DAY_MS)).toBeCloseTo(0.5 / 0.25, 12)
    expect(calmarRatio([100, 110], DAY_MS)).toBeNull()
    expect(calmarRatio([], DAY_MS)).toBeNull()
  })

  test('drawdown, and none where the value only rises', () => {
    expect(maxDrawdown(valuesOf(MIXED))).toBeCloseTo(0.1, 8)
    expect(maxDrawdown(valuesOf(NEGATIVE))).toBeCloseTo(0.365907303498736, 8)
    expect(maxDrawdown(valuesOf([0.1, -0.1, 0.1]))).toBeCloseTo(0.1, 8)
    expect(maxDrawdown(valuesOf(POSITIVE))).toBe(0)
    expect(maxDrawdown([])).toBe(0)
  })
})

test('equal values have no deviation at all, whatever their decimals', () => {
  const equal = Array.from({ length: 10 }, () => 0.983607)
  expect(toDistribution(equal).deviation).toBe(0)
  expect(sharpeRatio(equal, PERIOD_MS)).toBeNull()
  expect(toDistribution([...equal, 0.983608]).deviation).toBeGreaterThan(0)
})

test('returns end where nothing is left', () => {
  expect(periodReturns([100, 50, 0, 40])).toEqual([-0.5, -1])
  expect(periodReturns([100])).toEqual([])
})

test('quartiles lie between the values, as most libraries count them', () => {
  expect(toDistribution([4, 1, 3, 2])).toMatchObject({
    ...{ mean: 2.5, least: 1, quarter: 1.75, median: 2.5, threeQuarters: 3.25, most: 4 },
  })
  expect(toDistribution([7])).toMatchObject({ mean: 7, deviation: 0, median: 7 })
})

// Slow: two hundred thousand resamples.
test('an interval holds the true ratio in about 95 of 100 samples, and there is none of few returns', () => {
  const truth = (0.1 / 1) * Math.sqrt(365)
  let held = 0
  for (let sample = 0; sample < 100; sample += 1) {
    const rng = createRng(sample, 'sample')
    const returns = Array.from({ length: 100 }, () => 0.1 + normal(rng))
    const found = bootstrapInterval(
      returns,
      (some) => sharpeRatio(some, DAY_MS),
      () => nextRandom(rng),
    )
    if (found && found.low <= truth && truth <= found.high) held += 1
  }
  expect(held).toBeGreaterThanOrEqual(87)
  expect(held).toBeLessThan(100)
  expect(
    bootstrapInterval([0.1, -0.1], (some) => sharpeRatio(some, DAY_MS), Math.random),
  ).toBeNull()
})

describe('two agents over the same seeds', () => {
  const pairs = (sample: number, edge: number) => {
    const rng = createRng(sample, 'pairs')
    const between = Array.from({ length: 12 }, () => edge + normal(rng))
    return pairedTest(between, () => nextRandom(rng))
  }
  const found = (edge: number) =>
    Array.from({ length: 100 }, (_, sample) => pairs(sample, edge)).filter((p) => p < 0.05).length

  test('that are equal are taken for different in at most 5 of 100 repetitions', () => {
    expect(found(0)).toBeLessThanOrEqual(5)
  })

  test('that differ by a known edge are told apart', () => {
    expect(found(2)).toBe(100)
  })

  test('have the p-value of all sign changes, and one when there is no difference', () => {
    // Of eight sign changes, two are as far from zero: all signs, and none.
    expect(pairedTest([1, 2, 3], Math.random)).toBe(2 / 8)
    expect(pairedTest([0, 0], Math.random)).toBe(1)
    const many = Array.from({ length: 40 }, () => 1)
    const rng = createRng(1, 'many')
    expect(pairedTest(many, () => nextRandom(rng))).toBeLessThan(0.01)
  })

  test('have a p-value from zero to one, whatever the differences are', () => {
    const differences = fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), {
      minLength: 1,
      maxLength: 8,
    })
    fc.assert(
      fc.property(differences, (some) => {
        const p = pairedTest(some, Math.random)
        expect(p).toBeGreaterThan(0)
        expect(p).toBeLessThanOrEqual(1)
      }),
    )
  })
})
