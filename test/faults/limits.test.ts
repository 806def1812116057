// Slow: servers are started and killed.
import { describe, expect, test } from 'bun:test'
import { raceApprovals } from './limits/approvals.ts'
import { raceAgents, raceInstances } from './limits/races.ts'
import { hasReached } from './limits/venue.ts'
import { randomOf } from './random.ts'

const ORDERS = 60

describe('of orders that race while servers are killed and days pass', () => {
  test.each([
    ['three agent servers of one user', raceAgents],
    ['two instances on PostgreSQL and Valkey', raceInstances],
  ])('none passes a limit over %s, and the limits are reached', async (_, run) => {
    const figures = await run(ORDERS, randomOf(Date.now() >>> 0))
    expect(figures.passed).toEqual([])
    expect(hasReached(figures)).toBe(true)
  })
})

test('an approved order goes once at most when an instance is killed, and not where it was killed before the sending', async () => {
  const figures = await raceApprovals(2, randomOf(Date.now() >>> 0))
  expect(figures).toMatchObject({ passed: [], killedBetween: 1 })
  expect(figures.met).toBeLessThanOrEqual(1)
})
