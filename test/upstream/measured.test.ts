import { expect, test } from 'bun:test'
import { type Upstream, UpstreamError, type UpstreamRequest } from '../../src/core/ports.ts'
import { measuredUpstream } from '../../src/upstream/measured.ts'

const REQUEST: UpstreamRequest = {
  ...{ host: 'main', method: 'GET', path: '/', headers: {}, lane: 'read', deadlineMs: 1 },
}

test.each([
  ['an answer', async () => ({ status: 404, contentType: '', body: '' }), null],
  [
    'an answer that is the venue’s own failure',
    async () => ({ status: 503, contentType: '', body: '' }),
    'status 5xx',
  ],
  ['a call that broke', () => Promise.reject(new UpstreamError('reset', true)), 'reset'],
])('%s is measured, and passed on as it is', async (_, send, fault) => {
  const times = [100, 107.5]
  const measured: unknown[] = []
  const upstream: Upstream = { send }
  const { send: sendMeasured } = measuredUpstream(
    upstream,
    { nowMs: () => times.shift() ?? 0 },
    (...told) => measured.push(told),
  )
  const [plain, through] = await Promise.allSettled([upstream.send(REQUEST), sendMeasured(REQUEST)])
  expect(through).toEqual(plain)
  expect(measured).toEqual([[7.5, fault]])
})
