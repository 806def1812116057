import { describe, expect, test } from 'bun:test'
import { newCaller } from '../caller.ts'
import type { Target } from '../target.ts'
import { guardedTargets } from './guarded-targets.ts'
import { post, request, toolText } from './rpc.ts'

const PING = request('ping')
const POSITIONS = request('tools/call', { name: 'list_positions' })
const BEARER =
  'a well-formed authorization header (Bearer <account id>:<trading key as 64 hex digits>)'
const EXPLAIN = request('tools/call', { name: 'list_operations' })

const { target, proxied, venue, asked } = guardedTargets({})

/** The calls of list_positions: positions, and the conditional orders that protect them. */
const READS = ['GET /v1/algo/orders?status=INCOMPLETE&size=500', 'GET /v1/positions']

describe('credentials', () => {
  const { accountId, key, secret } = newCaller()
  const hex = Buffer.from(secret).toString('hex')
  const headers = { 'x-account-id': accountId, 'x-trading-key': hex }

  async function positions(given: Record<string, string>, at: () => Target = target) {
    const { status, json } = await post(at(), POSITIONS, given)
    return { status, ...toolText(json) }
  }

  test.each([
    ['two headers', headers],
    ['a bearer', { authorization: `Bearer ${accountId}:${hex}` }],
    [
      'two headers, whatever the bearer says',
      { ...headers, authorization: `Bearer 0x${'0'.repeat(64)}:${hex}` },
    ],
  ])('in %s sign the call to the venue', async (_, given) => {
    expect(await positions(given)).toMatchObject({ status: 200, isError: false })
    expect(asked()).toEqual(READS)
    const sent = new Headers(
      venue()
        .requests.at(-1)
        ?.headers.map(([name, value]) => [name, value]),
    )
    expect(sent.get('orderly-account-id')).toBe(accountId)
    expect(sent.get('orderly-key')).toBe(key)
    expect(JSON.stringify(venue().requests.at(-1))).not.toContain(hex)
  })

  test.each([
    ['nothing', {}, ['x-account-id', 'x-trading-key']],
    ['only the account', { 'x-account-id': accountId }, ['x-trading-key']],
    ['only the key', { 'x-trading-key': hex }, ['x-account-id']],
    [
      'empty headers',
      { 'x-account-id': '', 'x-trading-key': '' },
      ['x-account-id', 'x-trading-key'],
    ],
    [
      'half a pair and a bearer',
      { 'x-account-id': accountId, authorization: `Bearer ${accountId}:${hex}` },
      ['x-trading-key'],
    ],
    ['a basic authorization', { authorization: 'Basic YTpi' }, ['x-account-id', 'x-trading-key']],
    ['a bearer of something else', { authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9' }, [BEARER]],
    ['an empty bearer', { authorization: 'Bearer ' }, [BEARER]],
    ['a bearer of the account alone', { authorization: `Bearer ${accountId}` }, [BEARER]],
    ['a bearer cut short', { authorization: `Bearer ${accountId}:${hex.slice(1)}` }, [BEARER]],
  ])('that are absent are named: %s', async (_, given, missing) => {
    const { status, isError, value } = await positions(given)
    expect({ status, isError }).toEqual({ status: 200, isError: true })
    expect(value).toMatchObject({ code: 'unauthorized', retryable: false, meta: { missing } })
    expect(value['error']).toBe(`Credentials are missing: ${missing.join(', ')}.`)
    expect(JSON.stringify(value)).not.toContain(hex.slice(1, 32))
    expect(asked()).toEqual([])
  })

  test.each([
    ['x-account-id', { ...headers, 'x-account-id': accountId.slice(0, -1) }],
    ['x-trading-key', { ...headers, 'x-trading-key': `${hex}00` }],
    ['x-trading-key', { ...headers, 'x-trading-key': '0'.repeat(64) }],
  ])('that are malformed are named and not repeated: %s', async (parameter, given) => {
    const { isError, value } = await positions(given)
    expect(isError).toBe(true)
    expect(value).toMatchObject({ code: 'unauthorized', meta: { parameter } })
    expect(JSON.stringify(value)).not.toContain(given[parameter as 'x-trading-key'].slice(0, 32))
    expect(asked()).toEqual([])
  })

  test.each([
    ['forwarded by nobody we trust', { 'x-forwarded-for': '203.0.113.9' }],
    ['said to be https by nobody we trust', { 'x-forwarded-proto': 'https' }],
    ['passed through a proxy', { via: '1.1 proxy' }],
  ])('are refused when %s', async (_, forwarded) => {
    const { status, isError, value } = await positions({ ...headers, ...forwarded })
    expect({ status, isError }).toEqual({ status: 200, isError: true })
    expect(value).toMatchObject({ code: 'forbidden', meta: { parameter: 'x-trading-key' } })
    expect(asked()).toEqual([])
  })

  test.each([
    ['https', { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' }, false],
    ['https in capitals', { 'x-forwarded-proto': 'HTTPS' }, false],
    ['https twice', { 'x-forwarded-proto': 'https, https' }, false],
    ['http', { 'x-forwarded-proto': 'http' }, true],
    ['http at one hop', { 'x-forwarded-proto': 'https, http' }, true],
    ['http in capitals', { 'x-forwarded-proto': ' HTTP' }, true],
    ['nothing', { 'x-forwarded-for': '203.0.113.9' }, false],
    ['nothing at all', {}, false],
    ['https by the standard header', { forwarded: 'for=203.0.113.9;proto=https' }, false],
    ['http by the standard header', { forwarded: 'for="[::1]:1";Proto="http";by=x' }, true],
    ['http at one hop of it', { forwarded: 'proto=https, for=x; proto=http' }, true],
    ['http in one of both', { 'x-forwarded-proto': 'https', forwarded: 'proto=http' }, true],
    ['a host called http', { forwarded: 'host=http;for=http' }, false],
  ])('are used unless a trusted proxy says http: %s', async (_, forwarded, isError) => {
    expect(await positions({ ...headers, ...forwarded }, proxied)).toMatchObject({ isError })
    expect(asked()).toEqual(isError ? [] : READS)
  })

  test.each([
    ['a bearer of somebody else', { authorization: 'Bearer of.the.gateway' }],
    ['a key in clear text', headers],
    ['a malformed key', { ...headers, 'x-trading-key': 'x' }],
    ['a malformed account', { ...headers, 'x-account-id': '0x12' }],
  ])('are not needed for public tools, which %s does not harm', async (_, given) => {
    const foreign = { 'x-forwarded-for': '203.0.113.9', ...given }
    const { json } = await post(target(), EXPLAIN, foreign)
    expect(toolText(json)).toMatchObject({ isError: false })
    expect(JSON.stringify(json)).not.toContain(hex)
    asked()
  })

  test('in the arguments or the address are refused before anything is sent', async () => {
    const args = { symbol: `PERP_ETH_USDC ${hex}` }
    const call = request('tools/call', { name: 'get_orderbook', arguments: args })
    const { json } = await post(target(), call, headers)
    expect(toolText(json).value).toMatchObject({ code: 'invalid_request' })
    const url = await target().fetch(`/mcp?key=${hex}`, {
      method: 'POST',
      body: JSON.stringify(PING),
    })
    expect(url.status).toBe(400)
    expect(asked()).toEqual([])
  })
})

describe('limits in headers', () => {
  const { accountId, secret } = newCaller()
  const signed = { 'x-account-id': accountId, 'x-trading-key': Buffer.from(secret).toString('hex') }
  const order = { symbol: 'PERP_ETH_USDC', side: 'BUY', order_type: 'MARKET', order_quantity: 1 }
  const ORDER = request('tools/call', { name: 'place_order', arguments: order })

  test.each([
    ['x-read-only', 'yes'],
    ['x-read-only', ''],
    ['x-max-order-usdc', '1,000'],
    ['x-max-order-usdc', ''],
    ['x-allowed-symbols', ''],
    ['x-max-order-usdc', '-1'],
    ['x-allowed-symbols', 'ETH'],
    ['x-max-daily-usdc', '1e2'],
    ['x-max-leverage', '0'],
  ])('that would not hold stop every call: %s: %s', async (name, value) => {
    const { json } = await post(target(), ORDER, { ...signed, [name]: value })
    expect(toolText(json)).toMatchObject({
      isError: true,
      value: { code: 'invalid_request', meta: { parameter: name } },
    })
    expect(asked()).toEqual([])
  })

  test.each([
    ['x-max-ordr-usdc', 'x-max-order-usdc'],
    ['x_read_only', 'x-read-only'],
  ])('that are misspelt stop every call too: %s', async (name, suggestion) => {
    const { json } = await post(target(), ORDER, { ...signed, [name]: '50' })
    expect(toolText(json)).toMatchObject({
      isError: true,
      value: { code: 'invalid_request', meta: { parameter: name, suggestion } },
    })
    expect(asked()).toEqual([])
    const others = { ...signed, 'x-max-tokens': '50', 'x-requested-with': 'fetch' }
    expect(toolText((await post(target(), POSITIONS, others)).json).isError).toBe(false)
    expect(asked()).toEqual(READS)
  })

  test('keep an agent from writing, and let it read', async () => {
    const limits = { ...signed, 'x-read-only': 'on' }
    const { json } = await post(target(), ORDER, limits)
    expect(toolText(json).value).toMatchObject({ code: 'mandate_exceeded' })
    expect(asked()).toEqual([])
    expect(toolText((await post(target(), POSITIONS, limits)).json).isError).toBe(false)
    expect(asked()).toEqual(READS)
  })
})
