import { describe, expect, test } from 'bun:test'
import { createTimeBudget, SLICE_MS } from '../../src/venue/base/time-budget.ts'

/** A clock that each piece moves by so much, and what is remembered of the pieces. */
function rig(pieceMs: number) {
  let nowMs = 0
  let turns = 0
  const made: number[] = []
  const budget = createTimeBudget(
    () => nowMs,
    async () => {
      turns += 1
    },
  )
  function piece(at: number): void {
    if (made.includes(at)) return
    budget.make(
      () => {
        nowMs += pieceMs
        return at
      },
      (value) => made.push(value),
    )
  }
  const read = (pieces: number) => {
    for (let at = 0; at < pieces; at += 1) piece(at)
    return `read of ${pieces}`
  }
  return { budget: budget, read, made, turns: () => turns }
}

describe('a read of the past', () => {
  test('is asked again after a turn of others until nothing is left to make, and makes nothing twice', async () => {
    const { budget, read, made, turns } = rig(1)
    const answer = await budget.inTurns(async () => budget.attempt(() => read(12)))
    expect(answer).toBe('read of 12')
    expect(made).toEqual(Array.from({ length: 12 }, (_, at) => at))
    expect(turns()).toBe(2)
  })

  test('whose every piece takes longer than a turn still comes to its end', async () => {
    const { budget, read, turns } = rig(2 * SLICE_MS)
    expect(await budget.inTurns(async () => budget.attempt(() => read(3)))).toBe('read of 3')
    expect(turns()).toBe(3)
  })

  test('that is not left off makes everything at once', () => {
    const { read, turns } = rig(2 * SLICE_MS)
    expect(read(5)).toBe('read of 5')
    expect(turns()).toBe(0)
  })

  test('is left off with what it made remembered, and only it', () => {
    const { budget, read, made } = rig(SLICE_MS)
    expect(() => budget.attempt(() => read(2))).toThrow(
      expect.objectContaining({ name: 'MoreToMake' }),
    )
    expect(made).toEqual([0])
    expect(read(2)).toBe('read of 2')
  })

  test('that fails otherwise fails at once', async () => {
    const { budget, turns } = rig(1)
    const failing = budget.inTurns(async () => {
      throw new RangeError('no such market')
    })
    await expect(failing).rejects.toThrow('no such market')
    expect(turns()).toBe(0)
  })
})
