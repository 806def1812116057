import { expect, test } from 'bun:test'
import { openAll, step } from './margin-model/actions.ts'
import { begin } from './margin-model/market-events.ts'
import { count, openScenario } from './margin-model/scenario.ts'

/**
 * Random scenarios of accounts with cross and isolated positions at once, three to a venue, against an independent model of
 * the published rules. As many as a run of all tests has time for; for 20,000:
 * `SEED=1 SCENARIOS=20000 bun test --timeout=14400000 test/simulator/engine/margin-model.test.ts`.
 */
const SCENARIOS = Number(process.env['SCENARIOS'] ?? 9)
const SEED = Number(process.env['SEED'] ?? 6)
const ACCOUNTS_A_VENUE = 3
const STEPS = 20
const SEEDS_APART = 1_000_000

// Slow: generated accounts are each valued in two ways.
test(
  'every margin figure of random accounts is the one of the published formulas, and the books add up',
  async () => {
    const counts: Record<string, number> = {}
    for (let at = 0; at * ACCOUNTS_A_VENUE < SCENARIOS; at += 1) {
      const played = await play(SEED * SEEDS_APART + at)
      expect(played.differences).toEqual([])
      for (const [name, times] of Object.entries(played.counts))
        counts[name] = (counts[name] ?? 0) + times
    }
    expect(counts['figures']).toBeGreaterThan(50 * SCENARIOS)
    expect(counts['trades']).toBeGreaterThan(0)
    expect(counts['liquidations']).toBeGreaterThan(0)
    expect(counts['markets with both modes']).toBeGreaterThan(SCENARIOS)
  },
  SCENARIOS * 2000,
)

/** Runs one venue's scenarios; ends at the first difference. */
async function play(seed: number) {
  const scenario = await openScenario(seed)
  const { differences, counts, wire } = scenario
  try {
    begin(scenario)
    await openAll(scenario, `venue ${seed}, begin:`)
    for (let at = 0; at < STEPS && differences.length === 0; at += 1) {
      const name = `venue ${seed}, step ${at}:`
      await step(scenario, name)
      for (const venue of wire.broken())
        differences.push({ at: name, figure: 'check', venue, model: 'holds' })
    }
    count(scenario, 'venues')
    return { differences, counts }
  } finally {
    wire.close()
  }
}
