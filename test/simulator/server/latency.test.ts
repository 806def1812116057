import { describe, expect, test } from 'bun:test'
import { jsonResponse, type VenueRequest } from '../../../src/simulator/messages/message.ts'
import { createTransit, latencyDraws, latencyFront } from '../../../src/simulator/server/latency.ts'

const LATENCY = {
  feed: { meanMs: 20, jitterMs: 5 },
  entry: { meanMs: 10, jitterMs: 2 },
  answer: { meanMs: 5, jitterMs: 0 },
}
const REQUEST: VenueRequest = { method: 'GET', path: '/v1/positions', headers: {} }

/** A clock that only calls under way move. */
function virtual() {
  let nowMs = 1000
  const reach = (atMs: number) => {
    nowMs = Math.max(nowMs, atMs)
  }
  const clock = { nowMs: () => nowMs }
  return { clock, pass: createTransit({ ...clock, reach, sleep: async () => undefined }) }
}

describe('how long a way takes', () => {
  test('is drawn from the seed: the same seed in the same order gives the same, another does not', () => {
    const drawn = (seed: number) => {
      const draws = latencyDraws(LATENCY, seed)
      return Array.from({ length: 500 }, () => draws('feed'))
    }
    expect(drawn(1)).toEqual(drawn(1))
    expect(drawn(1)).not.toEqual(drawn(2))
    const mean = drawn(1).reduce((sum, ms) => sum + ms, 0) / 500
    expect(mean).toBeCloseTo(20, 0)
    expect(new Set(drawn(1)).size).toBeGreaterThan(10)
  })

  test('is never below zero, and nothing where it is off', () => {
    const wide = { ...LATENCY, entry: { meanMs: 1, jitterMs: 50 } }
    const draws = latencyDraws(wide, 1)
    const all = Array.from({ length: 200 }, () => draws('entry'))
    expect(Math.min(...all)).toBe(0)
    expect(latencyDraws(null, 1)('entry')).toBe(0)
  })
})

describe('a call under way', () => {
  test('acts when it has arrived, and is answered later by the clock of the venue', async () => {
    const { clock, pass } = virtual()
    const actedMs: number[] = []
    const draws = (leg: string) => (leg === 'entry' ? 10 : 5)
    const front = latencyFront(
      async () => {
        actedMs.push(clock.nowMs())
        return jsonResponse(200, {})
      },
      { draws, pass, clock },
    )
    await front(REQUEST)
    expect([actedMs, clock.nowMs()]).toEqual([[1010], 1015])
    // Two that are sent together take their ways side by side.
    await Promise.all([front(REQUEST), front(REQUEST)])
    expect([actedMs.slice(1), clock.nowMs()]).toEqual([[1025, 1025], 1030])
  })

  test('that is quicker arrives first, whatever was sent first', async () => {
    const { clock, pass } = virtual()
    const arrived: string[] = []
    const one = pass(1030).then(() => arrived.push(`slow ${clock.nowMs()}`))
    const other = pass(1020).then(() => arrived.push(`quick ${clock.nowMs()}`))
    await Promise.all([one, other])
    expect(arrived).toEqual(['quick 1020', 'slow 1030'])
  })

  test('waits in real time where time is real', async () => {
    const slept: number[] = []
    const sleep = async (ms: number) => void slept.push(ms)
    const pass = createTransit({ nowMs: () => 1000, reach: null, sleep })
    await pass(1250)
    await pass(900)
    expect(slept).toEqual([250, 0])
  })
})
