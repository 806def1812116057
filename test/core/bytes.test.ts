import { describe, expect, test } from 'bun:test'
import { createByteBudget } from '../../src/core/bytes.ts'

describe('bytes that owners share', () => {
  test('are taken by each owner up to its share of what is free, so that owners who come later find some', () => {
    const { take } = createByteBudget(100, 4)
    const taken = ['first', 'second', 'third'].map((owner) => {
      let count = 0
      while (take(1, owner)) count += 1
      return count
    })
    expect(taken).toEqual([21, 16, 13])
    expect(take(1, 'last')).toBe(true)
    expect(take(50, 'first')).toBe(false)
  })

  test('are taken by an owner that holds none, however large', () => {
    const { take, give } = createByteBudget(100, 4)
    expect(take(100, 'first')).toBe(true)
    expect(take(1, 'second')).toBe(false)
    give(100, 'first')
    expect(take(100, 'second')).toBe(true)
  })

  test('that are given back may be taken again, and without shares one takes all', () => {
    const { take, give } = createByteBudget(10, 4)
    expect([take(3, 'first'), take(1, 'first')]).toEqual([true, false])
    give(3, 'first')
    expect(take(3, 'first')).toBe(true)
    const whole = createByteBudget(10)
    expect([whole.take(6), whole.take(4), whole.take(1)]).toEqual([true, true, false])
  })
})
