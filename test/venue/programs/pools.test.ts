import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { POOLS, paidAt, poolOf, redeemedOf } from '../../../src/venue/programs/pools.ts'
import { epochOf, epochStartMs } from '../../../src/venue/programs/tables.ts'

const FIRST = 2900
const amount = fc.integer({ min: 0, max: 10_000_000_000_000 })

/** What happened in some weeks: all fees, and what three accounts had staked when each was over. */
const weeks = fc.array(fc.record({ fees: amount, stakes: fc.tuple(amount, amount, amount) }), {
  minLength: 1,
  maxLength: 20,
})

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, each) => sum + each, 0)
}

test('a pool has what it bought less what it paid, to the micro, and stakers never get more than that', () => {
  fc.assert(
    fc.property(weeks, fc.constantFrom(POOLS.first, POOLS.second), (history, terms) => {
      const stakesAt = (atMs: number) => history[epochOf(atMs - 1) - FIRST]?.stakes ?? [0, 0, 0]
      const parts = {
        firstEpoch: FIRST,
        feesIn: (epoch: number) => history[epoch - FIRST]?.fees ?? 0,
        stakedAt: (atMs: number) => sumOf(stakesAt(atMs)),
        priceAt: () => 200_000,
      }
      const nowMs = epochStartMs(FIRST + history.length)
      const { batches, treasury, outstanding, redeemedTotal } = poolOf(terms, parts, nowMs)
      expect(batches.map(({ id }) => id)).toEqual(
        Array.from({ length: history.length + 1 }, (_, at) => at + 1),
      )
      const bought = batches.reduce((sum, batch) => sum + BigInt(batch.bought), 0n)
      const paid = batches.reduce((sum, batch) => sum + BigInt(batch.paid), 0n)
      expect(BigInt(treasury)).toBe(bought - paid)
      expect(treasury).toBeGreaterThanOrEqual(0)
      expect(outstanding).toBeGreaterThanOrEqual(batches.at(-1)?.redeemed ?? 0)
      expect(redeemedTotal).toBe(sumOf(batches.slice(0, -1).map(({ redeemed }) => redeemed)))
      for (const { revenue, rate, paid: all, startMs } of batches.slice(1)) {
        expect(Number.isSafeInteger(revenue)).toBe(true)
        const own = sumOf(stakesAt(startMs).map((stake) => paidAt(rate, redeemedOf(stake))))
        expect(own).toBeLessThanOrEqual(all)
        if (rate && rate.treasury < rate.outstanding) expect(all - own).toBeLessThan(12)
      }
    }),
    { numRuns: 300 },
  )
})

test('a batch that is running has taken in and bought nothing yet', () => {
  const parts = {
    firstEpoch: FIRST,
    feesIn: () => 1_000_000,
    stakedAt: () => 0,
    priceAt: () => 200_000,
  }
  const { batches, treasury } = poolOf(POOLS.first, parts, epochStartMs(FIRST) + 1)
  expect(batches).toMatchObject([{ id: 1, revenue: 200_000, bought: 0 }])
  expect(treasury).toBe(0)
})
