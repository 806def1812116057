import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Minute } from '../../src/contract/console/figures.ts'
import type { Store } from '../../src/core/ports.ts'

type Kept = Pick<Store, 'traffic' | 'close'>

const MINUTE_MS = 60_000
const DAY_MS = 1440 * MINUTE_MS
const NOW_MS = 1_800_000_000_000

function instance(name: string, seenMs = NOW_MS) {
  return { name, version: '1.2.3', sinceMs: NOW_MS - DAY_MS, seenMs, isReady: true }
}

function minute(untilMs: number, requests = 1): Minute {
  return [untilMs, MINUTE_MS, requests, 2, 0.25, 4.5, 90_000_000]
}

/** What every store must do with minutes. `open` gives a fresh, empty one each time. */
export function trafficContract(name: string, open: () => Kept | Promise<Kept>): void {
  describe(`minutes of the last day in ${name}`, () => {
    let store: Kept
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())

    test('minutes come back as they were, the oldest first, after a moment, each once', async () => {
      const { traffic } = store
      const idle: Minute = [NOW_MS, 31_000, 0, 0, null, 0, 1]
      await traffic.add(instance('a'), [minute(NOW_MS - MINUTE_MS), idle])
      await traffic.add(instance('a'), [minute(NOW_MS - MINUTE_MS, 99), minute(NOW_MS + 1)])
      await traffic.add(instance('a'), [])
      const all = [minute(NOW_MS - MINUTE_MS), idle, minute(NOW_MS + 1)]
      expect(await traffic.minutes('a', 0)).toEqual(all)
      expect(await traffic.minutes('a', NOW_MS)).toEqual(all.slice(2))
      expect(await traffic.minutes('a', NOW_MS + 1)).toEqual([])
    })

    test('what is older than a day goes with the next minute, and nothing younger', async () => {
      const { traffic } = store
      const [old, young] = [minute(NOW_MS - DAY_MS), minute(NOW_MS - DAY_MS + 1)]
      await traffic.add(instance('a', NOW_MS - DAY_MS), [old, young])
      expect(await traffic.minutes('a', 0)).toHaveLength(2)
      await traffic.add(instance('a'), [minute(NOW_MS)])
      expect(await traffic.minutes('a', 0)).toEqual([young, minute(NOW_MS)])
    })
  })
}
