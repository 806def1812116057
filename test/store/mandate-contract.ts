import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { SignedMandate } from '../../src/core/mandate.ts'
import type { Store } from '../../src/core/ports.ts'

type Kept = Pick<Store, 'mandates' | 'close'>

function mandateOf(own: Partial<SignedMandate> = {}): SignedMandate {
  const limits = { maxOrderUsdc: 1_500_000n, symbols: ['PERP_ETH_USDC'], readOnly: true }
  return { accountId: 'account', limits, counter: 1, frozenBy: 'none', changedAtMs: 1000, ...own }
}

/** What every store must do with mandates. `open` gives a fresh, empty one each time. */
export function mandateContract(name: string, open: () => Kept | Promise<Kept>): void {
  describe(`mandates in ${name}`, () => {
    let store: Kept
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())

    async function found(accountId = 'account') {
      const mandate = await store.mandates.find(accountId)
      if (!mandate) throw new RangeError('there is none')
      return mandate
    }

    test('a mandate gives way to one of a higher counter, and to no other', async () => {
      const first = mandateOf({ counter: 3 })
      expect(await store.mandates.find('account')).toBeNull()
      expect(await store.mandates.put(first)).toBe(true)
      for (const counter of [3, 2, 0])
        expect(await store.mandates.put(mandateOf({ counter, limits: {} }))).toBe(false)
      expect(await found()).toEqual({
        ...first,
        signedAtMs: first.changedAtMs,
        change: expect.any(Number),
      })
      const wide = mandateOf({ counter: 4, limits: {}, changedAtMs: 2000 })
      expect(await store.mandates.put(wide)).toBe(true)
      expect(await found()).toMatchObject(wide)
      expect(await store.mandates.find('other')).toBeNull()
    })

    test('a mandate that was found is tightened, and one that has changed since is not', async () => {
      await store.mandates.put(mandateOf())
      const before = await found()
      const next = { limits: { maxOrderUsdc: 1n }, frozenBy: 'key', changedAtMs: 2000 } as const
      expect(await store.mandates.tighten(before, next)).toBe(true)
      expect(await store.mandates.tighten(before, { ...next, frozenBy: 'none' })).toBe(false)
      expect(await found()).toMatchObject({ ...next, counter: 1 })
      expect(await store.mandates.put(mandateOf({ counter: 1 }))).toBe(false)
      expect(await store.mandates.tighten({ ...before, accountId: 'other' }, next)).toBe(false)
    })

    test('of many counters at once the highest stays, whatever their order', async () => {
      const counters = fc.uniqueArray(fc.integer({ min: 1, max: 2 ** 40 }), { minLength: 1 })
      let runs = 0
      await fc.assert(
        fc.asyncProperty(counters, async (order) => {
          runs += 1
          const accountId = `account ${runs}`
          await Promise.all(
            order.map((counter) => store.mandates.put(mandateOf({ accountId, counter }))),
          )
          expect((await found(accountId)).counter).toBe(Math.max(...order))
        }),
        { numRuns: 15 },
      )
    })

    test('they are counted by who has frozen them', async () => {
      expect(await store.mandates.counts()).toEqual([])
      for (const accountId of ['a', 'b']) await store.mandates.put(mandateOf({ accountId }))
      await store.mandates.put(mandateOf({ accountId: 'c', frozenBy: 'wallet' }))
      expect(await store.mandates.counts()).toEqual([
        { state: 'none', count: 2 },
        { state: 'wallet', count: 1 },
      ])
    })
  })
}
