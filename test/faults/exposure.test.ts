// Slow: servers are started and killed.
import { expect, test } from 'bun:test'
import { raceExposure } from './limits/exposure.ts'
import { KINDS } from './limits/opening-kinds.ts'
import { randomOf } from './random.ts'

test('no kind of order or edit takes an account above its largest position over two instances, and none that fits is refused', async () => {
  expect(KINDS.length).toBeGreaterThanOrEqual(50)
  const { passed, ...sums } = await raceExposure(16, randomOf(Date.now() >>> 0))
  expect(passed).toEqual([])
  expect(sums.sent).toBeGreaterThan(5)
  expect(sums.refused).toBeGreaterThan(0)
  expect(sums.reached).toBeGreaterThan(0.3)
})
