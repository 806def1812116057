import { describe, expect, test } from 'bun:test'
import { envelope, newCaller, type TestCall } from '../caller.ts'
import { USUAL_KINDS } from '../target.ts'
import vectors from '../vectors/allowlist.json' with { type: 'json' }
import { relayFixture } from './relay-fixture.ts'

const caller = newCaller()
const GET = { method: 'GET', path: '/v1/positions' } as const

describe.each([...USUAL_KINDS])('the allowlist, %s', (kind) => {
  const { post, relay, sent } = relayFixture(kind, { caller })

  test(`every one of ${vectors.refused.length} near misses of the allowlist is refused, and nothing is sent`, async () => {
    const wrong: unknown[] = []
    for (const { method, path, why } of vectors.refused) {
      const body = JSON.stringify({ ...envelope(caller, GET), method, path })
      const { code } = Object(await (await post(body)).json())
      if (code !== 'forbidden' && code !== 'invalid_request') wrong.push({ path, why, code })
    }
    expect(wrong).toEqual([])
    expect(sent()).toEqual([])
  })

  test.each([
    {
      call: { method: 'GET', path: '/v1/positionz?page=1' },
      named: { parameter: 'path', suggestion: '/v1/positions' },
    },
    {
      call: { method: 'DELETE', path: '/v1/orderz?symbol=PERP_ETH_USDC' },
      named: { parameter: 'path', next: expect.stringContaining('/v1/order') },
    },
    { call: { method: 'GET', path: '/v1/secret' }, named: { parameter: 'path' } },
    {
      call: { method: 'PUT', path: '/v1/orders' },
      named: { parameter: 'method', expected: 'GET or DELETE' },
    },
    {
      call: { method: 'GET', path: "/v1/orders?a='" },
      named: {
        parameter: 'path',
        suggestion: '/v1/orders',
        expected: expect.stringContaining('no query'),
      },
    },
  ] as const)(
    '$call is told what is not relayed of it, and nothing is sent',
    async ({ call, named }) => {
      const before = sent().length
      const { code, meta } = Object(await (await relay(call)).json())
      expect({ code, meta }).toEqual({
        code: 'forbidden',
        meta: { reason: 'not_relayed', ...named },
      })
      expect(sent()).toHaveLength(before)
    },
  )

  test(`every one of ${vectors.allowed.length} listed paths arrives as it was signed`, async () => {
    const expected: string[] = []
    for (const { method, path } of vectors.allowed) {
      const call = {
        method,
        path,
        ...(method === 'POST' || method === 'PUT' ? { body: '{}' } : {}),
      }
      expected.push(`${method} ${path}`)
      expect({ path, status: (await relay(call as TestCall)).status }).toEqual({
        path,
        status: 200,
      })
    }
    expect(sent().map((request) => `${request.method} ${request.target}`)).toEqual(expected)
  })
})
