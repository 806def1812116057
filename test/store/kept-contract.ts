import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Claim } from '../../src/core/claim.ts'
import type { Store } from '../../src/core/ports.ts'
import { createSteadyTime } from '../../src/gateway/steady-time.ts'

/** What must never be forgotten, wherever it is kept. */
export type Kept = Pick<
  Store,
  'nonces' | 'once' | 'proofs' | 'controls' | 'spending' | 'sweep' | 'close'
>

const MINUTE_MS = 60_000
/** By the wall's clock, which is the engine's; a minute is further away than any test takes. */
const pastMs = () => Date.now() - MINUTE_MS
const laterMs = () => Date.now() + MINUTE_MS

function claimOf(identity: string, expiresAtMs: number): Claim {
  return { identity, sinceMs: Date.now(), expiresAtMs }
}

/** What every store must do with it. `open` gives a fresh, empty one each time. */
export function keptContract(name: string, open: () => Kept | Promise<Kept>): void {
  describe(`what ${name} never forgets`, () => {
    let store: Kept
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())
    const burn = (nonce: string) => store.nonces.burn(nonce, Date.now())
    const claim = (identity: string, expiresAtMs = laterMs()) =>
      store.once.claim(claimOf(identity, expiresAtMs), Date.now())

    test('a nonce is burnt once, and only one that was issued and has not expired', async () => {
      await store.nonces.issue('n', laterMs())
      await store.nonces.issue('old', pastMs())
      expect(await burn('other')).toBe(false)
      expect(await burn('old')).toBe(false)
      expect(await burn('n')).toBe(true)
      expect(await burn('n')).toBe(false)
    })

    test('expired rows are deleted by the time of housekeeping, whose monotonic clock has fractions', async () => {
      await store.nonces.issue('old', pastMs())
      let passedMs = 5000.875
      const wallMs = Date.now()
      const time = createSteadyTime({
        clock: { nowMs: () => wallMs + Math.ceil(passedMs) },
        monotonicMs: () => passedMs,
        holdMs: 0,
      })
      time()
      passedMs += 3.25
      const atMs = Number(time())
      expect(await store.sweep(atMs, 100)).toBe(1)
      expect(await store.spending.prune(atMs, 100)).toBe(0)
    })

    test('a released nonce is burnt once more; purged ones are not', async () => {
      await store.nonces.issue('n', laterMs())
      await burn('n')
      await store.nonces.release('n', laterMs())
      expect(await burn('n')).toBe(true)
      await store.nonces.issue('m', laterMs())
      expect(await store.nonces.list(10)).toMatchObject({ count: 1, rows: [{ nonce: 'm' }] })
      expect(await store.nonces.purge()).toBe(1)
      expect(await burn('m')).toBe(false)
    })

    test('of many who burn a nonce at once, one does', async () => {
      await store.nonces.issue('n', laterMs())
      const burnt = await Promise.all(Array.from({ length: 8 }, () => burn('n')))
      expect(burnt.filter(Boolean)).toHaveLength(1)
    })

    test('an identity is claimed once until it expires or is released', async () => {
      expect(await claim('a')).toBe(true)
      expect(await claim('a')).toBe(false)
      expect(await claim('b', pastMs())).toBe(true)
      expect(await claim('b')).toBe(true)
      expect(await claim('b')).toBe(false)
      await store.once.release('never claimed')
      await store.once.release('a')
      expect(await claim('a')).toBe(true)
    })

    test('of many who claim an identity at once, one does', async () => {
      const won = await Promise.all(Array.from({ length: 8 }, () => claim('a')))
      expect(won.filter(Boolean)).toHaveLength(1)
    })

    test('claims are listed, the newest first, and found with the moment of their end', async () => {
      const endMs = laterMs()
      await claim('a', endMs)
      await claim('b', endMs + 1)
      expect(await store.once.list(1)).toEqual({
        count: 2,
        rows: [{ identity: 'b', expiresAtMs: endMs + 1 }],
      })
      expect(await store.once.find('a')).toEqual({ expiresAtMs: endMs, record: null })
      expect(await store.once.find('c')).toBeNull()
    })

    test('a claim keeps its record until it is settled or given back', async () => {
      const claimed = { identity: 'a', sinceMs: Date.now(), expiresAtMs: laterMs(), record: 'sent' }
      expect(await store.once.claim(claimed, Date.now())).toBe(true)
      expect(await store.once.claim({ ...claimed, record: 'other' }, Date.now())).toBe(false)
      expect((await store.once.find('a'))?.record).toBe('sent')
      await store.once.settle('a', 'accepted')
      await store.once.settle('never claimed', 'accepted')
      expect((await store.once.find('a'))?.record).toBe('accepted')
      expect(await store.once.find('never claimed')).toBeNull()
      await store.once.release('a')
      await store.once.claim({ ...claimed, record: 'again' }, Date.now())
      expect((await store.once.find('a'))?.record).toBe('again')
    })

    test('a pair is proven from add to remove, and only that pair', async () => {
      expect(await store.proofs.has('acc', 'key')).toBe(false)
      await store.proofs.add('acc', 'key', Date.now())
      await store.proofs.add('acc', 'key', Date.now())
      expect(await store.proofs.has('acc', 'key')).toBe(true)
      expect(await store.proofs.has('acc', 'other')).toBe(false)
      await store.proofs.remove('acc', 'other')
      expect(await store.proofs.has('acc', 'key')).toBe(true)
      await store.proofs.remove('acc', 'key')
      expect(await store.proofs.has('acc', 'key')).toBe(false)
    })

    test('an act and what it changes are recorded together, the newest act first', async () => {
      const entry = {
        atMs: Date.now(),
        act: 'block',
        fields: { caller: '1.2.3.4' },
        fingerprint: 'f',
      }
      await store.controls.commit(entry, [{ kind: 'block', key: '1.2.3.4', value: '1' }])
      await store.controls.commit({ ...entry, act: 'unblock' }, [
        { kind: 'block', key: '1.2.3.4', value: null },
        { kind: 'maintenance', key: '', value: 'Back soon.' },
      ])
      expect(await store.controls.load()).toEqual([
        { kind: 'maintenance', key: '', value: 'Back soon.' },
      ])
      const acts = await store.controls.audit(10)
      expect(acts.map(({ act, fields }) => ({ act, fields }))).toEqual([
        { act: 'unblock', fields: entry.fields },
        { act: 'block', fields: entry.fields },
      ])
      expect(await store.controls.audit(1)).toHaveLength(1)
    })

    test('a sweep deletes what has expired, no more than it is told, and nothing else', async () => {
      for (const n of [1, 2, 3]) {
        await store.nonces.issue(`old ${n}`, pastMs())
        await claim(`old ${n}`, pastMs())
      }
      await store.nonces.issue('n', laterMs())
      await claim('a')
      expect(await store.sweep(Date.now(), 2)).toBe(4)
      expect(await store.sweep(Date.now(), 2)).toBe(2)
      expect(await store.sweep(Date.now(), 2)).toBe(0)
      expect(await burn('n')).toBe(true)
      expect(await claim('a')).toBe(false)
    })

    test('closes twice without complaint', () => {
      store.close()
      expect(() => store.close()).not.toThrow()
    })
  })
}
