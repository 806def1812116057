import { expect, test } from 'bun:test'
import { advance, createWorld } from '../../../src/simulator/engine/run.ts'
import { WORLD_START_MS } from './worlds.ts'

/** In the long run that the figure is measured by, 24. */
const HOURS = Number(process.env['WORLD_HOURS'] ?? 1)
const HOUR_MS = 3_600_000
const EVENTS_A_DAY_MAX = 2_500_000

// Slow: hours of all markets with all agents are simulated.
test('a day of all markets with all agents is no more than its ceiling of events', () => {
  const world = createWorld({ seed: 1, beginsAtMs: WORLD_START_MS, prices: { kind: 'seeded' } })
  const quiet = { ...world.counts }
  advance(world, WORLD_START_MS + HOURS * HOUR_MS)
  const eventsADay = ((world.counts.events - quiet.events) / HOURS) * 24
  expect(eventsADay).toBeLessThan(EVENTS_A_DAY_MAX)
  // What is counted is the life of all markets, not of a world that stands still.
  const active = world.scenes.filter(({ market }) => market.status === 'ACTIVE')
  expect(active.length).toBeGreaterThan(40)
  expect(active.filter(({ history }) => history.trades.length === 0)).toEqual([])
})
