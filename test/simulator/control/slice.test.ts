import { describe, expect, test } from 'bun:test'
import { beginSlice } from '../../../src/simulator/control/advance.ts'
import type { EmbeddedVenue } from '../../../src/simulator/embedded.ts'
import { get, openVirtual, START_MS } from '../embedded-fixture.ts'

const MINUTE_MS = 60_000

test('a slice is over after four milliseconds, and not before', () => {
  let nowMs = 100
  const isOver = beginSlice(() => nowMs)
  expect(isOver()).toBe(false)
  nowMs = 103.999
  expect(isOver()).toBe(false)
  nowMs = 104
  expect(isOver()).toBe(true)
})

/** A venue whose time for one slice passes with each look at the clock, or never; it is built. */
async function openSliced(msEachLook: number) {
  let monotonicMs = 0
  const { venue } = openVirtual(1, () => {
    monotonicMs += msEachLook
    return monotonicMs
  })
  await get(venue, '/v1/public/futures')
  return venue
}

/** The times of the venue's clock that are answered in the turns of the loop until work is over. */
async function timesDuring(
  venue: EmbeddedVenue,
  work: Promise<unknown>,
  path = '/v1/public/system_info',
): Promise<number[]> {
  const times = new Set<number>()
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    times.add((await get(venue, path)).timestamp - START_MS)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await over
  return [...times]
}

describe('a minute that takes longer than other requests may wait', () => {
  const stepped = (venue: EmbeddedVenue) =>
    venue.step({ steps: [{ ms: MINUTE_MS }], caller: { by: 'operator' }, isLast: true })

  test('is simulated in slices with answers between them, and in one go when it takes no time', async () => {
    const [slow, quick] = [await openSliced(1), await openSliced(0)]
    const times = await timesDuring(slow, stepped(slow))
    expect(times.filter((ms) => ms > 0 && ms < MINUTE_MS).length).toBeGreaterThan(20)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    const inOneGo = await timesDuring(quick, stepped(quick))
    expect(inOneGo.filter((ms) => ms > 0 && ms < MINUTE_MS)).toEqual([])
    expect(await slow.check()).toEqual(await quick.check())
    expect((await slow.check()).nowMs).toBe(START_MS + MINUTE_MS)
  })

  test.each([
    ['while nobody asks', null],
    ['while the world is read', '/v1/public/futures'],
  ])('is published as if it were simulated in one go, %s', async (_, path) => {
    const published = await Promise.all(
      [1, 0].map(async (msEachLook) => {
        const venue = await openSliced(msEachLook)
        const messages: unknown[] = []
        const ignore = () => undefined
        const message = (each: unknown) => void messages.push(each)
        const sink = { message, opened: ignore, lost: ignore, refused: ignore }
        const end = venue.live.subscribe('PERP_BTC_USDC@orderbookupdate', sink)
        for (let minute = 0; minute < 2; minute += 1) {
          const work = stepped(venue)
          await (path ? timesDuring(venue, work, path) : work)
        }
        end()
        return messages
      }),
    )
    expect(published[0]).toEqual(published[1])
    expect(published[0]).toHaveLength(2)
  })

  test('is made up for in slices too', async () => {
    const venue = await openSliced(1)
    venue.time.advance?.(MINUTE_MS)
    let isThere = false
    const asked = get(venue, '/v1/public/futures').finally(() => {
      isThere = true
    })
    let answeredMeanwhile = 0
    for (; !isThere; answeredMeanwhile++) {
      await get(venue, '/v1/public/system_info')
      await new Promise((resolve) => setImmediate(resolve))
    }
    await asked
    expect(answeredMeanwhile).toBeGreaterThan(20)
    expect((await venue.check()).nowMs).toBe(START_MS + MINUTE_MS)
  })
})
