import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { epochOf, epochStartMs } from '../../../src/venue/programs/epochs.ts'
import { POOLS, poolOf } from '../../../src/venue/programs/pools.ts'

const FIRST = 2900
const amount = fc.integer({ min: 0, max: 10_000_000_000_000 })

const totalOf = (amounts: ReadonlyMap<number, number>) =>
  [...amounts.values()].reduce((sum, amount) => sum + amount, 0)

/** What happened in some weeks: all fees, and what three accounts had staked when each was over. */
const weeks = fc.array(fc.record({ fees: amount, stakes: fc.tuple(amount, amount, amount) }), {
  minLength: 1,
  maxLength: 20,
})

test('a pool has what it bought less what it paid, to the micro, and never pays more than a share', () => {
  fc.assert(
    fc.property(weeks, fc.constantFrom(POOLS.first, POOLS.second), (told, terms) => {
      const stakesIn = (atMs: number) => told[epochOf(atMs - 1) - FIRST]?.stakes ?? [0, 0, 0]
      const parts = {
        seed: 1,
        firstEpoch: FIRST,
        feesIn: (epoch: number) => told[epoch - FIRST]?.fees ?? 0,
        stakesAt: (atMs: number) =>
          new Map(stakesIn(atMs).map((stake, at) => [at, stake] as const)),
      }
      const nowMs = epochStartMs(FIRST + told.length)
      const { batches, treasury, outstanding, redeemedTotal } = poolOf(terms, parts, nowMs)
      expect(batches.map(({ id }) => id)).toEqual(
        Array.from({ length: told.length + 1 }, (_, at) => at + 1),
      )
      const bought = batches.reduce((sum, batch) => sum + BigInt(batch.bought), 0n)
      const paid = batches.reduce((sum, batch) => sum + BigInt(totalOf(batch.paid)), 0n)
      expect(BigInt(treasury)).toBe(bought - paid)
      expect(treasury).toBeGreaterThanOrEqual(0)
      expect(outstanding).toBeGreaterThanOrEqual(totalOf(batches.at(-1)?.redeemed ?? new Map()))
      const redeemed = batches.slice(0, -1).reduce((sum, batch) => sum + totalOf(batch.redeemed), 0)
      expect(redeemedTotal).toBe(redeemed)
      for (const { revenue } of batches) expect(Number.isSafeInteger(revenue)).toBe(true)
    }),
    { numRuns: 300 },
  )
})

test('a batch that is running has taken in and bought nothing yet', () => {
  const parts = { seed: 1, firstEpoch: FIRST, feesIn: () => 1_000_000, stakesAt: () => new Map() }
  const { batches, treasury } = poolOf(POOLS.first, parts, epochStartMs(FIRST) + 1)
  expect(batches).toMatchObject([{ id: 1, revenue: 200_000, bought: 0 }])
  expect(treasury).toBe(0)
})
