import { expect, test } from 'bun:test'
import { createRequestContext } from '../../../src/core/observing/request-context.ts'
import { keepRequestLines } from '../../../src/core/observing/request-lines.ts'
import type { LogFields } from '../../../src/core/ports.ts'
import { createAccessLog } from '../../../src/http/server/access.ts'

function openLines() {
  const written: string[] = []
  const write = (event: string, _fields?: LogFields) => void written.push(event)
  const log = { error: write, warn: write, info: write, debug: write }
  return { ...keepRequestLines(log, { nowMs: () => 7 }), written }
}

test('the lines of a request are kept in order, without what identifies its caller', () => {
  const { log, of, written } = openLines()
  const secret = { caller: '203.0.113.*', account: 'tag', traceparent: '00-1' }
  log.warn('upstream_slow', { request: 'a', ms: 9 })
  log.info('request', { request: 'b', code: 'ok' })
  log.info('request', { request: 'a', code: 'internal', ...secret })
  expect(of('a')).toEqual([
    { atMs: 7, level: 'warn', event: 'upstream_slow', fields: { ms: 9 } },
    { atMs: 7, level: 'info', event: 'request', fields: { code: 'internal' } },
  ])
  expect(of('c')).toEqual([])
  expect(written).toEqual(['upstream_slow', 'request', 'request'])
})

test('lines of no request and of the debug level are written and not kept', () => {
  const { log, of, written } = openLines()
  log.info('start')
  log.debug('upstream_call', { request: 'a' })
  expect(of('a')).toEqual([])
  expect(written).toEqual(['start', 'upstream_call'])
})

test('a log whose level drops a line still keeps it, except at the debug level', () => {
  const nothing = () => undefined
  const quiet = { error: nothing, warn: nothing, info: nothing, debug: nothing }
  const { log, of } = keepRequestLines({ ...quiet, isWritten: () => false }, { nowMs: () => 7 })
  const access = createAccessLog({
    ...{ log, requestsPerSecond: 9, elapsedMs: () => 0, wholeCallers: false, tagOf: String },
  })
  const caller = { address: '203.0.113.1', limitKey: '203.0.113.1' }
  const line = { route: 'r', code: 'ok', status: 200, ms: null, caller }
  access.note(200, () => [createRequestContext('a', '203.0.113.1', () => null), line])
  expect(of('a')).toMatchObject([{ level: 'info', event: 'request' }])
  expect(log.isWritten?.('debug')).toBe(false)
})

test('the oldest lines give way to new ones', () => {
  const { log, of } = openLines()
  log.info('request', { request: 'first' })
  for (let count = 0; count < 1999; count += 1) log.info('request', { request: 'many' })
  expect(of('first')).toHaveLength(1)
  log.info('request', { request: 'last' })
  expect(of('first')).toEqual([])
  expect(of('many')).toHaveLength(1999)
  expect(of('last')).toHaveLength(1)
})
