import { expect, test } from 'bun:test'
import type { LogFields } from '../../src/core/ports.ts'
import { UpstreamError } from '../../src/core/ports.ts'
import { loggedUpstream } from '../../src/upstream/logged.ts'

const CALL = {
  host: 'main',
  method: 'POST',
  path: '/v1/order?secret=canary',
  headers: { 'orderly-signature': 'canary' },
  body: 'canary',
  lane: 'write',
  deadlineMs: 1,
} as const

test('a failed call leaves one line without query, header or body, and fails as it did', async () => {
  const lines: [string, LogFields | undefined][] = []
  const silent = () => undefined
  const failure = new UpstreamError('reset', true)
  const upstream = loggedUpstream(
    { send: () => Promise.reject(failure) },
    {
      elapsedMs: () => 0,
      log: {
        error: silent,
        info: silent,
        debug: silent,
        warn: (event, fields) => void lines.push([event, fields]),
      },
    },
  )
  expect(upstream.send(CALL)).rejects.toBe(failure)
  await Promise.resolve()
  expect(lines).toEqual([
    [
      'upstream_failed',
      {
        host: 'main',
        method: 'POST',
        path: '/v1/order',
        lane: 'write',
        fault: 'reset',
        sent: true,
        ms: 0,
      },
    ],
  ])
  expect(JSON.stringify(lines)).not.toContain('canary')
})

test('a call that works leaves none above the level debug', async () => {
  const answer = { status: 200, contentType: 'application/json', body: '{}' }
  const fail = () => {
    throw new Error('nothing to log')
  }
  const upstream = loggedUpstream(
    { send: async () => answer },
    { elapsedMs: () => 0, log: { error: fail, warn: fail, info: fail, debug: () => undefined } },
  )
  expect(await upstream.send(CALL)).toBe(answer)
})
