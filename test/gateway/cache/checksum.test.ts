import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Store } from '../../../src/core/ports.ts'
import { verifyChecksum, withChecksum } from '../../../src/gateway/cache/checksum.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { KEY, LIFETIME, openFixture } from './fixture.ts'

const BYTES = fc.uint8Array({ maxLength: 300 })

describe('a kept answer', () => {
  test('comes back as it was', () => {
    fc.assert(
      fc.property(BYTES, fc.string(), fc.nat(), (bytes, key, fetchedAtMs) => {
        const kept = withChecksum(key, { bytes, fetchedAtMs })
        expect(verifyChecksum(key, kept)).toEqual(bytes)
      }),
    )
  })

  test('of which a bit, the key or the time is another is none', () => {
    fc.assert(
      fc.property(BYTES, fc.nat(), (bytes, at) => {
        const kept = withChecksum('key', { bytes, fetchedAtMs: 5 })
        expect(verifyChecksum('other', kept)).toBeNull()
        expect(verifyChecksum('key', { ...kept, fetchedAtMs: 6 })).toBeNull()
        const damaged = Uint8Array.from(kept.bytes)
        const bit = at % (damaged.length * 8)
        damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        expect(verifyChecksum('key', { bytes: damaged, fetchedAtMs: 5 })).toBeNull()
      }),
    )
  })

  test('shorter than a checksum is none', () => {
    expect(verifyChecksum('key', { bytes: new Uint8Array(3), fetchedAtMs: 5 })).toBeNull()
  })

  test('that was damaged in the store is loaded again, and never served', async () => {
    const { responses } = openSqlite(':memory:', 0)
    const damaging: Pick<Store['responses'], 'get' | 'put' | 'clear'> = {
      get: async (key) => {
        const stored = await responses.get(key)
        return (
          stored && {
            ...stored,
            bytes: stored.bytes.map((byte, at) => (at === 9 ? byte ^ 1 : byte)),
          }
        )
      },
      put: responses.put,
      clear: responses.clear,
    }
    const { cache, restart, venue, lines } = openFixture(1_000_000, damaging)
    await cache.serve(KEY, LIFETIME, venue.load)
    expect((await restart().serve(KEY, LIFETIME, venue.load)).state).toBe('miss')
    expect(venue.calls).toBe(2)
    expect(lines.map(({ event }) => event)).toEqual(['cache.store_damaged'])
  })
})
