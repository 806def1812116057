// Slow: servers are started and killed.
import { expect, test } from 'bun:test'
import { raceExposure } from './limits/exposure.ts'
import { KINDS } from './limits/opening-kinds.ts'
import { randomOf } from './random.ts'

test.each(['position', 'leverage'] as const)(
  'no kind of order or edit, cross or isolated, takes an account above its largest %s over three instances, and none that fits is refused',
  async (raced) => {
    expect(KINDS.length).toBeGreaterThanOrEqual(50)
    const seed = Date.now() >>> 0
    const { passed, ...sums } = await raceExposure(16, randomOf(seed), raced)
    expect({ seed, passed }).toEqual({ seed, passed: [] })
    expect(sums.sent).toBeGreaterThan(5)
    expect(sums.refused).toBeGreaterThan(0)
    expect(sums.reached).toBeGreaterThan(0.3)
  },
)
