import { afterEach, beforeEach, expect, test, vi } from 'bun:test'
import { createBreaker } from '../../../src/cluster/valkey/breaker.ts'
import { pass } from '../../fake-time.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A breaker before an engine that stays silent until it is back; how often that was probed, and what ends a probe. */
function harness() {
  let probes = 0
  let end = (): void => undefined
  const breaker = createBreaker(() => {
    probes += 1
    return new Promise<void>((resolve) => {
      end = resolve
    })
  })
  const timeOut = (times: number) => {
    for (let time = 0; time < times; time += 1) breaker.timedOut()
  }
  async function probed(isAnswered: boolean): Promise<void> {
    if (isAnswered) breaker.answered()
    else breaker.timedOut()
    end()
    await pass(0)
  }
  return { breaker, timeOut, probed, probes: () => probes }
}

test('a breaker opens after three timeouts in a row, and not before', () => {
  const { breaker, timeOut } = harness()
  timeOut(2)
  expect(breaker.isOpen()).toBe(false)
  timeOut(1)
  expect(breaker.isOpen()).toBe(true)
})

test('an answer between them starts the count again', () => {
  const { breaker, timeOut } = harness()
  timeOut(2)
  breaker.answered()
  timeOut(2)
  expect(breaker.isOpen()).toBe(false)
})

test('after a second one probe finds out for all who ask meanwhile', async () => {
  const { breaker, timeOut, probed, probes } = harness()
  timeOut(9)
  await pass(999)
  expect(probes()).toBe(0)
  await pass(1)
  expect([probes(), breaker.isOpen()]).toEqual([1, true])
  // As long as it takes, nobody else tries.
  await pass(5000)
  expect([probes(), breaker.isOpen()]).toEqual([1, true])
  await probed(true)
  expect(breaker.isOpen()).toBe(false)
  await pass(5000)
  expect(probes()).toBe(1)
})

test('a probe without an answer is followed by another a second later', async () => {
  const { breaker, timeOut, probed, probes } = harness()
  timeOut(3)
  await pass(1000)
  await probed(false)
  await pass(999)
  expect([probes(), breaker.isOpen()]).toEqual([1, true])
  await pass(1)
  expect(probes()).toBe(2)
  await probed(true)
  expect(breaker.isOpen()).toBe(false)
})

test('a breaker that is closed for good probes nothing', async () => {
  const { breaker, timeOut, probes } = harness()
  timeOut(3)
  breaker.close()
  await pass(5000)
  expect(probes()).toBe(0)
})
