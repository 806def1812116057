import { expect, test } from 'bun:test'
import { step } from './margin-model/actions.ts'
import { begin } from './margin-model/market-events.ts'
import { count, openStory } from './margin-model/story.ts'

/**
 * Stories of accounts, three to a venue, against an independent model of the published rules. As many as a run of all
 * tests has time for; for 5,000:
 * `SEED=1 STORIES=5000 bun test --timeout=7200000 test/venue/engine/margin-model.test.ts`.
 */
const STORIES = Number(process.env['STORIES'] ?? 6)
const SEED = Number(process.env['SEED'] ?? 6)
const ACCOUNTS_A_VENUE = 3
const STEPS = 20
const SEEDS_APART = 1_000_000

test(
  'every margin figure of random accounts is the one of the published formulas, and the books add up',
  async () => {
    const counts: Record<string, number> = {}
    for (let at = 0; at * ACCOUNTS_A_VENUE < STORIES; at += 1) {
      const played = await play(SEED * SEEDS_APART + at)
      expect(played.differences).toEqual([])
      for (const [name, times] of Object.entries(played.counts))
        counts[name] = (counts[name] ?? 0) + times
    }
    expect(counts['figures']).toBeGreaterThan(50 * STORIES)
    expect(counts['trades']).toBeGreaterThan(0)
    expect(counts['liquidations']).toBeGreaterThan(0)
  },
  STORIES * 2000,
)

/** Plays one venue's stories; ends at the first difference. */
async function play(seed: number) {
  const story = await openStory(seed)
  const { differences, counts, wire } = story
  try {
    begin(story)
    for (let at = 0; at < STEPS && differences.length === 0; at += 1) {
      const name = `venue ${seed}, step ${at}:`
      await step(story, name)
      for (const venue of wire.broken())
        differences.push({ at: name, figure: 'check', venue, model: 'holds' })
    }
    count(story, 'venues')
    return { differences, counts }
  } finally {
    wire.close()
  }
}
