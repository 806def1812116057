import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  after,
  detached,
  every,
  faultCount,
  guarded,
  inMicrotask,
  nextTurn,
  reportFaultsTo,
} from '../../../src/core/loop/guarded.ts'

let faults: unknown[] = []
let giveBack = () => {}
beforeEach(() => {
  faults = []
  giveBack = reportFaultsTo((part, error) => faults.push([part, error]))
})
afterEach(() => giveBack())

const BUG = new TypeError('a bug')
function fails(): never {
  throw BUG
}

test('what a timer, a turn, a microtask or a promise throws is reported, counted, and ends nothing', async () => {
  const before = faultCount('cache')
  after('cache', 0, fails)
  after('cache', 0, async () => fails())
  nextTurn('cache', fails)
  inMicrotask('cache', fails)
  detached('cache', Promise.reject(BUG))
  await Bun.sleep(5)
  expect(faults).toEqual(Array(5).fill(['cache', BUG]))
  expect(faultCount('cache')).toBe(before + 5)
})

test('a timer that failed goes on', async () => {
  let turns = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = every('cache', 1, () => {
    turns += 1
    if (turns === 3) resolve()
    fails()
  })
  await promise
  clearInterval(timer)
  expect(faults).toHaveLength(3)
})

test('a callback that failed repairs what it was about, and a repair that fails is reported too', () => {
  const repaired: unknown[] = []
  guarded('cache', fails as (subject: string) => void, (error, subject) =>
    repaired.push(error, subject),
  )('x')
  expect(repaired).toEqual([BUG, 'x'])
  guarded('cache', fails, fails)()
  expect(faults).toHaveLength(3)
})

test('a callback that does not fail reports nothing', () => {
  const received: number[] = []
  guarded('cache', (number: number) => received.push(number))(7)
  expect([received, faults]).toEqual([[7], []])
})
