// Slow: servers are started and killed.
import { describe, expect, test } from 'bun:test'
import { raceAgents, raceInstances } from './limits/races.ts'
import { LIMITS } from './limits/venue.ts'
import { randomOf } from './random.ts'

const ORDERS = 60

describe('of orders that race while servers are killed and days pass', () => {
  test.each([
    ['three agent servers of one user', raceAgents],
    ['two instances on PostgreSQL', raceInstances],
  ])('none passes a limit over %s, and the limits are reached', async (_, run) => {
    const figures = await run(ORDERS, randomOf(Date.now() >>> 0))
    expect(figures.passed).toEqual([])
    expect(figures.fullestMinute).toBeGreaterThan(LIMITS.perMinute / 4)
    expect(figures.fullestDay).toBeGreaterThan(LIMITS.daily / 3)
  })
})
