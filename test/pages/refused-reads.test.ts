import { expect, test } from 'bun:test'
import { ApiFailure } from '../../src/pages/common/api.ts'
import { openFeed } from './live-fixture.ts'

/** A topic that is polled seldom, and refused as often as there are waits; when it is asked, counted from the start. */
function watchRefused(waitsSeconds: (number | null)[]) {
  const { feed, pass } = openFeed()
  const asked: number[] = []
  let passedMs = 0
  feed.watch({
    ...{ name: 'markets', everyMs: 60_000, policy: 'read' },
    load: async () => {
      asked.push(passedMs)
      const wait = waitsSeconds.shift()
      if (wait === undefined) return 'read'
      throw new ApiFailure('rate_limited', 429, 'Too many calls.', '', wait)
    },
  })
  const passTo = async (untilMs: number) => {
    for (; passedMs < untilMs; passedMs += 100) await pass(100)
  }
  return { asked, passTo }
}

test('what is polled seldom is asked again once the wait that the server names is over, and not before', async () => {
  const { asked, passTo } = watchRefused([1])
  await passTo(900)
  expect(asked).toHaveLength(1)
  await passTo(1000)
  expect(asked).toHaveLength(2)
  // It was answered: it is polled as seldom as before.
  await passTo(60_900)
  expect(asked).toHaveLength(2)
})

test('what is refused again and again is asked ever more seldom', async () => {
  const { asked, passTo } = watchRefused([1, 1, 1, 1])
  await passTo(60_000)
  const gaps = asked.slice(1).map((atMs, at) => Math.round((atMs - (asked[at] ?? 0)) / 1000))
  expect(gaps).toEqual([1, 2, 4, 8])
})

test('a wait longer than the pace is kept', async () => {
  const { asked, passTo } = watchRefused([40])
  await passTo(39_900)
  expect(asked).toHaveLength(1)
  await passTo(40_000)
  expect(asked).toHaveLength(2)
})

test('what fails without such a word is asked again after the longest pause', async () => {
  const { asked, passTo } = watchRefused([null])
  await passTo(14_900)
  expect(asked).toHaveLength(1)
  await passTo(15_000)
  expect(asked).toHaveLength(2)
})
