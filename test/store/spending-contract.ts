import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Store } from '../../src/core/ports.ts'
import type { Used } from '../../src/core/spending.ts'
import { runs } from '../runs.ts'

type Kept = Pick<Store, 'spending'> & { readonly close: () => void }

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const NEVER = Number.MAX_SAFE_INTEGER

/** Refuses what would take a day above a cap, with what is used. */
function under(cap: bigint, micros: bigint) {
  return (used: Used) => (used.dayMicros + micros > cap ? used : null)
}

/** What every store must do with spending. `open` gives a fresh, empty one each time. */
export function spendingContract(name: string, open: () => Kept | Promise<Kept>): void {
  describe(`spending in ${name}`, () => {
    let store: Kept
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())

    function reserve(identity: string, micros: bigint, atMs = 0, cap = 10n ** 18n, scope = 'mine') {
      const uses = [{ symbol: 'PERP_ETH_USDC', micros, orders: 1 }]
      return store.spending.reserve({ scope, identity, atMs, uses }, under(cap, micros), NEVER)
    }

    test('a day ends 24 hours after each reservation, and a minute after each order', async () => {
      expect(await reserve('a', 5n, 1000)).toBeNull()
      expect(await reserve('b', 7n, 2000)).toBeNull()
      const used = (atMs: number) => store.spending.used('mine', atMs)
      expect(await used(2000)).toMatchObject({
        dayMicros: 12n,
        dayRenewsAtMs: 1000 + DAY_MS,
        dayOrders: 2,
        minuteOrders: 2,
        minuteRenewsAtMs: 1000 + MINUTE_MS,
      })
      expect(await used(1000 + MINUTE_MS)).toMatchObject({ dayMicros: 12n, minuteOrders: 1 })
      expect(await used(999 + DAY_MS)).toMatchObject({ dayMicros: 12n, minuteOrders: 0 })
      expect(await used(1000 + DAY_MS)).toMatchObject({ dayMicros: 7n, dayOrders: 1 })
      const nothing = { dayMicros: 0n, dayOrders: 0, dayRenewsAtMs: null, minuteRenewsAtMs: null }
      expect(await used(2000 + DAY_MS)).toMatchObject(nothing)
      expect(await store.spending.used('another', 2000)).toMatchObject(nothing)
    })

    test('a day renews with the oldest order that has a value, not with one that has none', async () => {
      await reserve('reduces', 0n, 1000)
      expect(await store.spending.used('mine', 1000)).toMatchObject({ dayRenewsAtMs: null })
      await reserve('opens', 7n, 2000)
      expect(await store.spending.used('mine', 2000)).toMatchObject({
        dayRenewsAtMs: 2000 + DAY_MS,
        minuteRenewsAtMs: 1000 + MINUTE_MS,
      })
    })

    test('what a refusal speaks against is not reserved, and a clock that steps back frees nothing', async () => {
      expect(await reserve('a', 60n, DAY_MS, 100n)).toBeNull()
      expect(await reserve('b', 41n, 0, 100n)).toMatchObject({ dayMicros: 60n })
      expect(await reserve('c', 40n, 0, 100n)).toBeNull()
      expect(await reserve('d', 100n, 0, 100n, 'another')).toBeNull()
    })

    test('a write is reserved once, and can be reserved again after it was given back', async () => {
      expect(await reserve('a', 60n, 0, 100n)).toBeNull()
      expect(await reserve('a', 60n, 0, 100n)).toBeNull()
      expect(await store.spending.used('mine', 0)).toMatchObject({ dayMicros: 60n })
      await store.spending.release({ scope: 'another', identity: 'a' })
      expect(await reserve('b', 60n, 0, 100n)).toMatchObject({ dayMicros: 60n })
      await store.spending.release({ scope: 'mine', identity: 'a' })
      expect(await reserve('b', 60n, 0, 100n)).toBeNull()
    })

    test('a write is unseen until it is settled, and by figures that were asked for before', async () => {
      await reserve('a', 60n)
      await reserve('b', 5n)
      await store.spending.settle({ scope: 'mine', identity: 'a' }, 1000)
      const unseen = async (sinceMs: number) => {
        const found: bigint[] = []
        const reservation = { scope: 'mine', identity: 'c', atMs: 0, uses: [] }
        const look = (used: Used) => {
          found.push(used.unseen.get('PERP_ETH_USDC') ?? 0n)
          return used
        }
        await store.spending.reserve(reservation, look, sinceMs)
        return found[0]
      }
      expect(await unseen(1000)).toBe(65n)
      expect(await unseen(1001)).toBe(5n)
    })

    test('of orders that race, none takes a day above its cap, nor holds back one that fits', async () => {
      let round = 0
      await fc.assert(
        fc.asyncProperty(fc.array(fc.bigInt(1n, 60n), { maxLength: 12 }), async (amounts) => {
          round += 1
          const scope = `scope ${round}`
          const refused = await Promise.all(
            amounts.map((micros, at) => reserve(`order ${at}`, micros, 0, 100n, scope)),
          )
          const { dayMicros } = await store.spending.used(scope, 0)
          const taken = amounts.filter((_, at) => refused[at] === null)
          expect(taken.reduce((sum, micros) => sum + micros, 0n)).toBe(dayMicros)
          expect(dayMicros).toBeLessThanOrEqual(100n)
          for (const [at, micros] of amounts.entries())
            if (refused[at] !== null) expect(dayMicros + micros).toBeGreaterThan(100n)
        }),
        { numRuns: runs(20) },
      )
    })

    test('a sum beyond every number of JavaScript stays exact', async () => {
      const most = 10n ** 15n
      for (let at = 0; at < 20; at += 1) await reserve(`order ${at}`, at === 0 ? most - 1n : most)
      expect((await store.spending.used('mine', 0)).dayMicros).toBe(20n * most - 1n)
    })
  })
}
