import { describe, expect, test } from 'bun:test'
import type { EmbeddedVenue } from '../../src/venue/embedded.ts'
import { WORLDLESS } from '../../src/venue/rest/public/static.ts'
import { openVirtual, START_MS } from './embedded-fixture.ts'
import { publicGet } from './trading-wallet.ts'

const HOUR_MS = 3_600_000

async function get(venue: EmbeddedVenue, path: string) {
  return JSON.parse((await venue.answer(publicGet(path))).body)
}

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

test('what needs no market is answered without building one', async () => {
  const { venue } = openVirtual(1)
  for (const path of WORLDLESS) await venue.answer(publicGet(path.replace('/{symbol}', '')))
  venue.advance()
  venue.time.advance?.(HOUR_MS)
  venue.advance()
  await get(venue, '/v1/public/system_info')
  expect(venue.exchange.isOpen()).toBe(false)
  await get(venue, '/v1/public/futures')
  expect(venue.exchange.isOpen()).toBe(true)
})
