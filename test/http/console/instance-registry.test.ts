import { beforeEach, describe, expect, test } from 'bun:test'
import type { InstanceRow } from '../../../src/contract/console/figures.ts'
import { CONSOLE_LIMITS } from '../../../src/contract/console/limits.ts'
import { Failure } from '../../../src/core/failure.ts'
import { keepInstanceRegistry } from '../../../src/http/console/instance-registry.ts'

const { everyMs, lostAfterMs } = CONSOLE_LIMITS.registry

let nowMs = 0
let isAway = false
let rows: Map<string, InstanceRow>
beforeEach(() => {
  nowMs = 0
  isAway = false
  rows = new Map()
})

/** An instance on the common table, whose wall clock is off by so much. */
function openInstance(name: string, offMs = 0) {
  const registry = keepInstanceRegistry({
    store: {
      add: async (row) => {
        if (isAway) throw new Failure('store_unavailable')
        rows.set(row.name, row)
      },
      instances: async () => [...rows.values()],
    },
    monotonicMs: () => nowMs,
    instance: () => ({ name, version: '1', sinceMs: 0, seenMs: nowMs + offMs, isReady: true }),
  })
  void registry.stop()
  return registry
}

type Registry = ReturnType<typeof openInstance>

async function pass(ms: number, ...alive: readonly Registry[]): Promise<void> {
  for (const endMs = nowMs + ms; nowMs < endMs; ) {
    nowMs += everyMs
    for (const { tick } of alive) await tick()
  }
}

test('an instance that is gone without stopping is lost within half a minute, until it is back', async () => {
  const [one, two] = [openInstance('one'), openInstance('two', -86_400_000)]
  await pass(60_000, two, one)
  expect([one.lost(), two.lost()]).toEqual([0, 0])
  nowMs += lostAfterMs - 1
  expect(one.lost()).toBe(0)
  nowMs += 1
  expect(one.lost()).toBe(1)
  await pass(60_000, one)
  expect(one.lost()).toBe(1)
  await pass(everyMs, two, one)
  expect(one.lost()).toBe(0)
})

test('an instance that stopped is not lost', async () => {
  const [one, two] = [openInstance('one'), openInstance('two')]
  await pass(60_000, one, two)
  rows.delete('two')
  await pass(60_000, one)
  expect(one.lost()).toBe(0)
})

test('an instance that writes its row each minute is not lost', async () => {
  const [one, two] = [openInstance('one'), openInstance('two')]
  for (let minute = 0; minute < 5; minute++) {
    await two.tick()
    await pass(60_000, one)
    expect(one.lost()).toBe(minute === 0 ? null : 0)
  }
})

test('while the store is away nobody becomes lost, and who was lost stays so', async () => {
  const [one, two, three] = [openInstance('one'), openInstance('two'), openInstance('three')]
  await pass(60_000, one, two, three)
  await pass(60_000, one, two)
  expect(one.lost()).toBe(1)
  isAway = true
  await pass(10 * 60_000, one, two)
  expect(one.lost()).toBe(1)
  isAway = false
  await one.tick()
  expect(one.lost()).toBe(1)
  await pass(60_000, one)
  expect(one.lost()).toBe(2)
})

describe('an observer that has started again', () => {
  test('does not know of an instance that was lost before, and counts it when it is silent on', async () => {
    const [one, two] = [openInstance('one'), openInstance('two')]
    await pass(60_000, one, two)
    await pass(60_000, one)
    expect(one.lost()).toBe(1)
    const again = openInstance('one')
    expect(again.lost()).toBe(null)
    await pass(2 * 60_000, again)
    expect(again.lost()).toBe(null)
    await pass(2 * 60_000, again)
    expect(again.lost()).toBe(1)
    await pass(everyMs, two, again)
    expect(again.lost()).toBe(0)
  })

  test('misses nobody when that one is back, or was taken out, and knows so at once', async () => {
    const two = openInstance('two')
    await two.tick()
    const [back, out] = [openInstance('back'), openInstance('out')]
    await pass(60_000, back, out)
    const again = openInstance('one')
    await again.tick()
    expect(again.lost()).toBe(null)
    await two.tick()
    nowMs += everyMs
    for (const { tick } of [two, back, out, again]) await tick()
    expect(again.lost()).toBe(0)
    rows.delete('out')
    await pass(10 * 60_000, two, back, again)
    expect(again.lost()).toBe(0)
  })

  test('knows nothing of the others while the store is away', async () => {
    isAway = true
    const again = openInstance('one')
    await pass(10 * 60_000, again)
    expect(again.lost()).toBe(null)
    isAway = false
    await again.tick()
    expect(again.lost()).toBe(0)
  })
})
