import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { earnedValor, paidBy, poolBatches } from '../../../src/simulator/programs/pools.ts'
import { epochStartMs } from '../../../src/simulator/programs/tables.ts'
import { runs } from '../../runs.ts'

const FIRST = 2900
const amount = fc.integer({ min: 0, max: 10_000_000_000_000 })

/** What happened in some weeks: all fees, and what three accounts had staked as each began. */
const weeks = fc.array(fc.record({ fees: amount, stakes: fc.tuple(amount, amount, amount) }), {
  minLength: 1,
  maxLength: 20,
})

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, each) => sum + each, 0)
}

test('a batch pays what the one before it bought, and stakers never get more than that', () => {
  fc.assert(
    fc.property(weeks, fc.constantFrom('first', 'second'), (history, name) => {
      const epochs = history.map(({ fees, stakes }, at) => ({
        ...{ epoch: FIRST + at, fees, staked: sumOf(stakes) },
      }))
      const batches = poolBatches(name, 1, epochs, epochStartMs(FIRST + history.length))
      expect(batches.map(({ id }) => id)).toEqual(history.map((_, at) => at + 1))
      for (const [at, batch] of batches.entries()) {
        expect(Number.isSafeInteger(batch.revenue)).toBe(true)
        expect(batch.treasury).toBe(batches[at - 1]?.bought ?? 0)
        const own = history[at]?.stakes.map((stake) => paidBy(batch, earnedValor(stake))) ?? []
        expect(sumOf(own)).toBeLessThanOrEqual(batch.treasury)
        if (batch.treasury < batch.valor) expect(batch.treasury - sumOf(own)).toBeLessThan(6)
      }
    }),
    { numRuns: runs(100) },
  )
})

test('a batch that is running has taken in and bought nothing yet', () => {
  const epochs = [{ epoch: FIRST, fees: 1_000_000, staked: 0 }]
  const batches = poolBatches('first', 1, epochs, epochStartMs(FIRST) + 1)
  expect(batches).toMatchObject([{ id: 1, revenue: 200_000, bought: 0 }])
})
