import { afterEach, describe, expect, test } from 'bun:test'
import type { UpstreamRequest } from '../../src/core/ports.ts'
import { signedHeaders } from '../../src/upstream/wire/wire.ts'
import { ACCEPTED, headerOf } from '../recording-upstream.ts'
import { faultOf, read, startServer, startVenue, stopVenues, write } from './live-venue.ts'

afterEach(stopVenues)

const AUTH = {
  accountId: '0xab',
  key: 'ed25519:abc',
  signature: 'x-_y',
  timestamp: '1700000000000',
}

describe('what is sent', () => {
  const exact = [
    '/v1/order?order_id=13&symbol=PERP_ETH_USDC',
    '/v1/a//b;c=1/~x/!$&()*+,=:@?q=%20%2F%2e&r=/?:@!$()*+,;=-._~&s=[1]|{2}^`',
    '/v1/client/%E2%82%AC?empty=&flag',
  ]
  test.each(exact)('the target %p arrives byte for byte', async (path) => {
    const { venue, upstream } = await startVenue()
    await upstream.send(read(path))
    expect(venue.requests.map(({ target }) => target)).toEqual([path])
  })

  const respelled = [
    '/v1/../v2',
    '/v1/%2e%2e/v2',
    '/v1/order?',
    '/v1/order#part',
    '/v1/or der',
    "/v1/order?a='",
    '/v1/order?a="',
    '/v1\\order',
    '/v1/é',
    '/v1/order\n',
    'v1/order',
    '@other.example/v1',
    '.other.example/v1',
    ':1/v1',
    '',
  ]
  test.each(respelled)(
    'the path %p, which a URL would spell differently, is not sent',
    async (path) => {
      const { venue, upstream } = await startVenue()
      expect(await faultOf(upstream.send(read(path)))).toEqual({
        fault: 'unreachable',
        sent: false,
      })
      expect(venue.requests).toEqual([])
    },
  )

  test('a body arrives byte for byte, with the given headers and no others of meaning', async () => {
    const { venue, upstream } = await startVenue()
    const body = '\ufeff{"a": 1.50,\r\n "é":"\u{1f600}\u0000\u2028", "n":9007199254740993 }\n'
    const headers = { 'content-type': 'application/json', 'x-key': 'ed25519:abc' }
    await upstream.send(write('POST', { body, headers }))
    const [sent] = venue.requests
    expect(sent?.body).toEqual(new TextEncoder().encode(body))
    const names = sent?.headers.map(([name, value]) => [name.toLowerCase(), value])
    expect(Object.fromEntries(names ?? [])).toEqual({
      ...headers,
      'user-agent': 'prepd',
      accept: 'application/json',
      'accept-encoding': 'gzip',
      host: new URL(venue.url).host,
      'content-length': String(Buffer.byteLength(body)),
    })
  })

  const WRITES: readonly [string, UpstreamRequest][] = [
    ['a signed order', write('POST', { body: '{"é":1.50}', headers: signedHeaders('POST', AUTH) })],
    ['a change', write('PUT', { body: '{}', headers: { accept: 'application/json', 'x-b': 'b' } })],
    ['a signed cancel', write('DELETE', { headers: signedHeaders('DELETE', AUTH) })],
    ['a DELETE with a body', write('DELETE', { body: '{}' })],
    ['a POST without one', write('POST')],
  ]
  test.each(WRITES)('%s is the same bytes on a kept connection and on its own', async (_, call) => {
    const { venue, upstream } = await startVenue()
    const main = new URL(venue.url)
    const { upstream: proxied } = await startVenue(undefined, { main, proxied: () => true })
    await upstream.send(call)
    await upstream.send(call)
    await proxied.send(call)
    const [first, again, own] = venue.requests.map(({ connection, ...sent }) => sent)
    expect(first).toEqual(own)
    expect(again).toEqual(own)
  })

  test('a body without a content type gets none', async () => {
    const { venue, upstream } = await startVenue()
    await upstream.send(write('DELETE', { body: '{}' }))
    expect(venue.requests.map((request) => headerOf(request, 'content-type'))).toEqual([undefined])
  })

  test('a body with half a surrogate pair, or a header of two lines, is not sent', async () => {
    const { venue, upstream } = await startVenue()
    const unsent = { fault: 'unreachable', sent: false } as const
    expect(await faultOf(upstream.send(write('POST', { body: '"\ud800"' })))).toEqual(unsent)
    const headers = { 'x-key': 'a\r\nx-other: b' }
    expect(await faultOf(upstream.send(write('POST', { headers })))).toEqual(unsent)
    expect(venue.requests).toEqual([])
  })

  test('each host gets its own calls', async () => {
    const vaults = await startServer()
    const { venue, upstream } = await startVenue(undefined, { vaults: new URL(vaults.url) })
    await upstream.send(read('/v1/main'))
    await upstream.send(read('/v1/vault', { host: 'vaults' }))
    expect(venue.requests.map(({ target }) => target)).toEqual(['/v1/main'])
    expect(vaults.requests.map(({ target }) => target)).toEqual(['/v1/vault'])
  })

  test('a cookie the venue sets is not sent back', async () => {
    const { venue, upstream } = await startVenue(() => ({
      ...ACCEPTED,
      headers: { 'Set-Cookie': 'a=b; Path=/' },
    }))
    await upstream.send(read())
    await upstream.send(read())
    expect(venue.requests.map((request) => headerOf(request, 'cookie'))).toEqual([
      undefined,
      undefined,
    ])
  })
})
