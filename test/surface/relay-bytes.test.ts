import { describe, expect, test } from 'bun:test'
import { envelope, newCaller } from '../caller.ts'
import { headerOf } from '../recording-upstream.ts'
import { TARGET_KINDS } from '../target.ts'
import { relayFixture } from './relay-fixture.ts'

const caller = newCaller()

/** Bodies that a parser would rewrite, each signed and sent as it stands. */
const BODIES = [
  ['duplicate keys', '{"symbol":"PERP_ETH_USDC","symbol":"PERP_BTC_USDC"}'],
  ['odd spacing', '{ "symbol" :\t"PERP_ETH_USDC",\n\r "side":"BUY"  }  '],
  ['a number as it was written', '{"order_price":1.0,"order_quantity":1.50,"x":1E2,"y":-0}'],
  ['integers no float can hold', '{"order_id":9007199254740993}'],
  ['unicode, escaped and not', '{"order_tag":"ü漢字😀\\u00fc\\ud83d\\ude00"}'],
  ['no JSON at all', 'not json, still signed'],
  ['a NUL and control characters', 'a\u0000b\u0001c\u007f'],
  ['a byte order mark', '\ufeff{"a":1}'],
  ['32,768 characters', `{"order_tag":"${'é'.repeat(32_768 - 16)}"}`],
] as const

describe.each([...TARGET_KINDS])('the relay, %s', (kind) => {
  const { relay, sent } = relayFixture(kind, { caller })

  test.each([...BODIES])('a body with %s arrives byte for byte', async (_what, body) => {
    const response = await relay({ method: 'POST', path: '/v1/order', body })
    expect(response.status).toBe(200)
    expect(sent().map(({ body: bytes }) => Buffer.from(bytes).equals(Buffer.from(body)))).toEqual([
      true,
    ])
  })

  test('a body one character too long is refused and nothing is sent', async () => {
    const response = await relay({ method: 'POST', path: '/v1/order', body: 'a'.repeat(32_769) })
    expect(await response.json()).toMatchObject({
      code: 'invalid_request',
      meta: { parameter: 'body' },
    })
    expect(sent()).toEqual([])
  })

  test('a path arrives with its query exactly as it was signed', async () => {
    const path = '/v1/orders?status=INCOMPLETE&symbol=PERP_ETH_USDC&tag=%41%c3%a9~-._&&=&a=b=c'
    const response = await relay({ method: 'GET', path })
    expect(response.status).toBe(200)
    expect(sent().map(({ method, target: line }) => [method, line])).toEqual([['GET', path]])
  })

  test('only the four signed headers and the content type go with it, whatever the caller sent', async () => {
    const timestamp = String(Date.now())
    const headers = {
      cookie: 'a=b',
      'x-canary': 'c',
      authorization: 'Bearer c',
      'orderly-key': 'forged',
      'user-agent': 'c',
    }
    await relay({ method: 'POST', path: '/v1/order', body: '{}', timestamp }, { headers })
    const [request] = sent()
    const names = request?.headers.map(([name]) => name.toLowerCase()).sort()
    expect(names).toEqual([
      'accept',
      'accept-encoding',
      'content-length',
      'content-type',
      'host',
      'orderly-account-id',
      'orderly-key',
      'orderly-signature',
      'orderly-timestamp',
      'user-agent',
    ])
    const { auth } = envelope(caller, { method: 'POST', path: '/v1/order', body: '{}', timestamp })
    expect(request && headerOf(request, 'orderly-account-id')).toBe(auth.accountId)
    expect(request && headerOf(request, 'orderly-key')).toBe(auth.key)
    expect(request && headerOf(request, 'orderly-signature')).toBe(auth.signature)
    expect(request && headerOf(request, 'orderly-timestamp')).toBe(auth.timestamp)
    expect(JSON.stringify(request?.headers)).not.toMatch(/canary|forged|Bearer|a=b/)
  })

  test('a DELETE takes its signed body along, byte for byte, and at most once', async () => {
    const path = '/v1/order?order_id=7&symbol=PERP_ETH_USDC'
    const call = {
      method: 'DELETE',
      path,
      body: '{ "b":1.50,\n"a":"é" }',
      timestamp: String(Date.now()),
    } as const
    expect((await relay(call)).status).toBe(200)
    expect((await relay(call)).headers.get('x-prepd-replay')).toBe('true')
    expect(sent().map(({ method, target, text }) => [method, target, text])).toEqual([
      ['DELETE', path, call.body],
    ])
    expect((await relay({ ...call, body: '{}' })).status).toBe(200)
    expect(sent()).toHaveLength(2)
  })

  test.each([
    ['GET', '/v1/positions', 'application/x-www-form-urlencoded'],
    ['DELETE', '/v1/order?order_id=1&symbol=PERP_ETH_USDC', 'application/x-www-form-urlencoded'],
    ['POST', '/v1/order', 'application/json'],
    ['PUT', '/v1/order', 'application/json'],
  ] as const)('%s goes out as %s with content type %s', async (method, path, contentType) => {
    const body = method === 'POST' || method === 'PUT' ? { body: '{}' } : {}
    await relay({ method, path, ...body })
    expect(sent().map((request) => headerOf(request, 'content-type'))).toEqual([contentType])
  })
})
