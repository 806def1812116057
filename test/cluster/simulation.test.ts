import { describe, expect, test } from 'bun:test'
import type { LogEvent } from '../../src/contract/operator/log-events.ts'
import { runs } from '../runs.ts'
import { DIRECTED } from './simulation/directed.ts'
import { FAILOVERS, ROWS } from './simulation/rows.ts'
import { simulateMany, simulateSeed } from './simulation/run.ts'
import { simulate } from './simulation/simulate.ts'

const SCHEDULES = Number(process.env['SCHEDULES'] ?? runs(2000))
const SEED = Number(process.env['SEED'] ?? 1)
/** Small enough that a slow machine runs a batch well within the time of one test. */
const BATCH = 50
const DIED_MS = 12_000
const LOST: LogEvent = 'database_lost_commits'

describe('instances of the product on a model of PostgreSQL and Valkey', () => {
  test.each(Object.entries({ ...ROWS, ...DIRECTED }))(
    'send nothing twice in %s',
    async (_, plan) => {
      for (const seed of [1, 2, 3]) {
        const { wrong, texts } = await simulate(seed, plan)
        expect(wrong).toEqual([])
        expect(texts).toBeGreaterThan(100)
      }
    },
  )

  test.each(batches())(
    'send nothing twice in %i schedules from seed %i on, say "not sent" of nothing that was, and go on',
    async (count, firstSeed) => {
      const { broken, texts } = await simulateMany(count, firstSeed)
      // A failing seed prints its schedule.
      expect(broken.slice(0, 5).join('\n')).toBe('')
      expect(texts).toBeGreaterThan(count * 10)
    },
  )

  test('have the same schedule and the same answers for the same seed', async () => {
    const [one, other] = [await simulateSeed(7), await simulateSeed(7)]
    expect(one).toEqual(other)
    expect(one.lines).not.toEqual((await simulateSeed(8)).lines)
  })
})

describe('an ordinary failover', () => {
  test('of a standby two seconds behind writes within 5 s, and what others sign is known after 10', async () => {
    const { answers, wrong, lines } = await simulate(1, FAILOVERS.behind)
    expect(wrong).toEqual([])
    expect(lines.join('\n')).toContain(LOST)
    const after = answers.filter(({ atMs }) => atMs > DIED_MS)
    const firstMs = after.find(({ code }) => code === 'ok')?.atMs ?? Number.POSITIVE_INFINITY
    expect(firstMs - DIED_MS).toBeLessThan(5000)
    const fresh = after.filter(({ text }) => text.sentMs > DIED_MS + 10_000)
    expect(fresh.length).toBeGreaterThan(20)
    expect(new Set(answersToTexts(fresh))).toEqual(new Set(['ok']))
  })

  test.each([
    ['', FAILOVERS.synchronous],
    [', also where texts signed ahead were sent while Valkey was away', FAILOVERS.synchronousAhead],
  ])(
    'with a synchronous standby leaves nothing unknown%s, and reports no loss',
    async (_, plan) => {
      const { answers, wrong, lines } = await simulate(1, plan)
      expect(wrong).toEqual([])
      const signedAfter = answers.filter(({ text }) => text.sentMs > DIED_MS)
      expect(signedAfter.length).toBeGreaterThan(50)
      expect(answersToTexts(signedAfter)).not.toContain('unknown')
      expect(lines.join('\n')).not.toContain(LOST)
    },
  )
})

/** How many schedules each batch has, and its first seed. */
function batches(): [count: number, firstSeed: number][] {
  return Array.from({ length: Math.ceil(SCHEDULES / BATCH) }, (_, at) => {
    const done = at * BATCH
    return [Math.min(BATCH, SCHEDULES - done), SEED + done]
  })
}

type Answers = Awaited<ReturnType<typeof simulate>>['answers']

/** What each text was answered: a repeat of one that was sent is unknown to the model, which keeps no answers. */
function answersToTexts(answers: Answers): string[] {
  const codes = new Map<string, string>()
  for (const { text, code } of answers)
    if (codes.get(text.identity) !== 'ok') codes.set(text.identity, code)
  return [...codes.values()]
}
