import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readOrderedPage } from '../../../src/agents/views/ordered-pages.ts'

/** A list of this many rows as a venue has it, newest first, and how often it was read. */
function listOf(total: number) {
  const rows = Array.from({ length: total }, (_, at) => ({ id: total - at }))
  const reads: number[] = []
  return {
    reads,
    read: async (page: number, size: number) => {
      reads.push(page)
      return { rows: rows.slice((page - 1) * size, page * size), meta: { total } }
    },
  }
}

const idsOf = (answer: unknown): number[] => Object(answer).rows.map(({ id }: { id: number }) => id)

test('pages of the oldest are those of the same list turned around, each in at most three reads', async () => {
  const figures = [fc.nat(60), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })]
  await fc.assert(
    fc.asyncProperty(fc.tuple(...figures), async ([total = 0, page = 1, size = 1]) => {
      const { read, reads } = listOf(total)
      const answer = await readOrderedPage('oldest', { page, size }, read)
      const all = Array.from({ length: total }, (_, at) => at + 1)
      expect(idsOf(answer)).toEqual(all.slice((page - 1) * size, page * size))
      expect(answer).toMatchObject({ meta: { total } })
      expect(reads.length).toBeLessThanOrEqual(3)
    }),
  )
})

test('pages of the newest are one read each', async () => {
  const { read, reads } = listOf(7)
  expect(idsOf(await readOrderedPage('newest', { page: 2, size: 3 }, read))).toEqual([4, 3, 2])
  expect(reads).toEqual([2])
})
