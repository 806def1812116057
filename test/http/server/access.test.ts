import { expect, test } from 'bun:test'
import { createLog, type LogLevel } from '../../../src/core/log.ts'
import { createRequestContext } from '../../../src/core/observing/request-context.ts'
import type { LogFields } from '../../../src/core/ports.ts'
import { createAccessLog } from '../../../src/http/server/access.ts'

type Line = LogFields & { readonly level: LogLevel }

function openFixture(first: LogLevel, requestsPerSecond: number, wholeCallers = false) {
  const lines: Line[] = []
  let level = first
  let nowMs = 0
  let made = 0
  const { log } = createLog({
    hasPriorities: false,
    level: () => level,
    clock: { nowMs: () => nowMs },
    hasRoom: () => true,
    write: (line) => lines.push(JSON.parse(line)),
  })
  const access = createAccessLog({
    ...{ log, requestsPerSecond, wholeCallers },
    elapsedMs: () => nowMs,
    tagOf: (accountId) => `tag of ${accountId}`,
  })
  return {
    lines,
    /** The number of lines that were made, written or not. */
    made: () => made,
    setLevel: (next: LogLevel) => {
      level = next
    },
    note: (status: number, times = 1, limitKey = '203.0.113.9') => {
      const line = {
        route: 'markets',
        code: 'ok',
        status,
        ms: 1,
        caller: { address: '203.0.113.9', limitKey },
      }
      for (let at = 0; at < times; at += 1)
        access.note(status, () => {
          made += 1
          return [createRequestContext('a', '203.0.113.7', () => null), line]
        })
    },
    later: () => {
      nowMs += 1000
    },
  }
}

test('above its number of a second a line stands for a hundred, and the next second begins anew', () => {
  const { note, later, lines } = openFixture('info', 5)
  note(200, 205)
  expect(lines.map((line) => line['oneIn'])).toEqual([...Array(5), 100, 100])
  later()
  note(200)
  expect(lines).toHaveLength(8)
})

test('faults of the server are warnings, and are not crowded out', () => {
  const { note, lines } = openFixture('info', 1)
  note(200, 50)
  note(502)
  expect(lines.map(({ level }) => level)).toEqual(['info', 'warn'])
})

test.each([
  ['error', []],
  ['warn', ['warn']],
  ['info', ['info', 'warn']],
] as const)('the level %s leaves %p, and no other line is made', (level, levels) => {
  const { note, lines, made } = openFixture(level, 10)
  note(200)
  note(500)
  expect(lines.map((line) => line.level)).toEqual([...levels])
  expect(made()).toBe(levels.length)
})

test('a level that changes holds from the next line on', () => {
  const { note, lines, setLevel } = openFixture('error', 10)
  note(200)
  expect(lines).toEqual([])
  setLevel('info')
  note(200)
  expect(lines).toHaveLength(1)
})

test.each([
  ['203.0.113.9', '203.0.113.*'],
  ['2001:db8:1:2::/64', '2001:db8:1:*'],
  ['unknown', '*'],
])('a caller %s is told as %s', (limitKey, shown) => {
  const { note, lines } = openFixture('info', 10)
  note(200, 1, limitKey)
  expect(lines[0]?.['caller']).toBe(shown)
})

test('a caller is told whole where the setting says so', () => {
  const { note, lines } = openFixture('info', 10, true)
  note(200)
  expect(lines[0]?.['caller']).toBe('203.0.113.9')
})
