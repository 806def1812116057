import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { randomAt, randomStream } from '../../../src/simulator/base/rng.ts'
import { createNoise } from '../../../src/simulator/past/path.ts'

describe('a stream', () => {
  test('draws the same for ever, so that a seed names one world', () => {
    const source = randomStream(1, 'price', 'PERP_BTC_USDC')
    expect([0, 1, 2, -1].map((position) => randomAt(source, position))).toMatchInlineSnapshot(`
      [
        0.17526734713464975,
        0.30461041117087007,
        0.7073072867933661,
        0.25610027904622257,
      ]
    `)
  })

  test('is another stream under another seed or name', () => {
    const names = [
      randomStream(1, 'a'),
      randomStream(2, 'a'),
      randomStream(1, 'b'),
      randomStream(1, 'a', 'x'),
      randomStream(11, 'a'),
    ]
    expect(new Set(names).size).toBe(names.length)
  })

  test('draws evenly over [0, 1) and without a pattern from one position to the next', () => {
    const draws = Array.from({ length: 20_000 }, (_, position) =>
      randomAt(randomStream(5, 'even'), position),
    )
    const tenths = Array.from(
      { length: 10 },
      (_, tenth) => draws.filter((value) => Math.floor(value * 10) === tenth).length,
    )
    for (const count of tenths) expect(Math.abs(count - 2000)).toBeLessThan(200)
    const rising = draws.filter((value, position) => value > (draws[position - 1] ?? 1)).length
    expect(Math.abs(rising - 10_000)).toBeLessThan(300)
  })
})

describe('noise', () => {
  const layers = [
    { periodMs: 20_000, amplitude: 1 },
    { periodMs: 7_200_000, amplitude: 3 },
  ]

  test('is the same at a time whatever was asked before', () => {
    const times = fc.array(fc.integer({ min: 0, max: 4e12 }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(fc.integer(), times, (seed, asked) => {
        const walked = createNoise(randomStream(seed, 'n'), layers)
        const answers = asked.map(walked)
        expect(asked.map((atMs) => createNoise(randomStream(seed, 'n'), layers)(atMs))).toEqual(
          answers,
        )
      }),
    )
  })

  test('stays within its amplitudes and moves no faster than its layers allow', () => {
    const noise = createNoise(randomStream(3, 'n'), layers)
    let before = noise(0)
    for (let atMs = 0; atMs < 86_400_000; atMs += 5000) {
      const value = noise(atMs)
      expect(Math.abs(value)).toBeLessThanOrEqual(4)
      expect(Math.abs(value - before)).toBeLessThan(1)
      before = value
    }
  })
})
