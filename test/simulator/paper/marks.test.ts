import { describe, expect, test } from 'bun:test'
import type { Feed, FeedSink } from '../../../src/core/feed.ts'
import type { ReadLiveWire } from '../../../src/simulator/mirror.ts'
import { Rejection } from '../../../src/simulator/state/rejections.ts'
import { LIVE_TOPICS } from '../../../src/upstream/wire/live.ts'
import {
  bestOf,
  known,
  MILLION,
  openKnown,
  openLive,
  openPaper,
  passBoth,
  taken,
  userOf,
  wireOf,
} from './fixture.ts'

/** A live wire whose marks stay away, with or without the loss of their subscription. */
function withoutMarks(feed: Feed) {
  let isAway = false
  const sinks = new Set<FeedSink>()
  const subscribe: Feed['subscribe'] = (topic, sink) => {
    if (topic !== LIVE_TOPICS.marks) return feed.subscribe(topic, sink)
    sinks.add(sink)
    return feed.subscribe(topic, {
      ...sink,
      message: (message) => {
        if (!isAway) sink.message(message)
      },
    })
  }
  const each = (how: 'silence' | 'connection', call: 'lost' | 'opened') => {
    isAway = call === 'lost'
    if (how === 'connection') for (const sink of sinks) sink[call]()
  }
  return {
    feed: { ...feed, subscribe },
    end: (how: 'silence' | 'connection') => each(how, 'lost'),
    begin: (how: 'silence' | 'connection') => each(how, 'opened'),
  }
}

describe('marks of a live market', () => {
  // Slow: half a minute of two venues is simulated.
  test.each([
    ['are silent for longer than 25 s', 'silence'],
    ['are lost with their connection', 'connection'],
  ] as const)('refuses orders and moves no mark while the marks alone %s', async (_, how) => {
    const live = openLive()
    const marks = withoutMarks(live.live)
    let gaps = 0
    const read: ReadLiveWire = ({ lost, ...sink }) =>
      wireOf(
        live,
        marks.feed,
      )({
        ...sink,
        lost: (market) => {
          gaps += 1
          lost(market)
        },
      })
    const { paper } = await openPaper(live, { read })
    await known(live, paper)
    await passBoth(live, paper, 2000)
    const before = gaps
    marks.end(how)
    if (how === 'silence') {
      const silentMs = live.time.clock.nowMs() - (paper.mirror?.state().marksAtMs ?? 0)
      await passBoth(live, paper, 24_900 - silentMs)
      expect(paper.mirror?.state().known).toBe(1)
    }
    await passBoth(live, paper, 200)
    expect(paper.mirror?.state().known).toBe(0)
    await passBoth(live, paper, 5000)
    expect(paper.mirror?.state().known).toBe(0)
    expect(gaps - before).toBe(1)
    const user = userOf(paper)
    user.fund(MILLION)
    const { ask } = bestOf(live)
    const refused = user.place({ side: 'BUY', price: ask + 50, quantity: 100, type: 'IOC' })
    expect(refused instanceof Rejection && refused.refusal).toBe('away')
    marks.begin(how)
    await known(live, paper)
    await passBoth(live, paper, 3000)
    expect(bestOf(paper)).toEqual(bestOf(live))
    const order = { side: 'BUY', price: bestOf(paper).ask, quantity: 100, type: 'IOC' } as const
    expect(taken(user.place(order)).executed).toBe(100)
  })

  test('says when marks came last, and since when not every book is known', async () => {
    const { live, paper } = await openKnown()
    const { nowMs } = live.time.clock
    let marksAtMs = 0
    const ignore = () => undefined
    const message = () => {
      marksAtMs = nowMs()
    }
    live.live.subscribe('markprices', { message, opened: ignore, lost: ignore })
    await passBoth(live, paper, 5000)
    const well = paper.mirror?.state()
    expect(well).toMatchObject({ markets: 1, known: 1, awaySinceMs: null, marksAtMs })
    expect(nowMs() - marksAtMs).toBeLessThan(5000)
    live.time.advance?.(26_000)
    paper.mirror?.step()
    const lostAtMs = nowMs()
    live.time.advance?.(5000)
    expect(paper.mirror?.state()).toEqual({
      ...{ markets: 1, known: 0, marksAtMs: well?.marksAtMs ?? null, unopened: [] },
      awaySinceMs: lostAtMs,
    })
  })
})
