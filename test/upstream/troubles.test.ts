import { expect, test } from 'bun:test'
import type { LogFields } from '../../src/core/ports.ts'
import { createTroubles } from '../../src/upstream/troubles.ts'

function rig() {
  const lines: [string, LogFields | undefined][] = []
  const write = (event: string, fields?: LogFields) => void lines.push([event, fields])
  let nowMs = 0
  const troubles = createTroubles({
    log: { error: write, warn: write, info: write, debug: write },
    elapsedMs: () => nowMs,
  })
  return {
    ...troubles,
    lines,
    at: (seconds: number) => {
      nowMs = seconds * 1000
    },
  }
}

test('a failure is told at once, its repeats by their number ten seconds later', () => {
  const { failed, at, lines } = rig()
  for (const seconds of [0, 1, 2, 9.9, 10]) {
    at(seconds)
    failed('main', 'timeout', { fault: 'timeout' })
  }
  expect(lines).toEqual([
    ['upstream_failed', { fault: 'timeout' }],
    ['upstream_failed', { fault: 'timeout', repeated: 3 }],
  ])
})

test('another reason, or another host, has its own line', () => {
  const { failed, lines } = rig()
  failed('main', 'timeout', { fault: 'timeout' })
  failed('main', 'reset', { fault: 'reset' })
  failed('vaults', 'reset', { fault: 'reset' })
  expect(lines).toHaveLength(3)
})

test('the first answer afterwards says how many failed and for how long, and the next says nothing', () => {
  const { failed, over, at, lines } = rig()
  over('main')
  failed('main', 'reset', {})
  failed('main', 'reset', {})
  at(7)
  over('main')
  over('main')
  expect(lines.slice(1)).toEqual([
    ['upstream_recovered', { host: 'main', failures: 2, seconds: 7 }],
  ])
})

test('where every other call fails, that is two lines in ten seconds and not two a call', () => {
  const { failed, over, lines } = rig()
  for (let at = 0; at < 100; at += 1) {
    failed('main', 'reset', {})
    over('main')
  }
  expect(lines).toHaveLength(2)
})
