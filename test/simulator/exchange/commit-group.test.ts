import { expect, test } from 'bun:test'
import { createCommitGroup } from '../../../src/simulator/exchange/commit-group.ts'
import { openVenueFixture } from '../fixture.ts'

function openGroup() {
  let commits = 0
  let isBroken = false
  const failures: unknown[] = []
  const commit = () => {
    commits += 1
    if (isBroken) throw new Error('disk full')
  }
  const breaks = (broken: boolean) => {
    isBroken = broken
  }
  const group = createCommitGroup(commit, (error) => failures.push(error))
  return { group, commits: () => commits, breaks, failures }
}

test('all of one turn share one commit, and the next turn has its own', async () => {
  const { group, commits } = openGroup()
  const turn = [group.stored(), group.stored(), group.looked()]
  expect(commits()).toBe(0)
  await Promise.all(turn)
  expect(commits()).toBe(1)
  await group.stored()
  expect(commits()).toBe(2)
})

test('a commit that fails refuses all who wrote and nobody who looked, and the next one tries again', async () => {
  const { group, commits, breaks } = openGroup()
  breaks(true)
  const outcomes = await Promise.allSettled([group.stored(), group.stored(), group.looked()])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
  breaks(false)
  await group.stored()
  expect(commits()).toBe(2)
})

test('who looks while nobody waits has it stored at once, and hears nothing of a failure', () => {
  const { group, commits, breaks, failures } = openGroup()
  expect(group.looked()).toBeNull()
  expect(commits()).toBe(1)
  breaks(true)
  expect(group.looked()).toBeNull()
  expect([commits(), failures.length]).toEqual([2, 1])
})

test('what is asked in one turn is stored before any of it is answered, a read of it included', async () => {
  using fixture = openVenueFixture()
  const trader = await fixture.trader('one')
  const stored = () => [...fixture.store().load('engine-request')].length
  const before = stored()
  const asked = [trader.order(), trader.order(), trader.get('/v1/orders')]
  expect(stored()).toBe(before)
  const seen = await Promise.all(asked.map((answer) => answer.then(() => stored() - before)))
  expect(seen).toEqual([2, 2, 2])
  expect((await asked[2])?.data.rows).toHaveLength(2)
})
