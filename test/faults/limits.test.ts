// Slow: servers are started and killed.
import { describe, expect, test } from 'bun:test'
import { raceApprovals } from './limits/approvals.ts'
import { raceAgents, raceInstances } from './limits/races.ts'
import { LIMITS } from './limits/venue.ts'
import { randomOf } from './random.ts'

const ORDERS = 60
const FULL_MINUTE = LIMITS.perMinute / 4

describe('of orders that race while servers are killed and days pass', () => {
  test.each([
    ['three agent servers of one user', raceAgents],
    ['two instances on PostgreSQL and Valkey', raceInstances],
  ])('none passes a limit over %s, and the limits are reached', async (_, run) => {
    const raced = () => run(ORDERS, randomOf(Date.now() >>> 0))
    let figures = await raced()
    // On a busy machine days may turn before a minute has many orders: such a race has shown nothing of limits.
    for (let races = 1; races < 3 && figures.fullestMinute <= FULL_MINUTE; races += 1) {
      expect(figures.passed).toEqual([])
      figures = await raced()
    }
    expect(figures.passed).toEqual([])
    expect(figures.fullestMinute).toBeGreaterThan(FULL_MINUTE)
    expect(figures.fullestDay).toBeGreaterThan(LIMITS.daily / 3)
  })
})

test('an approved order goes once at most when an instance is killed, and not where it was killed before the sending', async () => {
  const figures = await raceApprovals(2, randomOf(Date.now() >>> 0))
  expect(figures).toMatchObject({ passed: [], killedBetween: 1 })
  expect(figures.met).toBeLessThanOrEqual(1)
})
