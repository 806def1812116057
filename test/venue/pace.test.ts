import { describe, expect, test } from 'bun:test'
import type { EmbeddedVenue } from '../../src/venue/embedded.ts'
import { MARKETS } from '../../src/venue/listing/instruments.ts'
import { WORLDLESS } from '../../src/venue/rest/public/static.ts'
import { openVirtual, pass, START_MS } from './embedded-rig.ts'
import { publicGet } from './trading-wallet.ts'

const HOUR_MS = 3_600_000

/** Time that passes with every look at it, so that a slice is a certain number of looks. */
function hurried(): () => number {
  let ms = 0
  return () => {
    ms += 1
    return ms
  }
}

async function get(venue: EmbeddedVenue, path: string) {
  return JSON.parse((await venue.answer(publicGet(path))).body)
}

describe('a world that nobody has asked for yet', () => {
  test('is built in slices, others are answered between, and it is the world of one go', async () => {
    const [sliced, whole] = [
      openVirtual(1, hurried(), START_MS, MARKETS).venue,
      openVirtual(1, undefined, START_MS, MARKETS).venue,
    ]
    let isThere = false
    const asked = get(sliced, '/v1/public/futures').then((answer) => {
      isThere = true
      return answer
    })
    let answeredMeanwhile = 0
    while (!sliced.exchange.isOpen()) {
      await get(sliced, '/v1/public/system_info')
      await new Promise((resolve) => setImmediate(resolve))
      answeredMeanwhile += 1
    }
    expect(answeredMeanwhile).toBeGreaterThan(10)
    expect(isThere).toBe(false)
    expect((await asked).data).toEqual((await get(whole, '/v1/public/futures')).data)
    expect(await sliced.check()).toEqual(await whole.check())
  }, 30_000)

  test('is finished by whoever needs it at once, and built once', async () => {
    const [begun, whole] = [openVirtual(1, hurried()).venue, openVirtual(1).venue]
    const asked = get(begun, '/v1/public/futures')
    await new Promise((resolve) => setImmediate(resolve))
    expect(begun.exchange.isOpen()).toBe(false)
    const simulation = begun.exchange.simulation()
    expect(begun.exchange.simulation()).toBe(simulation)
    expect((await asked).data).toEqual((await get(whole, '/v1/public/futures')).data)
    expect(await begun.check()).toEqual(await whole.check())
  }, 30_000)
})

describe('a world that is hours behind its clock', () => {
  test('goes there in slices: whoever asks of it waits, and nobody else', async () => {
    const { venue } = openVirtual(1, hurried())
    await get(venue, '/v1/public/futures')
    pass(venue, 2 * HOUR_MS)
    const order: string[] = []
    const asked = get(venue, '/v1/public/futures').then((answer) => {
      order.push('futures')
      return answer
    })
    for (let turn = 0; turn < 20; turn++) {
      const { timestamp } = await get(venue, '/v1/public/system_info')
      expect(timestamp).toBe(START_MS + 2 * HOUR_MS)
      await new Promise((resolve) => setImmediate(resolve))
      order.push('status')
    }
    expect(order).toEqual(Array.from({ length: 20 }, () => 'status'))
    expect((await asked).data.rows.length).toBeGreaterThan(0)
    await venue.arrived()
    const { nowMs, broken } = await venue.check()
    expect(nowMs).toBe(START_MS + 2 * HOUR_MS)
    expect(broken).toEqual([])
  })

  test('is stored when it is there, in turns of its own: whoever asks of it waits, and nobody else', async () => {
    let [ms, isSliced] = [0, false]
    const elapsed = () => {
      if (isSliced) ms += 5
      return ms
    }
    const { venue, entities, reopened } = openVirtual(1, elapsed, START_MS, MARKETS)
    await get(venue, '/v1/public/futures')
    // More events than a world is left with unsaved.
    pass(venue, 9 * HOUR_MS)
    isSliced = true
    let isThere = false
    const asked = get(venue, '/v1/public/futures').then(() => {
      isThere = true
    })
    let turns = 0
    for (; venue.exchange.isSaving(); turns++) {
      expect((await get(venue, '/v1/public/system_info')).success).toBe(true)
      expect(isThere).toBe(false)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(turns).toBeGreaterThan(10)
    await asked
    isSliced = false
    expect([...entities.load('engine-snapshot')]).toHaveLength(1)
    expect(await reopened().check()).toEqual(await venue.check())
  })

  test('comes to be the world that it would have been in one go, also after a stop of hours', async () => {
    const [sliced, whole] = [openVirtual(1, hurried()), openVirtual(1)]
    for (const { venue } of [sliced, whole]) {
      await get(venue, '/v1/public/futures')
      pass(venue, HOUR_MS)
    }
    await sliced.venue.arrived()
    sliced.venue.time.advance?.(2 * HOUR_MS)
    const again = sliced.reopened()
    await get(again, '/v1/public/futures')
    pass(whole.venue, 2 * HOUR_MS)
    expect(await again.check()).toEqual(await whole.venue.check())
  })

  test('hears of nothing before it is there: requests come in the order in which they were made', async () => {
    const { venue } = openVirtual(2, hurried())
    await get(venue, '/v1/public/futures')
    pass(venue, HOUR_MS / 2)
    const done: number[] = []
    const paths = ['/v1/public/futures', '/v1/public/funding_rates', '/v1/public/insurancefund']
    await Promise.all(paths.map((path, at) => get(venue, path).then(() => done.push(at))))
    expect(done).toEqual([0, 1, 2])
  })
})

test('what needs no market is answered without building one', async () => {
  const { venue, entities } = openVirtual(1, undefined, START_MS, MARKETS)
  for (const path of WORLDLESS) await venue.answer(publicGet(path.replace('/{symbol}', '')))
  venue.advance()
  pass(venue, 9 * HOUR_MS)
  await get(venue, '/v1/public/system_info')
  // Nine hours have more events than a world is left with unsaved.
  expect([...entities.load('engine-snapshot')]).toEqual([])
  await get(venue, '/v1/public/futures')
  expect([...entities.load('engine-snapshot')].length).toBeGreaterThan(0)
})
