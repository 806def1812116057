import { expect, test } from 'bun:test'
import { openEvaluations } from './fixture.ts'

// Slow: a world is opened and run.
test('an evaluation has a world of its own where the settings are of practice on a live market', async () => {
  const live = { PREPD_PAPER_OF: 'http://127.0.0.1:9', PREPD_VENUE_STREAM: 'ws://127.0.0.1:9' }
  using here = openEvaluations({ variables: { PREPD_VENUE: 'paper', ...live } })
  const flags = ['--agent', 'hold', '--seed', '7']
  const { exitCode } = await here.evaluate('run', '', 'out', ...flags)
  expect([exitCode, here.runOf('out').figures.finished]).toEqual([0, 1])
})
