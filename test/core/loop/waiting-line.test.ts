import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createDepths } from '../../../src/core/loop/depths.ts'
import { createWaitingLine } from '../../../src/core/loop/waiting-line.ts'
import { runs } from '../../runs.ts'

const LONG_MS = 60_000
/** As many calls as wait for the venue at a time. */
const MANY = 16_384

/** A line in which refused calls are counted. */
function lineOf() {
  const line = createWaitingLine('upstream', () => new Error('refused'))
  const ended = { admitted: [] as string[], refused: 0 }
  const wait = (owner: string) =>
    line
      .wait(owner, LONG_MS, () => ended.admitted.push(owner))
      .catch(() => {
        ended.refused += 1
      })
  return { ...line, wait, ended }
}

describe('counts of names', () => {
  test('are those that were counted, with their sums and the highest of them', () => {
    const step = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), isMore: fc.boolean() })
    const run = (steps: readonly { readonly name: string; readonly isMore: boolean }[]) => {
      const depths = createDepths()
      const counts = new Map<string, number>()
      for (const { name, isMore } of steps) {
        const count = counts.get(name) ?? 0
        if (!isMore && count === 0) continue
        counts.set(name, count + (isMore ? 1 : -1))
        depths.count(name, isMore ? 1 : -1)
        const all = [...counts.values()]
        const most = Math.max(...all)
        const deepest = depths.deepest()
        expect(deepest === null ? 0 : counts.get(deepest)).toBe(most)
        for (let depthMax = 0; depthMax <= most + 1; depthMax += 1)
          expect(depths.sumTo(depthMax)).toBe(
            all.reduce((sum, each) => sum + Math.min(each, depthMax), 0),
          )
        for (const [each, own] of counts) expect(depths.at(each)).toBe(own)
      }
    }
    fc.assert(fc.property(fc.array(step, { maxLength: 80 }), run), { numRuns: runs(100) })
  })
})

describe('a line', () => {
  test(`of ${MANY} owners looks at no more of them than it admits`, () => {
    const { wait, admitFirst, size, ended } = lineOf()
    for (let at = 0; at < MANY; at += 1) void wait(`${at}`)
    let asked = 0
    const hasRoom = () => {
      asked += 1
      return true
    }
    while (admitFirst(hasRoom));
    expect({ asked, size: size(), admitted: ended.admitted.length }).toEqual({
      ...{ asked: MANY, size: 0, admitted: MANY },
    })
  })

  test('displaces the newest calls of the owner with the most, down to one more than the new one has', async () => {
    const { wait, displaceFor, size, ended } = lineOf()
    const calls = [...'aaabbbbb'].map(wait)
    let displaced = 0
    while (displaceFor('c')) displaced += 1
    expect({ displaced, size: size() }).toEqual({ displaced: 6, size: 2 })
    await Promise.all(calls.slice(1, 3))
    expect(ended).toEqual({ admitted: [], refused: 6 })
  })

  test(`of ${MANY} owners with two calls each displaces one for each that comes, in a moment`, () => {
    const { wait, displaceFor, ahead, size } = lineOf()
    for (let at = 0; at < 2 * MANY; at += 1) void wait(`${at % MANY}`)
    for (let at = 0; at < MANY; at += 1) {
      expect(ahead(`new ${at}`)).toBe(0)
      expect(displaceFor(`new ${at}`)).toBe(true)
    }
    expect(displaceFor('late')).toBe(false)
    expect({ size: size(), ahead: ahead('0') }).toEqual({ size: MANY, ahead: MANY })
  }, 20_000)
})
