import { expect, test } from 'bun:test'
import { createBreaker } from '../../src/valkey/breaker.ts'

/** A breaker, and a clock to move. */
function rig() {
  let nowMs = 0
  const breaker = createBreaker(() => nowMs)
  const timeOut = (times: number) => {
    for (let time = 0; time < times; time += 1) breaker.timedOut()
  }
  return { breaker, timeOut, at: (ms: number) => (nowMs = ms) }
}

test('a breaker opens after three timeouts in a row, for a second', () => {
  const { breaker, timeOut, at } = rig()
  timeOut(2)
  expect(breaker.mayAsk()).toBe(true)
  timeOut(1)
  at(999)
  expect(breaker.mayAsk()).toBe(false)
  at(1000)
  expect(breaker.mayAsk()).toBe(true)
})

test('an answer between them starts the count again', () => {
  const { breaker, timeOut } = rig()
  timeOut(2)
  breaker.answered()
  timeOut(2)
  expect(breaker.mayAsk()).toBe(true)
})

test('after a second one call finds out for all, and what it finds holds for all', () => {
  const { breaker, timeOut, at } = rig()
  timeOut(3)
  at(1000)
  expect(breaker.mayAsk()).toBe(true)
  expect(breaker.mayAsk()).toBe(false)
  at(1250)
  timeOut(1)
  at(2249)
  expect(breaker.mayAsk()).toBe(false)
  at(2250)
  expect(breaker.mayAsk()).toBe(true)
  breaker.answered()
  expect([breaker.mayAsk(), breaker.mayAsk()]).toEqual([true, true])
})
