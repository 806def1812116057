import { expect, test } from 'bun:test'
import type { FeedSink } from '../../../../src/core/feed.ts'
import { faultyLive } from '../../../../src/simulator/server/faults/live.ts'
import { type FaultTerms, openFaults } from '../../../../src/simulator/server/faults/rules.ts'
import type { LiveVenue } from '../../../../src/simulator/stream/live.ts'
import { openVenueFile } from '../../../../src/store/entity-file.ts'

const TOPIC = 'PERP_BTC_USDC@trade'

/** A live wire behind faults and ways that take so many ms each, on a virtual clock. */
function fixture(waysMs: readonly number[] = [0]) {
  let nowMs = 1000
  let drawn = 0
  const faults = openFaults({
    seed: 1,
    clock: { nowMs: () => nowMs },
    entities: openVenueFile(':memory:'),
  })
  const sinks = new Set<FeedSink>()
  const listens: Pick<LiveVenue, 'subscribe'> = {
    subscribe: (_, sink) => {
      sinks.add(sink)
      return () => sinks.delete(sink)
    },
  }
  const parts = {
    faults: () => faults,
    feedMs: () => waysMs[drawn++ % waysMs.length] ?? 0,
    nowMs: () => nowMs,
    isVirtual: true,
  }
  // Only subscriptions are asked for here.
  const { live, moved } = faultyLive(() => listens as LiveVenue, parts)
  const seen: unknown[] = []
  const nothing = () => undefined
  const message: FeedSink['message'] = ({ data }) => void seen.push(data)
  const end = live.subscribe(TOPIC, { message, opened: nothing, lost: nothing })
  return {
    seen,
    end,
    lay: (terms: FaultTerms) => faults.add(terms, nowMs),
    publish: (data: string) => {
      for (const sink of sinks) sink.message({ topic: TOPIC, atMs: nowMs, data })
    },
    pass: (ms: number) => {
      nowMs += ms
      moved()
    },
  }
}

test('a message arrives when the clock has passed its way, and in the order in which it was sent', () => {
  const { seen, publish, pass } = fixture([30, 10])
  publish('first')
  publish('second')
  pass(29)
  expect(seen).toEqual([])
  pass(1)
  expect(seen).toEqual(['first', 'second'])
})

test('one that a fault holds back comes after those that follow it, twice where it is doubled', () => {
  const { seen, lay, publish, pass } = fixture()
  lay({ kind: 'late', ms: 500, count: 1 })
  publish('late')
  publish('next')
  expect(seen).toEqual(['next'])
  pass(499)
  expect(seen).toEqual(['next'])
  lay({ kind: 'doubled', count: 1 })
  publish('twice')
  pass(1)
  expect(seen).toEqual(['next', 'twice', 'twice', 'late'])
})

test('what is under way when a subscription ends does not arrive', () => {
  const { seen, publish, pass, end } = fixture([30])
  publish('gone')
  end()
  pass(60)
  expect(seen).toEqual([])
})
