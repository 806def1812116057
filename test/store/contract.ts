import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Claim } from '../../src/core/claim.ts'
import type { Store } from '../../src/core/ports.ts'

const NOW_MS = 1_700_000_000_000
/** A claim of something that cannot have been claimed before this moment. */
export function claimOf(identity: string, expiresAtMs: number): Claim {
  return { identity, sinceMs: NOW_MS, expiresAtMs }
}

const bytes = (text: string) => new TextEncoder().encode(text)

/** What every store must do. `open` gives a fresh, empty one each time. */
export function storeContract(name: string, open: () => Store): void {
  describe(`the ${name} store`, () => {
    let store: Store
    beforeEach(() => {
      store = open()
    })
    afterEach(() => store.close())

    describe('nonces', () => {
      test('an issued nonce is burnt once, and never again', async () => {
        await store.nonces.issue('n1', NOW_MS + 1000)
        expect(await store.nonces.burn('n1', NOW_MS)).toBe(true)
        expect(await store.nonces.burn('n1', NOW_MS)).toBe(false)
      })

      test('an unknown nonce is not burnt', async () => {
        await store.nonces.issue('n1', NOW_MS + 1000)
        expect(await store.nonces.burn('n2', NOW_MS)).toBe(false)
        expect(await store.nonces.burn('n1', NOW_MS)).toBe(true)
      })

      test('a nonce is not burnt from its expiry on', async () => {
        await store.nonces.issue('n1', NOW_MS)
        expect(await store.nonces.burn('n1', NOW_MS)).toBe(false)
      })

      test('a released nonce is burnt once more, until its expiry', async () => {
        await store.nonces.issue('n1', NOW_MS + 1000)
        await store.nonces.burn('n1', NOW_MS)
        await store.nonces.release('n1', NOW_MS + 1000)
        expect(await store.nonces.burn('n1', NOW_MS + 1000)).toBe(false)
        expect(await store.nonces.burn('n1', NOW_MS + 999)).toBe(true)
        expect(await store.nonces.burn('n1', NOW_MS + 999)).toBe(false)
      })
    })

    describe('claims', () => {
      test('an identity is claimed once until its expiry', async () => {
        expect(await store.once.claim(claimOf('a', NOW_MS + 1000), NOW_MS)).toBe(true)
        expect(await store.once.claim(claimOf('a', NOW_MS + 9000), NOW_MS + 999)).toBe(false)
        expect(await store.once.claim(claimOf('b', NOW_MS + 1000), NOW_MS)).toBe(true)
      })

      test('an expired claim may be made again, once, without a sweep', async () => {
        await store.once.claim(claimOf('a', NOW_MS + 1000), NOW_MS)
        expect(await store.once.claim(claimOf('a', NOW_MS + 5000), NOW_MS + 1000)).toBe(true)
        expect(await store.once.claim(claimOf('a', NOW_MS + 5000), NOW_MS + 1000)).toBe(false)
      })

      test('a released identity may be claimed again; releasing an unknown one changes nothing', async () => {
        await store.once.claim(claimOf('a', NOW_MS + 1000), NOW_MS)
        await store.once.release('b')
        expect(await store.once.claim(claimOf('a', NOW_MS + 1000), NOW_MS)).toBe(false)
        await store.once.release('a')
        expect(await store.once.claim(claimOf('a', NOW_MS + 1000), NOW_MS)).toBe(true)
      })
    })

    describe('windows', () => {
      test('a saved window is loaded with its last time, fractions included', () => {
        store.windows.save([{ key: 'read 1.2.3.4', atMs: NOW_MS + 10 }])
        store.windows.save([{ key: 'read 1.2.3.4', atMs: NOW_MS + 100.25 }])
        expect([...store.windows.load(NOW_MS)]).toEqual([
          { key: 'read 1.2.3.4', atMs: NOW_MS + 100.25 },
        ])
      })

      test('a window whose time is past is not loaded', () => {
        store.windows.save([
          { key: 'past', atMs: NOW_MS },
          { key: 'live', atMs: NOW_MS + 1 },
        ])
        expect([...store.windows.load(NOW_MS)].map(({ key }) => key)).toEqual(['live'])
      })

      test('more windows than one page are all loaded, each once', () => {
        const saved = Array.from({ length: 2500 }, (_, n) => ({
          key: `k${n}`,
          atMs: NOW_MS + 1 + n,
        }))
        store.windows.save(saved)
        const loaded = [...store.windows.load(NOW_MS)]
        expect(loaded).toHaveLength(2500)
        expect(new Set(loaded.map(({ key }) => key)).size).toBe(2500)
      })

      test('a load left half way, with writes in between, holds nothing back', () => {
        const saved = Array.from({ length: 1500 }, (_, n) => ({ key: `k${n}`, atMs: NOW_MS + 1 }))
        store.windows.save(saved)
        for (const { key } of store.windows.load(NOW_MS)) {
          store.windows.save([{ key, atMs: NOW_MS + 2 }])
          break
        }
        expect([...store.windows.load(NOW_MS + 1)]).toHaveLength(1)
      })
    })

    describe('proofs', () => {
      test('a pair is proven from add to remove, and only that pair', async () => {
        expect(await store.proofs.has('acc', 'key')).toBe(false)
        await store.proofs.add('acc', 'key', NOW_MS)
        await store.proofs.add('acc', 'key', NOW_MS + 1)
        expect(await store.proofs.has('acc', 'key')).toBe(true)
        expect(await store.proofs.has('acc', 'other')).toBe(false)
        expect(await store.proofs.has('other', 'key')).toBe(false)
        await store.proofs.remove('acc', 'other')
        expect(await store.proofs.has('acc', 'key')).toBe(true)
        await store.proofs.remove('acc', 'key')
        expect(await store.proofs.has('acc', 'key')).toBe(false)
      })
    })

    describe('responses', () => {
      test('an answer comes back byte for byte, with the time it was fetched', async () => {
        const body = Uint8Array.from([0, 255, 34, 10, 128])
        await store.responses.put('k', { bytes: body, fetchedAtMs: NOW_MS }, NOW_MS + 1000)
        const found = await store.responses.get('k')
        expect(found?.fetchedAtMs).toBe(NOW_MS)
        expect([...(found?.bytes ?? [])]).toEqual([...body])
        expect(await store.responses.get('other')).toBeNull()
      })

      test('all are gone once they are cleared, and others can be put', async () => {
        const response = { bytes: Uint8Array.of(1), fetchedAtMs: NOW_MS }
        await store.responses.put('k', response, NOW_MS + 1000)
        await store.responses.clear()
        expect(await store.responses.get('k')).toBeNull()
        await store.responses.put('k', response, NOW_MS + 1000)
        expect(await store.responses.get('k')).not.toBeNull()
      })

      test('a second answer replaces the first', async () => {
        await store.responses.put('k', { bytes: bytes('one'), fetchedAtMs: NOW_MS }, NOW_MS + 1000)
        await store.responses.put(
          'k',
          { bytes: bytes('two'), fetchedAtMs: NOW_MS + 5 },
          NOW_MS + 2000,
        )
        expect(await store.responses.get('k')).toEqual({
          bytes: bytes('two'),
          fetchedAtMs: NOW_MS + 5,
        })
        expect(await store.sweep(NOW_MS + 1000, 10)).toBe(0)
      })
    })

    describe('a sweep', () => {
      async function fill(count: number, expiresAtMs: number): Promise<void> {
        for (let n = 0; n < count; n += 1) {
          await store.nonces.issue(`n${n}-${expiresAtMs}`, expiresAtMs)
          await store.once.claim(claimOf(`c${n}-${expiresAtMs}`, expiresAtMs), NOW_MS)
          store.windows.save([{ key: `w${n}-${expiresAtMs}`, atMs: expiresAtMs }])
          const response = { bytes: bytes('{}'), fetchedAtMs: NOW_MS }
          await store.responses.put(`r${n}-${expiresAtMs}`, response, expiresAtMs)
        }
      }

      test('deletes what has expired and nothing else', async () => {
        await fill(2, NOW_MS + 10)
        await fill(1, NOW_MS + 11)
        await store.proofs.add('acc', 'key', NOW_MS)
        expect(await store.sweep(NOW_MS + 9, 100)).toBe(0)
        expect(await store.sweep(NOW_MS + 10, 100)).toBe(8)
        expect(await store.sweep(NOW_MS + 10, 100)).toBe(0)
        expect(await store.nonces.burn(`n0-${NOW_MS + 11}`, NOW_MS + 10)).toBe(true)
        expect(await store.responses.get(`r0-${NOW_MS + 10}`)).toBeNull()
        expect(await store.responses.get(`r0-${NOW_MS + 11}`)).not.toBeNull()
        expect([...store.windows.load(NOW_MS)]).toHaveLength(1)
        expect(await store.proofs.has('acc', 'key')).toBe(true)
      })

      test('deletes no more rows of a kind than it is told', async () => {
        await fill(5, NOW_MS + 10)
        expect(await store.sweep(NOW_MS + 10, 2)).toBe(8)
        expect(await store.sweep(NOW_MS + 10, 2)).toBe(8)
        expect(await store.sweep(NOW_MS + 10, 2)).toBe(4)
      })
    })

    test('closes twice without complaint', () => {
      store.close()
      expect(() => store.close()).not.toThrow()
    })
  })
}
