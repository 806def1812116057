import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { ClaimedUse } from '../../src/core/claim.ts'
import { Failure } from '../../src/core/failure.ts'
import type { Store } from '../../src/core/ports.ts'
import { exceedsDay } from '../../src/core/spending.ts'

type Kept = {
  readonly once: Pick<Store['once'], 'claim' | 'release' | 'find'>
  readonly spending: Store['spending']
  readonly close: () => void
}

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const CAP = 100n

function claimOf(identity: string) {
  return { identity, sinceMs: Date.now(), expiresAtMs: Date.now() + 360_000 }
}

/** A write of so much, under a cap of 100, with further identities. */
function useOf(identity: string, micros: bigint, ids: readonly string[] = []): ClaimedUse {
  const uses = [{ symbol: 'PERP_ETH_USDC', micros, orders: 1 }]
  return {
    reservation: { scope: 'mine', identity, atMs: DAY_MS, uses },
    ids: ids.map(claimOf),
    refusal: (used, isTaken) => {
      if (isTaken) return new Failure('duplicate_request')
      return exceedsDay(used, micros, CAP) ? new Failure('mandate_exceeded') : null
    },
    unseenSinceMs: 0,
  }
}

/** What every store must do with claims that use limits. `open` gives a fresh, empty one each time. */
export function claimedUseContract(name: string, open: () => Kept | Promise<Kept>): void {
  describe(`a claim with what it uses in ${name}`, () => {
    let store: Kept
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())

    const claim = (identity: string, micros: bigint, ids?: readonly string[]) =>
      store.once
        .claim(claimOf(identity), Date.now(), useOf(identity, micros, ids))
        .catch(({ code }: Failure) => code)
    const used = async () => (await store.spending.used('mine', DAY_MS)).dayMicros
    const isClaimed = async (identity: string) => (await store.once.find(identity)) !== null

    test('is made with its reservation, and given back with it', async () => {
      expect(await claim('a', 60n, ['one', 'two'])).toBe(true)
      expect(await used()).toBe(60n)
      for (const each of ['a', 'one', 'two']) expect(await isClaimed(each)).toBe(true)
      expect(await claim('a', 10n)).toBe(false)
      expect(await used()).toBe(60n)
      await store.once.release('a', [claimOf('one'), claimOf('two')])
      expect(await used()).toBe(0n)
      for (const each of ['a', 'one', 'two']) expect(await isClaimed(each)).toBe(false)
    })

    test('that is refused leaves neither claim nor reservation, and one that was made says so first', async () => {
      await claim('a', 60n, ['one'])
      expect(await claim('b', 41n, ['two'])).toBe('mandate_exceeded')
      expect(await claim('b', 40n, ['two', 'one'])).toBe('duplicate_request')
      for (const each of ['b', 'two']) expect(await isClaimed(each)).toBe(false)
      expect(await used()).toBe(60n)
      expect(await claim('a', 41n)).toBe(false)
      expect(await claim('b', 40n, ['two'])).toBe(true)
      expect(await used()).toBe(100n)
    })

    test('races: as many are made as fit, each with its reservation', async () => {
      const names = Array.from({ length: 12 }, (_, at) => `order ${at}`)
      const made = await Promise.all(names.map((each) => claim(each, 30n, [`id of ${each}`])))
      expect(made.filter((each) => each === true)).toHaveLength(3)
      expect(made.filter((each) => each === 'mandate_exceeded')).toHaveLength(9)
      expect(await used()).toBe(90n)
      const claimed = await Promise.all(names.map((each) => isClaimed(`id of ${each}`)))
      expect(claimed).toEqual(made.map((each) => each === true))
    })

    test('counts what its orders were filled for, once that is known, and never more than it reserved', async () => {
      await claim('a', 30n)
      await claim('b', 30n)
      await claim('c', 30n)
      const settle = (identity: string, orderId: string | null) =>
        store.spending.settle({ scope: 'mine', identity }, 1, [{ orderId, isRefused: false }])
      await Promise.all([settle('a', '7'), settle('b', '8'), settle('c', null)])
      await store.spending.fill('another', [{ orderId: '7', micros: 0n }])
      expect(await used()).toBe(90n)
      await store.spending.fill('mine', [
        { orderId: '7', micros: 12n },
        { orderId: '8', micros: 31n },
        { orderId: '9', micros: 0n },
      ])
      expect(await used()).toBe(72n)
      // An order ends once.
      await store.spending.fill('mine', [{ orderId: '7', micros: 0n }])
      expect(await used()).toBe(72n)
    })

    test('of a write that is reserved again counts once, at its later time', async () => {
      await claim('a', 60n)
      const again = { ...useOf('a', 50n).reservation, atMs: DAY_MS + MINUTE_MS }
      expect(await store.spending.reserve(again, () => null, 0)).toBeNull()
      expect(await store.spending.used('mine', DAY_MS + MINUTE_MS)).toMatchObject({
        dayMicros: 50n,
        dayRenewsAtMs: 2 * DAY_MS + 2 * MINUTE_MS,
      })
    })

    test('ends with its minute of a day ago whoever asks, a few rows at a time', async () => {
      for (const identity of ['a', 'b', 'c']) await claim(identity, 10n)
      expect(await store.spending.prune(2 * DAY_MS + MINUTE_MS - 1, 9)).toBe(0)
      expect(await used()).toBe(30n)
      expect(await store.spending.prune(2 * DAY_MS + MINUTE_MS, 2)).toBe(2)
      expect(await store.spending.prune(2 * DAY_MS + MINUTE_MS, 2)).toBe(1)
      expect(await used()).toBe(0n)
    })
  })
}
