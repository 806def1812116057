import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Store } from '../../src/core/ports.ts'
import type { Standby } from '../../src/core/standby.ts'

type Kept = Pick<Store, 'standbys' | 'sweep' | 'close'>

const MINUTE_MS = 60_000

const PAIR = { accountId: 'account', publicKey: 'key' }

function standbyOf(own: Partial<Standby>): Standby {
  return {
    ...PAIR,
    cancels: [{ path: '/v1/orders', timestamp: '1000', signature: 'signed' }],
    signedAtMs: 1000,
    afterMs: 1000,
    dueAtMs: 2000,
    endsAtMs: 261_000,
    state: 'armed',
    changedAtMs: 1000,
    failure: null,
    ...own,
  }
}

/** What every store must do with standby cancels. `open` gives a fresh, empty one each time. */
export function standbyContract(name: string, open: () => Kept | Promise<Kept>): void {
  describe(`standby cancels in ${name}`, () => {
    let store: Kept
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())

    test('a standby gives way to one that was signed later, and to no other', async () => {
      const first = standbyOf({ signedAtMs: 1000 })
      expect(await store.standbys.find(PAIR)).toBeNull()
      expect(await store.standbys.arm(first)).toBe(true)
      expect(await store.standbys.arm({ ...first, afterMs: 1 })).toBe(false)
      expect(await store.standbys.find(PAIR)).toEqual(first)
      const later = standbyOf({ signedAtMs: 1001, endsAtMs: first.endsAtMs - 1 })
      expect(await store.standbys.arm(later)).toBe(true)
      expect(await store.standbys.arm(first)).toBe(false)
      expect(await store.standbys.find(PAIR)).toEqual(later)
      expect(await store.standbys.find({ ...PAIR, publicKey: 'other' })).toBeNull()
    })

    test('an armed standby is withdrawn once, and is not taken afterwards', async () => {
      await store.standbys.arm(standbyOf({ dueAtMs: 2000 }))
      expect(await store.standbys.withdraw({ ...PAIR, publicKey: 'other' }, 1500)).toBe(false)
      expect(await store.standbys.withdraw(PAIR, 1500)).toBe(true)
      expect(await store.standbys.withdraw(PAIR, 1500)).toBe(false)
      const ended = { state: 'withdrawn', changedAtMs: 1500, cancels: [] }
      expect(await store.standbys.find(PAIR)).toMatchObject(ended)
      expect(await store.standbys.take(9000, 9999, 5)).toEqual([])
    })

    test('a standby is put off while its caller is heard, never brought forward, and not beyond its end', async () => {
      const put = async (atMs: number) => {
        await store.standbys.postpone([
          { ...PAIR, publicKey: 'other', atMs: 99_000 },
          { ...PAIR, atMs },
        ])
        return (await store.standbys.find(PAIR))?.dueAtMs
      }
      await store.standbys.arm(standbyOf({ afterMs: 500, dueAtMs: 2000, endsAtMs: 5000 }))
      expect(await put(1600)).toBe(2100)
      expect(await put(1000)).toBe(2100)
      expect(await put(4999)).toBe(5000)
    })

    test('of many who take what is due at once, one gets each, and another when its time is over', async () => {
      await store.standbys.arm(standbyOf({ dueAtMs: 2000 }))
      expect(await store.standbys.take(1999, 3000, 5)).toEqual([])
      const taken = await Promise.all(
        Array.from({ length: 4 }, () => store.standbys.take(2000, 3000, 5)),
      )
      const [mine] = taken.flat()
      expect(taken.flat()).toHaveLength(1)
      if (!mine) throw new RangeError('none was taken')
      expect(mine).toMatchObject({ ...PAIR, state: 'sending', dueAtMs: 3000 })
      expect(await store.standbys.withdraw(PAIR, 2001)).toBe(false)
      expect(await store.standbys.arm(standbyOf({ signedAtMs: 2001 }))).toBe(false)
      expect(await store.standbys.take(3000, 4000, 5)).toHaveLength(1)
      const { cancels, failure } = mine
      const cancelled = {
        state: 'cancelled',
        cancels,
        failure,
        dueAtMs: 0,
        changedAtMs: 0,
      } as const
      expect(await store.standbys.put(mine, cancelled)).toBe(false)
      expect(await store.standbys.put({ ...mine, dueAtMs: 4000 }, cancelled)).toBe(true)
      expect(await store.standbys.find(PAIR)).toMatchObject({ state: 'cancelled' })
      expect(await store.standbys.take(9000, 9999, 5)).toEqual([])
    })

    test('what became of a standby is forgotten after thirty days, and one that is armed never', async () => {
      const other = { ...PAIR, publicKey: 'other' }
      await store.standbys.arm(standbyOf({ changedAtMs: 0 }))
      await store.standbys.arm({ ...standbyOf({ changedAtMs: 0 }), ...other })
      await store.standbys.withdraw(other, Date.now() - 30 * 24 * 60 * MINUTE_MS - MINUTE_MS)
      await store.standbys.arm({ ...standbyOf({}), publicKey: 'third' })
      await store.standbys.withdraw({ ...PAIR, publicKey: 'third' }, Date.now() - MINUTE_MS)
      expect(await store.sweep(Date.now(), 5)).toBe(1)
      expect(await store.standbys.find(other)).toBeNull()
      expect(await store.standbys.find(PAIR)).toMatchObject({ state: 'armed' })
      expect(await store.standbys.find({ ...PAIR, publicKey: 'third' })).not.toBeNull()
      expect(await store.standbys.counts()).toEqual([
        { state: 'armed', count: 1 },
        { state: 'withdrawn', count: 1 },
      ])
    })
  })
}
