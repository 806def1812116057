import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { LIMITS } from '../../src/contract/limits.ts'
import type { Store } from '../../src/core/ports.ts'
import { exceedsDay, type ReservedUse } from '../../src/core/spending.ts'
import { runs } from '../runs.ts'

type Kept = Pick<Store, 'spending'> & { readonly close: () => void }

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const NEVER = Number.MAX_SAFE_INTEGER

/** Refuses what would take a day above a cap, with what is used. */
function under(cap: bigint, micros: bigint) {
  return (used: ReservedUse) => (exceedsDay(used, micros, cap) ? used : null)
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

    test('a day counts a reservation until its minute is 24 hours old, and the rate until its second is a minute old', async () => {
      expect(await reserve('a', 5n, MINUTE_MS - 1)).toBeNull()
      expect(await reserve('b', 7n, MINUTE_MS + 500)).toBeNull()
      const used = (atMs: number) => store.spending.used('mine', atMs)
      expect(await used(2 * MINUTE_MS - 1)).toMatchObject({
        dayMicros: 12n,
        dayRenewsAtMs: MINUTE_MS + DAY_MS,
        dayOrders: 2,
        minuteOrders: 2,
        minuteRenewsAtMs: 2 * MINUTE_MS,
      })
      expect(await used(2 * MINUTE_MS)).toMatchObject({ dayMicros: 12n, minuteOrders: 1 })
      expect(await used(MINUTE_MS + DAY_MS - 1)).toMatchObject({ dayMicros: 12n, minuteOrders: 0 })
      expect(await used(MINUTE_MS + DAY_MS)).toMatchObject({ dayMicros: 7n, dayOrders: 1 })
      const nothing = { dayMicros: 0n, dayOrders: 0, dayRenewsAtMs: null, minuteRenewsAtMs: null }
      expect(await used(2 * MINUTE_MS + DAY_MS)).toMatchObject(nothing)
      expect(await store.spending.used('another', 2000)).toMatchObject(nothing)
    })

    test('a day renews with the oldest order that has a value, not with one that has none', async () => {
      await reserve('reduces', 0n, 1000)
      expect(await store.spending.used('mine', 1000)).toMatchObject({ dayRenewsAtMs: null })
      await reserve('opens', 7n, MINUTE_MS)
      expect(await store.spending.used('mine', MINUTE_MS)).toMatchObject({
        dayRenewsAtMs: 2 * MINUTE_MS + DAY_MS,
        minuteRenewsAtMs: 2000 + MINUTE_MS,
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

    test('a write that is never settled is unseen until figures must show it, and one without that time for a day', async () => {
      const uses = [{ symbol: 'PERP_ETH_USDC', micros: 60n, orders: 1 }]
      const write = { scope: 'mine', identity: 'a', atMs: 0, uses, seenByMs: 360_000 }
      await store.spending.reserve(write, () => null, NEVER)
      await reserve('b', 5n)
      const unseen = async (sinceMs: number) =>
        (await store.spending.used('mine', 0, sinceMs)).unseen.get('PERP_ETH_USDC')
      const untilMs = async () => (await store.spending.used('mine', 0, 1000)).unseenUntilMs
      expect(await unseen(360_000)).toBe(65n)
      expect(await unseen(360_001)).toBe(5n)
      await store.spending.settle({ scope: 'mine', identity: 'a' }, 1000)
      expect(await unseen(1000)).toBe(65n)
      expect(await unseen(1001)).toBe(5n)
      expect(await untilMs()).toBe(Number.MAX_SAFE_INTEGER)
      await store.spending.settle({ scope: 'mine', identity: 'b' }, 2000)
      expect(await untilMs()).toBe(2000)
      expect(await store.spending.used('mine', 0, 2001)).not.toHaveProperty('unseenUntilMs')
    })

    test('a write is unseen until it is settled, and by figures that were asked for before', async () => {
      await reserve('a', 60n)
      await reserve('b', 5n)
      await store.spending.settle({ scope: 'mine', identity: 'a' }, 1000)
      const unseen = async (sinceMs: number) => {
        const found: bigint[] = []
        const reservation = { scope: 'mine', identity: 'c', atMs: 0, uses: [] }
        const look = (used: ReservedUse) => {
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
          const used = await store.spending.used(scope, 0)
          const { dayMicros } = used
          const taken = amounts.filter((_, at) => refused[at] === null)
          expect(dayMicros).toBe(taken.reduce((sum, micros) => sum + micros, 0n))
          expect(dayMicros).toBeLessThanOrEqual(100n)
          for (const [at, micros] of amounts.entries())
            if (refused[at] !== null) expect(exceedsDay(used, micros, 100n)).toBe(true)
        }),
        { numRuns: runs(20) },
      )
    })

    test('a write that was given back is not counted, whatever it was worth beside others', async () => {
      const most = 10n ** 15n
      const huge = Array.from({ length: 10 }, () => ({ symbol: 'X', micros: most, orders: 1 }))
      await reserve('small', 3n)
      const reserveHuge = (from: number, to: number) =>
        Promise.all(
          Array.from({ length: to - from }, (_, at) => {
            const reservation = {
              scope: 'mine',
              identity: `huge ${from + at}`,
              atMs: 0,
              uses: huge,
            }
            return store.spending.reserve(reservation, () => null, NEVER)
          }),
        )
      const used = () => store.spending.used('mine', 0)
      await reserveHuge(0, 500)
      expect((await used()).dayMicros).toBe(5000n * most + 3n)
      for (let at = 0; at < 500; at += 1)
        await store.spending.release({ scope: 'mine', identity: `huge ${at}` })
      expect(await used()).toMatchObject({ dayMicros: 3n, dayOrders: 1, minuteOrders: 1 })
      expect([...(await used()).unseen.keys()]).toEqual(['PERP_ETH_USDC'])
      // A sum that no integer of a file holds stops no write.
      await reserveHuge(500, 1500)
      expect((await used()).dayMicros).toBeGreaterThanOrEqual(9000n * most)
    })

    test('of a write with a refused order only the others count, by the ids that the venue gave them', async () => {
      const uses = [2n, 3n, 5n].map((micros) => ({ symbol: 'X', micros, orders: 1 }))
      const write = { scope: 'mine', identity: 'batch' }
      await store.spending.reserve({ ...write, atMs: 0, uses }, () => null, NEVER)
      const taken = (orderId: string) => ({ orderId, isRefused: false })
      const refused = { orderId: null, isRefused: true }
      await store.spending.settle(write, 1, [taken('7'), refused, taken('8')])
      expect(await store.spending.used('mine', 0)).toMatchObject({ dayMicros: 7n, minuteOrders: 2 })
      await store.spending.fill('mine', [{ orderId: '8', micros: 1n }])
      expect(await store.spending.used('mine', 0)).toMatchObject({ dayMicros: 3n, dayOrders: 2 })
    })

    test('rows stay below their maximum; what the oldest orders used stays used', async () => {
      const uses = Array.from({ length: 500 }, () => ({ symbol: 'X', micros: 2n, orders: 1 }))
      const writes = LIMITS.spendingRowsMax / uses.length + 2
      for (let at = 0; at < writes; at += 1) {
        const write = { scope: 'mine', identity: `write ${at}` }
        await store.spending.reserve({ ...write, atMs: at * MINUTE_MS, uses }, () => null, NEVER)
        await store.spending.settle(write, 1, [{ orderId: String(at), isRefused: false }])
      }
      const used = () => store.spending.used('mine', writes * MINUTE_MS)
      const all = writes * uses.length
      expect(await used()).toMatchObject({ dayOrders: all, dayMicros: 2n * BigInt(all) })
      // The fills of the oldest order are not known any more, those of a later one are.
      await store.spending.fill('mine', [{ orderId: '0', micros: 0n }])
      expect((await used()).dayMicros).toBe(2n * BigInt(all))
      await store.spending.fill('mine', [{ orderId: String(writes - 1), micros: 0n }])
      expect((await used()).dayMicros).toBe(2n * BigInt(all) - 2n)
      expect(await store.spending.prune((writes + 1) * MINUTE_MS + DAY_MS, 2 * all)).toBe(
        LIMITS.spendingRowsMax,
      )
    })

    test('a sum beyond every number of JavaScript stays exact', async () => {
      const most = 10n ** 15n
      for (let at = 0; at < 20; at += 1) await reserve(`order ${at}`, at === 0 ? most - 1n : most)
      expect((await store.spending.used('mine', 0)).dayMicros).toBe(20n * most - 1n)
    })
  })
}
