import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createRequestContext, inRequest } from '../../../src/core/observing/request-context.ts'
import { createStoreShare, DISK_COSTS } from '../../../src/gateway/cache/store-share.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { FRESH_ONLY, LIFETIME, openFixture, START_MS } from './fixture.ts'

const MINUTE_MAX_BYTES = 1024 * 1024
const contextOf = (address: string) => createRequestContext('a', address, () => null)

describe('on the disk', () => {
  test('an answer of short use is not kept, and memory still has it', async () => {
    const { cache, store, venue } = openFixture()
    await cache.serve('short', FRESH_ONLY, venue.load)
    await cache.serve('long', LIFETIME, venue.load)
    expect(await store.get('short')).toBeNull()
    expect(await store.get('long')).not.toBeNull()
    expect(cache.peek('short', FRESH_ONLY)?.state).toBe('hit')
  })

  test('one address keeps no more than its share, which another still has and a minute gives back', async () => {
    const { responses, close } = openSqlite(':memory:', 0)
    const { cache, venue, at } = openFixture(undefined, responses)
    const keep = async (address: string, prefix: string) => {
      const keys = Array.from({ length: 200 }, (_, number) => `${prefix}${number}`)
      for (const key of keys) {
        await inRequest(contextOf(address), () => cache.serve(key, LIFETIME, venue.load))
      }
      return (await responses.list(prefix, 1000)).rows.length
    }
    const first = await keep('192.0.2.1', 'a')
    expect(first).toBeWithin(10, 48)
    expect(await keep('192.0.2.1', 'b')).toBe(0)
    expect(await keep('198.51.100.1', 'c')).toBe(first)
    at(60)
    expect(await keep('192.0.2.1', 'd')).toBeWithin(5, first)
    expect(venue.calls).toBe(800)
    close()
  })

  test('no minute sees more than the share, whatever is asked when', () => {
    const asked = fc.array(fc.tuple(fc.nat({ max: 30_000 }), fc.nat({ max: 200_000 })), {
      minLength: 20,
      maxLength: 60,
    })
    fc.assert(
      fc.property(asked, (steps) => {
        const share = createStoreShare({ ...DISK_COSTS, minuteMaxBytes: MINUTE_MAX_BYTES })
        const taken: { atMs: number; bytes: number }[] = []
        let atMs = START_MS
        for (const [waitMs, bytes] of steps) {
          atMs += waitMs
          if (share.take('192.0.2.1', bytes, atMs)) taken.push({ atMs, bytes })
          const minute = taken.filter((one) => one.atMs > atMs - 60_000)
          const sum = minute.reduce((all, one) => all + 2 * one.bytes, 0)
          expect(sum).toBeLessThanOrEqual(MINUTE_MAX_BYTES)
        }
        expect(taken.length).toBeGreaterThan(0)
      }),
    )
  })

  test('a clock that goes back leaves nobody without a share for longer than before', () => {
    const share = createStoreShare({ ...DISK_COSTS, minuteMaxBytes: MINUTE_MAX_BYTES })
    while (share.take('192.0.2.1', 1000, START_MS));
    expect(share.take('192.0.2.1', 1000, START_MS - 3_600_000)).toBe(false)
    expect(share.take('192.0.2.1', 1000, START_MS - 3_600_000 + 180_000)).toBe(true)
  })
})
