import { afterEach, beforeEach, expect, test, vi } from 'bun:test'
import { reportFaultsTo, yieldToEventLoop } from '../../../src/core/loop/guarded.ts'
import { markInUse, repeatWhileInUse } from '../../../src/core/loop/idle-timers.ts'

let runs: number[]
let stop: () => void

beforeEach(() => {
  vi.useFakeTimers()
  runs = []
  stop = repeatWhileInUse('process', 200, (nextMs) => runs.push(nextMs))
})
afterEach(() => {
  stop()
  vi.useRealTimers()
})

function runsIn(ms: number): number {
  const before = runs.length
  vi.advanceTimersByTime(ms)
  return runs.length - before
}

/** The first turn sees the use of the start, the second that there was none since. */
const untilRest = () => runsIn(10_000)

test('a thread in use runs its timers at their own rate, for as long as it is used', () => {
  for (let second = 0; second < 20; second += 1) {
    markInUse()
    expect(runsIn(1000)).toBe(5)
  }
  expect(new Set(runs)).toEqual(new Set([200]))
})

test('a thread that is not used runs them every five seconds, and says how far apart', () => {
  untilRest()
  expect(runs.at(-1)).toBe(5000)
  expect(runsIn(30_000)).toBe(6)
})

test('a use brings all of them back in the next turn, with the time until they run again', async () => {
  const others: number[] = []
  const stopOther = repeatWhileInUse('process', 1000, (nextMs) => others.push(nextMs))
  untilRest()
  const before = { runs: runs.length, others: others.length }
  markInUse()
  expect(runs.length).toBe(before.runs)
  await yieldToEventLoop()
  expect(runs.length).toBe(before.runs + 1)
  expect([runs.at(-1), others.at(-1)]).toEqual([200, 1000])
  expect(runsIn(1000)).toBe(5)
  expect(others.length - before.others).toBe(2)
  stopOther()
})

test('a timer that begins at rest rests too, and a stopped one never runs', async () => {
  untilRest()
  let late = 0
  const stopLate = repeatWhileInUse('process', 200, () => (late += 1))
  runsIn(5000)
  expect(late).toBe(1)
  stopLate()
  markInUse()
  await yieldToEventLoop()
  runsIn(10_000)
  expect(late).toBe(1)
})

test('an error of one ends neither it nor the others', () => {
  const faults: unknown[] = []
  const giveBack = reportFaultsTo((_, error) => faults.push(error))
  const stopFailing = repeatWhileInUse('cache', 200, () => {
    throw new TypeError('a bug')
  })
  expect(runsIn(600)).toBe(3)
  untilRest()
  expect(runsIn(5000)).toBe(1)
  expect(faults.length).toBe(runs.length)
  stopFailing()
  giveBack()
})
