import { describe, expect, test } from 'bun:test'
import { createEmbeddedVenue, type EmbeddedVenue } from '../../src/simulator/embedded.ts'
import { CONSTANT_PATHS } from '../../src/simulator/rest/public/platform.ts'
import { openVenueFile } from '../../src/store/entity-file.ts'
import { get, LOG, openVirtual, START_MS } from './embedded-fixture.ts'
import { publicGet } from './trading-wallet.ts'

const HOUR_MS = 3_600_000

describe('a world that is hours behind its clock', () => {
  test('goes there in pieces: who asks of it waits, and what needs no world is answered meanwhile', async () => {
    const { venue } = openVirtual(1)
    await get(venue, '/v1/public/futures')
    venue.time.advance?.(2 * HOUR_MS)
    let isThere = false
    const asked = get(venue, '/v1/public/futures').then((answer) => {
      isThere = true
      return answer
    })
    let answeredMeanwhile = 0
    for (;;) {
      const { timestamp } = await get(venue, '/v1/public/system_info')
      expect(timestamp).toBe(START_MS + 2 * HOUR_MS)
      if (isThere) break
      answeredMeanwhile += 1
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(answeredMeanwhile).toBeGreaterThan(5)
    expect((await asked).data.rows.length).toBeGreaterThan(0)
    const { nowMs, broken } = await venue.check()
    expect(nowMs).toBe(START_MS + 2 * HOUR_MS)
    expect(broken).toEqual([])
  })

  // Slow: hours of a market are simulated twice.
  test('comes to be the world that it would have been in one go, also after a stop of hours', async () => {
    const [parted, whole] = [openVirtual(1), openVirtual(1)]
    for (const { venue } of [parted, whole]) await get(venue, '/v1/public/futures')
    parted.venue.time.advance?.(HOUR_MS)
    await parted.venue.arrived()
    parted.venue.time.advance?.(2 * HOUR_MS)
    const again = parted.reopened()
    await get(again, '/v1/public/futures')
    whole.venue.time.advance?.(3 * HOUR_MS)
    whole.venue.exchange.advance(START_MS + 3 * HOUR_MS)
    expect(await again.check()).toEqual(await whole.venue.check())
  })

  test('answers requests in the order in which they were made', async () => {
    const { venue } = openVirtual(2)
    await get(venue, '/v1/public/futures')
    venue.time.advance?.(HOUR_MS / 2)
    const done: number[] = []
    const paths = ['/v1/public/futures', '/v1/public/funding_rates', '/v1/public/insurancefund']
    await Promise.all(paths.map((path, at) => get(venue, path).then(() => done.push(at))))
    expect(done).toEqual([0, 1, 2])
  })
})

/** A venue of a living market on a real clock, which goes only when a test moves it. */
function openLiving(time: 'real' | 'virtual') {
  const entities = openVenueFile(':memory:')
  let wallMs = START_MS
  const open = () =>
    createEmbeddedVenue({
      ...{ seed: 1, activity: 'normal', markets: ['PERP_BTC_USDC'], pricesCsv: null, time },
      ...{ tape: null, paper: null },
      ...{ startMs: START_MS, faucet: 0n, wallClock: { nowMs: () => wallMs } },
      ...{ monotonicMs: () => 0, log: LOG, entities },
    })
  const venue = open()
  const move = (moved: EmbeddedVenue, ms: number) => {
    wallMs += ms
    moved.time.advance?.(ms)
  }
  return { venue, open, move }
}

describe('a living market that nobody has watched for hours', () => {
  test('goes to the time of a real clock in a third of the events, and of a virtual one in all', async () => {
    const events: number[] = []
    for (const time of ['real', 'virtual'] as const) {
      const { venue, move } = openLiving(time)
      await get(venue, '/v1/public/futures')
      move(venue, HOUR_MS)
      await venue.arrived()
      const { nowMs, events: count, broken } = await venue.check()
      expect(nowMs).toBe(START_MS + HOUR_MS)
      expect(broken).toEqual([])
      events.push(count)
      const { book } = venue.exchange.simulation().engine.world.scenes[0]?.market ?? {}
      expect((book?.asks.best?.price ?? 0) / (book?.bids.best?.price ?? 1)).toBeWithin(1, 1.001)
    }
    const [real = 0, virtual = 0] = events
    expect(real).toBeLessThan(virtual / 3)
    expect(real).toBeGreaterThan(500)
  })

  test('has traded meanwhile about as much as it does when every order is sent', async () => {
    const volumeOf = async (venue: EmbeddedVenue, fromMs: number) => {
      const range = `from=${fromMs / 1000}&to=${fromMs / 1000 + 3540}`
      const path = `/v1/tv/history?symbol=PERP_BTC_USDC&resolution=1&${range}`
      const { v } = await get(venue, path)
      expect(v.length).toBeGreaterThan(50)
      return v.reduce((sum: number, each: number) => sum + each, 0)
    }
    const volumes: number[] = []
    for (const time of ['real', 'virtual'] as const) {
      const { venue, move } = openLiving(time)
      await get(venue, '/v1/public/futures')
      move(venue, 2 * HOUR_MS)
      await venue.arrived()
      volumes.push(await volumeOf(venue, START_MS + HOUR_MS / 2))
    }
    const [real = 0, virtual = 0] = volumes
    expect(real / virtual).toBeWithin(0.2, 5)
  })

  test('is every event again as soon as it is there, and the same world after a restart', async () => {
    const { venue, open, move } = openLiving('real')
    await get(venue, '/v1/public/futures')
    move(venue, HOUR_MS / 2)
    await venue.arrived()
    const before = await venue.check()
    move(venue, 60_000)
    await venue.arrived()
    const after = await venue.check()
    expect(after.events - before.events).toBeGreaterThan(300)
    const again = open()
    expect(await again.check()).toEqual(after)
    move(again, HOUR_MS)
    await again.arrived()
    const later = await again.check()
    // What may have been seen before the stop is ten minutes of every event.
    expect(later.events - after.events).toBeLessThan(after.events - before.events + 12_000)
    expect(await open().check()).toEqual(later)
  })
})

test('what needs no market is answered without building one', async () => {
  const { venue } = openVirtual(1)
  for (const path of CONSTANT_PATHS) await venue.answer(publicGet(path.replace('/{symbol}', '')))
  venue.advance()
  venue.time.advance?.(HOUR_MS)
  venue.advance()
  await get(venue, '/v1/public/system_info')
  expect(venue.exchange.isOpen()).toBe(false)
  await get(venue, '/v1/public/futures')
  expect(venue.exchange.isOpen()).toBe(true)
})
