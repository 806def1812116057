// Slow: the executable is killed and started a dozen times.
import { expect, test } from 'bun:test'
import { chanceOf } from './chance.ts'
import { killAgainAndAgain } from './kills.ts'

const KILLS = 12

test(`over ${KILLS} kills under load nothing that was sent is sent again, and nothing that was answered is lost`, async () => {
  const figures = await killAgainAndAgain(KILLS, chanceOf(Date.now()))
  expect(figures).toMatchObject({ kills: KILLS, doubled: [], lost: [], strange: [] })
  expect(figures.writes).toBeGreaterThan(KILLS)
  expect(figures.resent).toBeGreaterThan(0)
})
