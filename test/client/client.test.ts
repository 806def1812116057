import { expect, test } from 'bun:test'
import { createClient } from '../../src/client/client.ts'
import { newCaller } from '../caller.ts'

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
