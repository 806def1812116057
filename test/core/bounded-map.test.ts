import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createBoundedMap } from '../../src/core/bounded-map.ts'

const keysOf = (map: { readonly entries: () => Iterable<readonly [string, number]> }) =>
  Array.from(map.entries(), ([key]) => key)

describe('a bounded map', () => {
  test('drops the entry put longest ago, and never one that is still within the bound', () => {
    const map = createBoundedMap<string, number>(2)
    for (const [key, value] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ] as const)
      map.put(key, value)
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([undefined, 2, 3])
  })

  test('counts an entry as young again when it is renewed or put again, and not when it is read', () => {
    const map = createBoundedMap<string, number>(2)
    map.put('a', 1)
    map.put('b', 2)
    map.get('a')
    map.put('c', 3)
    expect(keysOf(map)).toEqual(['b', 'c'])
    map.renew('b')
    map.put('d', 4)
    expect(keysOf(map)).toEqual(['b', 'd'])
    map.put('b', 5)
    map.put('e', 6)
    expect(keysOf(map)).toEqual(['b', 'e'])
    map.renew('gone')
    expect(keysOf(map)).toEqual(['b', 'e'])
  })

  test('does not hold what is heavier than the bound alone, and pushes nothing out for it', () => {
    const map = createBoundedMap<string, number>(5)
    map.put('a', 1, 3)
    map.put('b', 2, 6)
    expect(keysOf(map)).toEqual(['a'])
    map.put('a', 1, 6)
    expect([keysOf(map), map.weight()]).toEqual([[], 0])
    const nothing = createBoundedMap<string, number>(0)
    nothing.put('a', 1)
    expect(nothing.get('a')).toBeUndefined()
  })

  test('may be emptied while it is walked', () => {
    const map = createBoundedMap<string, number>(9)
    for (const key of ['a', 'b', 'c']) map.put(key, 1)
    for (const [key] of map.entries()) map.drop(key)
    expect([keysOf(map), map.weight()]).toEqual([[], 0])
  })

  test('drops the oldest for as long as it goes on, whatever is renewed, dropped and cleared meanwhile', () => {
    const map = createBoundedMap<string, number>(50)
    let held: string[] = []
    const young = (key: string) => {
      held = [...held.filter((other) => other !== key), key].slice(-50)
    }
    for (let step = 0; step < 10_000; step += 1) {
      const [key, known] = [`k${step}`, `k${step - ((step * 7) % 60)}`]
      map.put(key, step)
      young(key)
      if (step % 3 === 0 && held.includes(known)) young(known)
      if (step % 3 === 0) map.renew(known)
      if (step % 5 === 0) map.drop(known)
      if (step % 5 === 0) held = held.filter((other) => other !== known)
      if (step % 2500 === 0) map.clear()
      if (step % 2500 === 0) held = []
      expect(keysOf(map)).toEqual(held)
    }
  })

  test('weighs what it holds, whatever is put, dropped and replaced', () => {
    const put = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 0, max: 12 }))
    const drop = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.constant(-1))
    fc.assert(
      fc.property(fc.array(fc.oneof(put, drop)), (steps) => {
        const map = createBoundedMap<string, number>(10)
        for (const [key, weight] of steps) {
          if (weight < 0) map.drop(key)
          else map.put(key, weight, weight)
          const held = Array.from(map.entries(), ([, value]) => value)
          expect(map.weight()).toBe(held.reduce((sum, value) => sum + value, 0))
          expect(map.weight()).toBeLessThanOrEqual(10)
          if (weight >= 0 && weight <= 10) expect(map.get(key)).toBe(weight)
        }
      }),
    )
  })
})
