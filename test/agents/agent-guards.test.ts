import { describe, expect, test } from 'bun:test'
import { openTarget } from '../target.ts'
import { guardedTargets } from './guarded-targets.ts'
import { modern, modernHeaders, post, request, toolText } from './rpc.ts'

const PING = request('ping')
const MARKETS = request('tools/call', { name: 'list_markets' })

const { target, proxied, asked } = guardedTargets({
  ALLOWED_ORIGINS: 'https://app.example',
  ALLOWED_HOSTS: 'localhost,127.0.0.1,[::1],api.example',
})

describe('a Host', () => {
  test.each(['localhost', 'localhost:8080', '127.0.0.1:1', '[::1]:8080', 'API.example'])(
    'of this deployment is served: %s',
    async (host) => {
      expect((await post(target(), PING, { host })).status).toBe(200)
    },
  )

  test.each(['evil.example', 'localhost.evil.example', 'x', '127.0.0.2', ''])(
    'of somebody else is refused, and the refusal names the setting: %p',
    async (host) => {
      const { status, json } = await post(target(), MARKETS, { host })
      expect(status).toBe(403)
      expect(json).toHaveProperty('id', null)
      expect(json?.error?.data).toMatchObject({ meta: { setting: 'PREPD_ALLOWED_HOSTS' } })
      expect(asked()).toEqual([])
    },
  )
})

describe('an Origin', () => {
  const json = { 'content-type': 'application/json', host: 'api.example' }

  test.each([
    'https://app.example',
    'https://api.example',
    'http://localhost:5173',
    'http://127.0.0.1',
    'http://[::1]:6274',
  ])('that is known is served: %s', async (origin) => {
    expect((await post(target(), PING, { ...json, origin })).status).toBe(200)
  })

  test.each([
    'https://evil.example',
    'https://app.example.evil.example',
    'https://APP.example',
    'http://localhost.evil.example',
    'null',
    '*',
    '',
  ])('that is not known is refused: %p', async (origin) => {
    const { status, json: body } = await post(target(), MARKETS, { ...json, origin })
    expect(status).toBe(403)
    expect(body?.error?.data).toMatchObject({ meta: { setting: 'PREPD_ALLOWED_ORIGINS' } })
    expect(asked()).toEqual([])
  })

  test('is not known for being anybody where browsers may read public data', async () => {
    const headers = { 'content-type': 'application/json', origin: 'https://evil.example' }
    expect((await post(proxied(), PING, headers)).status).toBe(403)
  })

  test('is served JSON alone: a page can send other texts anywhere without asking', async () => {
    const origin = 'https://app.example'
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', '']) {
      const headers = { host: 'api.example', origin, ...(type && { 'content-type': type }) }
      expect((await post(target(), MARKETS, headers)).status).toBe(415)
    }
    expect(asked()).toEqual([])
    const utf8 = { ...json, origin, 'content-type': 'Application/JSON; charset=utf-8' }
    expect((await post(target(), PING, utf8)).status).toBe(200)
  })
})

describe('a body', () => {
  test('without a browser needs no type', async () => {
    expect((await post(target(), PING, { 'content-type': 'text/plain' })).status).toBe(200)
  })

  test('over the limit is refused', async () => {
    const { status, json } = await post(target(), request('ping', { pad: 'x'.repeat(300_000) }))
    expect(status).toBe(413)
    expect(json?.error?.data).toMatchObject({ code: 'payload_too_large' })
  })

  test('nested as deep as it fits is answered like any other', async () => {
    const deep = `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`
    const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_markets","arguments":${deep}}}`
    const { status, json } = await post(target(), call)
    expect(status).toBe(200)
    expect(toolText(json).value).toBeObject()
    expect((await post(target(), PING)).status).toBe(200)
    asked()
  })

  test('that is not UTF-8 is not JSON', async () => {
    const body = new Uint8Array([0x22, 0xff, 0x22])
    const response = await target().fetch('/mcp', { method: 'POST', body })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: -32700 } })
  })
})

describe('the rate limit', () => {
  test('answers a call of a tool with a failure of the tool, and anything else with 429', async () => {
    const limited = await openTarget('in process', { LIMIT_MCP: '1/3600s burst 1' })
    const here = { 'x-forwarded-for': '203.0.113.1' }
    expect((await post(limited, PING, here)).status).toBe(200)

    const ping = await post(limited, PING, here)
    expect(ping.status).toBe(429)
    expect(ping.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(ping.json?.error?.data).toMatchObject({ code: 'rate_limited', retryable: true })
    expect(ping.json).toMatchObject({ id: Object(PING).id })

    for (const [call, headers] of [
      [MARKETS, here],
      [
        modern('tools/call', { name: 'list_markets' }),
        { ...here, ...modernHeaders('tools/call', 'list_markets') },
      ],
    ] as const) {
      const { status, json } = await post(limited, call, headers)
      expect(status).toBe(200)
      expect(toolText(json)).toMatchObject({
        isError: true,
        value: {
          code: 'rate_limited',
          retryable: true,
          meta: { retryAfterSeconds: expect.any(Number) },
        },
      })
    }
    expect((await post(limited, PING, { 'x-forwarded-for': '203.0.113.2' })).status).toBe(200)
    await limited.stop()
  })

  test('counts what a tool asks against the same caller', async () => {
    const limited = await openTarget('in process', {
      LIMIT_MCP: 'off',
      LIMIT_READ: '1/3600s burst 1',
    })
    const here = { 'x-forwarded-for': '203.0.113.1' }
    const book = request('tools/call', {
      name: 'get_orderbook',
      arguments: { symbol: 'PERP_ETH_USDC' },
    })
    expect(toolText((await post(limited, book, here)).json).isError).toBe(false)
    const second = toolText((await post(limited, book, here)).json)
    expect(second.value).toMatchObject({ code: 'rate_limited', retryable: true })
    const other = await post(limited, book, { 'x-forwarded-for': '203.0.113.2' })
    expect(toolText(other.json).isError).toBe(false)
    await limited.stop()
  })
})
