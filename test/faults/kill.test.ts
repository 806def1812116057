// Slow: the executable is killed and started a dozen times.
import { expect, test } from 'bun:test'
import { killAgainAndAgain } from './kills.ts'
import { randomOf } from './random.ts'

const KILLS = 12

test(`over ${KILLS} kills under load nothing that was sent is sent again, and nothing that was answered is lost`, async () => {
  const figures = await killAgainAndAgain(KILLS, randomOf(Date.now()))
  expect(figures).toMatchObject({ kills: KILLS, doubled: [], lost: [], strange: [] })
  expect(figures.writes).toBeGreaterThan(KILLS)
  expect(figures.resent).toBeGreaterThan(0)
})
