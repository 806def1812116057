import { afterEach, beforeEach, expect, test, vi } from 'bun:test'
import { createMirror } from '../../src/live/mirror.ts'
import { pass } from '../fake-time.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const EVERY_MS = 1000

/** A mirror of one topic that is open, whose renewals a test answers. */
function opened() {
  const resets: unknown[] = []
  const renewals: PromiseWithResolvers<void>[] = []
  let loads = 0
  const source = createMirror({
    clock: { nowMs: () => 1_800_000_000_000 },
    feed: {
      book: () => Promise.reject(new Error('no book')),
      subscribe: (_, { opened }) => {
        queueMicrotask(opened)
        return () => undefined
      },
    },
    faults: { dropped: () => undefined, reset: (error) => void resets.push(error) },
    projection: {
      topics: ['topic'],
      load: async () => {
        loads += 1
      },
      apply: () => true,
      snapshot: () => null,
      drainDelta: () => undefined,
      refresh: {
        everyMs: EVERY_MS,
        run: () => {
          const renewal = Promise.withResolvers<void>()
          renewals.push(renewal)
          return renewal.promise
        },
      },
    },
  })
  return { source, resets, renewals, loads: () => loads }
}

test('an error of a renewal is counted, and the whole is read again', async () => {
  const { source, resets, renewals, loads } = opened()
  await pass(0)
  await pass(EVERY_MS)
  renewals[0]?.reject(new TypeError('a bug'))
  await pass(250)
  await pass(250)
  expect([resets.length, loads()]).toEqual([1, 2])
  source.close()
})

test('a renewal that fails after its topic was closed is not counted, and nothing is read again', async () => {
  const { source, resets, renewals, loads } = opened()
  await pass(0)
  await pass(EVERY_MS)
  expect(renewals).toHaveLength(1)
  source.close()
  renewals[0]?.reject(new TypeError('a bug'))
  await pass(0)
  await pass(60_000)
  expect([resets, loads(), renewals.length]).toEqual([[], 1, 1])
})
