import { describe, expect, test } from 'bun:test'
import { LONG_MS, settled, traffic, WIDTHS } from './lane-traffic.ts'

describe('owners that share lanes', () => {
  test('an owner leaves slots to owners who come later, whichever queue it fills', async () => {
    for (const queue of ['read', 'write', 'reducing'] as const) {
      const wide = { concurrentMax: 40, writeReserved: 8, shares: 4, reducingReserved: 8 }
      const { enter, inside, refused } = traffic({ ...wide, queuedMax: { read: 99, write: 99 } })
      for (let count = 0; count < 90; count += 1) void enter(queue, 'greedy', LONG_MS, 'greedy')
      for (const owner of ['later', 'last']) void enter(queue, owner, LONG_MS, owner)
      void enter(queue, 'service')
      await settled()
      const names = inside.map(({ name }) => name)
      expect(names.filter((name) => name === 'greedy').length).toBeLessThan(15)
      expect(names.slice(-3)).toEqual(['later', 'last', 'service'])
      expect(refused).toEqual([])
    }
  })

  test('an owner whose share is used up waits for its own calls, and the calls of others pass it', async () => {
    const wide = { concurrentMax: 8, writeReserved: 0, shares: 4 }
    const { enter, inside, load } = traffic({ ...wide, queuedMax: { read: 9, write: 9 } })
    for (const name of ['1', '2', '3', '4']) void enter('write', name, LONG_MS, 'one')
    void enter('write', 'other', LONG_MS, 'two')
    await settled()
    expect(inside.map(({ name }) => name)).toEqual(['1', '2', 'other'])
    expect(load('write')).toEqual({ inFlight: 3, queued: 2 })
    inside[0]?.leave()
    await settled()
    expect(inside.map(({ name }) => name).slice(3)).toEqual(['3'])
  })

  test('owners that wait are admitted in turn, each in its own order', async () => {
    const { enter, inside } = traffic({ ...WIDTHS, queuedMax: { read: 9, write: 9 } })
    for (let count = 0; count < 4; count += 1) void enter('write', 'hangs')
    for (const name of ['a1', 'a2', 'a3']) void enter('write', name, LONG_MS, 'a')
    for (const name of ['b1', 'b2']) void enter('write', name, LONG_MS, 'b')
    await settled()
    for (let at = 0; at < 5; at += 1) {
      inside[at]?.leave()
      await settled()
    }
    expect(inside.map(({ name }) => name).slice(4)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3'])
  })

  test('reductions and orders that wait take turns in shared slots; reserved ones are for reductions', async () => {
    const queuedMax = { read: 9, write: 9 }
    const { enter, inside } = traffic({ ...WIDTHS, reducingReserved: 1, queuedMax })
    for (let count = 0; count < 4; count += 1) void enter('write', 'hangs')
    for (let at = 0; at < 5; at += 1) void enter('reducing', `r${at}`, LONG_MS, `anyone ${at}`)
    for (const name of ['o0', 'o1']) void enter('write', name, LONG_MS, name)
    await settled()
    for (const { leave } of inside.slice(0, 4)) {
      leave()
      await settled()
    }
    expect(inside.map(({ name }) => name).slice(4)).toEqual(['r0', 'r1', 'o0', 'r2', 'o1'])
    // Each of the reductions leaves the reserved slot to the next.
    inside[4]?.leave()
    await settled()
    expect(inside.map(({ name }) => name).slice(9)).toEqual(['r3'])
  })

  test('a full queue refuses the newest call of the owner with the most, not of one with fewer', async () => {
    const { enter, inside, refused } = traffic()
    for (let count = 0; count < 4; count += 1) void enter('write', 'hangs')
    for (const name of ['a1', 'a2']) void enter('write', name, LONG_MS, 'a')
    void enter('write', 'b1', LONG_MS, 'b')
    await settled()
    expect(refused).toEqual(['a2 saturated false'])
    void enter('write', 'b2', LONG_MS, 'b')
    void enter('write', 'a3', LONG_MS, 'a')
    await settled()
    expect(refused.slice(1)).toEqual(['b2 saturated false', 'a3 saturated false'])
    for (const { leave } of inside.slice()) leave()
    await settled()
    expect(inside.map(({ name }) => name).slice(4)).toEqual(['a1', 'b1'])
  })
})
