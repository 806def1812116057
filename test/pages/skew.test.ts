import { describe, expect, test } from 'bun:test'
import { createSkew } from '../../src/pages/trade/feed/skew.ts'

const MINUTE_MS = 60_000
const AHEAD_MS = 15 * MINUTE_MS
const DEVICE_MS = 1_800_000_000_000
/** What the server cuts off a second on average. */
const CUT_MS = 500

/** A device whose samples find these offsets, one after the other and then the last; null is no answer. */
function device(offsets: readonly (number | null)[], tripMs = 0) {
  let [samples, clockMs] = [0, DEVICE_MS]
  const timers: (() => void)[] = []
  const skew = createSkew({
    nowMs: () => clockMs,
    serverMs: async () => {
      const offset = offsets[Math.min(samples, offsets.length - 1)] ?? null
      samples += 1
      clockMs += tripMs
      return offset === null ? null : clockMs - tripMs / 2 - CUT_MS - offset
    },
    after: (_, work) => timers.push(work),
  })
  return { skew, timers, samples: () => samples }
}

async function rested(): Promise<void> {
  for (let turns = 0; turns < 30; turns += 1) await Promise.resolve()
}

describe('the clock is named as ahead', () => {
  test.each([
    ['two samples agree', [AHEAD_MS], 0, AHEAD_MS, 2],
    ['it is off by more than a minute', [MINUTE_MS + 1], 0, MINUTE_MS + 1, 2],
    [
      'two in a row agree after one that does not',
      [AHEAD_MS * 9, AHEAD_MS, AHEAD_MS],
      0,
      AHEAD_MS,
      3,
    ],
    ['one is unanswered', [AHEAD_MS, null, AHEAD_MS], 0, AHEAD_MS, 3],
  ])('when %s', async (_, offsets, tripMs, offset, count) => {
    const { skew, samples } = device(offsets, tripMs)
    await skew.measure()
    expect([skew.offsetMs.peek(), samples()]).toEqual([offset, count])
  })

  test.each([
    ['one sample alone says so', [AHEAD_MS, 0], 0],
    ['the samples contradict each other', [AHEAD_MS, 2 * AHEAD_MS, 3 * AHEAD_MS, 4 * AHEAD_MS], 0],
    ['nothing is answered', [null], 0],
    ['the device slept while it asked', [AHEAD_MS], 6000],
    ['the offset is a minute', [MINUTE_MS], 0],
  ])('not when %s', async (_, offsets, tripMs) => {
    const { skew } = device(offsets, tripMs)
    await skew.measure()
    expect(skew.offsetMs.peek()).toBe(0)
  })

  test('until a later sample says otherwise', async () => {
    const { skew, timers } = device([AHEAD_MS, AHEAD_MS, 0])
    await skew.measure()
    expect(skew.offsetMs.peek()).toBe(AHEAD_MS)
    timers.at(-1)?.()
    await rested()
    expect(skew.offsetMs.peek()).toBe(0)
  })

  test('never by a message or an answer that came late, which only asks for samples', async () => {
    const { skew, samples } = device([0])
    skew.hint(DEVICE_MS - AHEAD_MS)
    expect(skew.offsetMs.peek()).toBe(0)
    skew.hint(DEVICE_MS - AHEAD_MS)
    await rested()
    expect([skew.offsetMs.peek(), samples()]).toEqual([0, 1])
  })

  test('not asked about by a message of now', async () => {
    const { skew, samples } = device([0])
    skew.hint(DEVICE_MS - 1000)
    await rested()
    expect(samples()).toBe(0)
  })
})
