import { expect, test } from 'bun:test'
import { createLog } from '../../src/core/log.ts'

function fixture() {
  const lines: Record<string, unknown>[] = []
  const state = { hasRoom: true }
  const { log, lostLines } = createLog({
    hasPriorities: false,
    level: () => 'info',
    clock: { nowMs: () => 0 },
    hasRoom: () => state.hasRoom,
    write: (line) => lines.push(JSON.parse(line)),
  })
  return { log, lostLines, lines, state }
}

test('a line is its time, level, event and fields', () => {
  const { log, lines } = fixture()
  log.info('start', { url: 'http://localhost', nothing: undefined })
  expect(lines).toEqual([
    { time: '1970-01-01T00:00:00.000Z', level: 'info', event: 'start', url: 'http://localhost' },
  ])
})

test('a line below the level is not written, and is not lost either', () => {
  const { log, lines, lostLines } = fixture()
  log.debug('upstream_call')
  log.info('start')
  expect(lines.map(({ event }) => event)).toEqual(['start'])
  expect(lostLines()).toBe(0)
})

test('a line without room is lost, and the next with room comes after one that says how many were', () => {
  const { log, lines, lostLines, state } = fixture()
  state.hasRoom = false
  log.error('crash')
  log.info('reload')
  log.debug('upstream_call')
  expect(lines).toEqual([])
  state.hasRoom = true
  log.info('stop')
  log.info('start')
  expect(lines.map(({ level, event, lines: lost }) => [level, event, lost])).toEqual([
    ['warn', 'log_lines_lost', 2],
    ['info', 'stop', undefined],
    ['info', 'start', undefined],
  ])
  expect(lostLines()).toBe(2)
})

test('a line for the journal of systemd begins with the priority of its level', () => {
  const lines: string[] = []
  const { log } = createLog({
    hasPriorities: true,
    level: () => 'debug',
    clock: { nowMs: () => 0 },
    hasRoom: () => true,
    write: (line) => lines.push(line),
  })
  log.error('crash')
  log.warn('fault')
  log.info('start')
  log.debug('upstream_call')
  expect(lines.map((line) => line.slice(0, 4))).toEqual(['<3>{', '<4>{', '<6>{', '<7>{'])
})
