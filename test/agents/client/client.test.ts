import { expect, test } from 'bun:test'
import { ClientFailure, createClient } from '../../../src/agents/client/client.ts'
import { newCaller } from '../../caller.ts'

const CANCEL = { method: 'DELETE', path: '/v1/order?order_id=1&symbol=PERP_ETH_USDC' } as const

test('two equal calls at one instant are signed at two times, and neither far from now', async () => {
  const times: number[] = []
  const client = createClient({
    baseUrl: 'http://localhost',
    nowMs: () => 1_700_000_000_000,
    transport: async (request) => {
      times.push(Number(Object(await request.json()).auth.timestamp))
      return Response.json({})
    },
  })
  const caller = newCaller()
  await Promise.all([client.relay(caller, CANCEL), client.relay(caller, CANCEL)])
  expect(times.toSorted()).toEqual([1_700_000_000_000, 1_700_000_000_001])
})

test.each([
  ['7', 7],
  ['0', 0],
  ['soon', undefined],
  [null, undefined],
])('a refusal that asks to wait %p is told as such', async (wait, retryAfterSeconds) => {
  const client = createClient({
    baseUrl: 'http://localhost',
    nowMs: () => 1_700_000_000_000,
    transport: async () =>
      Response.json(
        { code: 'rate_limited', error: 'Slow down.', meta: { policy: 'read' } },
        { status: 429, headers: wait === null ? {} : { 'retry-after': wait } },
      ),
  })
  const error = await client.get('/api/prep/markets').catch((reason: unknown) => reason)
  if (!(error instanceof ClientFailure)) throw new Error(`no ClientFailure but ${error}`)
  const { code, status, meta, message } = error
  expect({ code, status, meta, message }).toEqual({
    code: 'rate_limited',
    status: 429,
    meta: { policy: 'read' },
    message: 'Slow down.',
  })
  expect(error.retryAfterSeconds).toBe(retryAfterSeconds)
})
