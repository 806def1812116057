import { afterEach, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import type { UpstreamFault } from '../../src/core/ports.ts'
import { exchangeFault } from '../../src/upstream/sockets/exchange.ts'
import { ACCEPTED, type AnswerSpec } from '../recording-upstream.ts'
import selfSigned from '../vectors/self-signed.json'
import {
  faultOf,
  read,
  startServer,
  startVenue,
  stopVenues,
  timedOut,
  write,
} from './live-venue.ts'

afterEach(stopVenues)

const FAULTS: readonly (readonly [name: string, answer: AnswerSpec, fault: UpstreamFault])[] = [
  ['a venue that never answers', 'hang', 'timeout'],
  ['a body that stalls', { truncated: 'stall' }, 'timeout'],
  ['a chunked body that stalls', { truncated: 'stall', chunked: true }, 'timeout'],
  ['a connection closed instead of an answer', 'close', 'reset'],
  ['a body shorter than its length', { truncated: 'close' }, 'reset'],
  ['a chunked body without its end', { truncated: 'close', chunked: true }, 'reset'],
  ['bytes that are no HTTP', { raw: 'good day\r\n\r\n' }, 'reset'],
  ['a head without its end', { raw: 'HTTP/1.1 200 OK\r\nContent-Ty' }, 'reset'],
  ['a broken packing', { body: '{}', headers: { 'Content-Encoding': 'gzip' } }, 'content_type'],
  ['a temporary redirect', { status: 302, headers: { Location: '/' } }, 'redirect'],
  ['a redirect to nowhere', { status: 301 }, 'redirect'],
  ['an unchanged answer that nobody asked for', { status: 304 }, 'redirect'],
  ['a page', { contentType: 'text/html', body: '<html></html>' }, 'content_type'],
  [
    'a page with status 502',
    { status: 502, contentType: 'text/html', body: '<html></html>' },
    'content_type',
  ],
  ['JSON by another name', { contentType: 'application/jsonp' }, 'content_type'],
  ['a list of types', { contentType: 'text/plain, application/json' }, 'content_type'],
  ['no content type', { contentType: null }, 'content_type'],
  ['a success without a body', { body: '' }, 'content_type'],
  ['a body that is not UTF-8', { body: Uint8Array.of(0x22, 0xff, 0x22) }, 'content_type'],
  ['a body above the limit', { body: ' '.repeat(100_001) }, 'oversized'],
  ['a chunked body above the limit', { body: ' '.repeat(100_001), chunked: true }, 'oversized'],
]

describe('faults', () => {
  test.each(FAULTS)('%s is told once, as sent', async (_, answer, fault) => {
    const { venue, upstream } = await startVenue(() => answer)
    const call = write('POST', { body: '{}' })
    const isThere = () => venue.requests.length === 1
    const seen =
      fault === 'timeout' ? timedOut(upstream, call, isThere) : faultOf(upstream.send(call))
    expect(await seen).toEqual({ fault, sent: true })
    expect(venue.requests).toHaveLength(1)
  })

  test.each([false, true])('a body of exactly the limit is read, chunked: %p', async (chunked) => {
    const body = ' '.repeat(100_000)
    const { upstream } = await startVenue(() => ({ body, chunked }))
    expect((await upstream.send(read())).body).toBe(body)
  })

  test('an oversized body is not read to its end and its connection is closed', async () => {
    const body = ' '.repeat(64 * 1024 * 1024)
    const { venue, upstream } = await startVenue(() => ({ body }))
    expect(await faultOf(upstream.send(read()))).toEqual({ fault: 'oversized', sent: true })
    while (venue.openConnections() > 0) await Bun.sleep(5)
    expect(venue.requests).toHaveLength(1)
  })

  test('a packed body is measured unpacked', async () => {
    const packed = Bun.gzipSync(' '.repeat(200_000))
    expect(packed.byteLength).toBeLessThan(100_000)
    const { upstream } = await startVenue(() => ({
      body: packed,
      headers: { 'Content-Encoding': 'gzip' },
    }))
    expect(await faultOf(upstream.send(read()))).toEqual({ fault: 'oversized', sent: true })
  })

  test('a redirect is not followed', async () => {
    const otherHost = await startServer()
    const { venue, upstream } = await startVenue(() => ({
      ...ACCEPTED,
      status: 307,
      headers: { Location: `${otherHost.url}/v1/order` },
    }))
    const call = upstream.send(write('POST', { body: '{}' }))
    expect(await faultOf(call)).toEqual({ fault: 'redirect', sent: true })
    expect(venue.requests).toHaveLength(1)
    expect(otherHost.requests).toEqual([])
  })

  const nobody = ['http://127.0.0.1:1', 'https://127.0.0.1:1', 'http://[::1]:1']
  test.each(nobody)('a call to %s, where nobody answers, was not sent', async (address) => {
    const main = new URL(address)
    const { upstream } = await startVenue(undefined, { main })
    expect(await faultOf(upstream.send(write('POST', { body: '{}' })))).toEqual({
      fault: 'unreachable',
      sent: false,
    })
  })

  test('a venue with a certificate nobody signed was sent nothing', async () => {
    let reached = 0
    const server = Bun.serve({
      port: 0,
      tls: { cert: selfSigned.certificate, key: selfSigned.key },
      fetch() {
        reached += 1
        return Response.json(ACCEPTED.json)
      },
    })
    const { upstream } = await startVenue(undefined, {
      main: new URL(`https://localhost:${server.port}`),
    })
    const call = upstream.send(write('POST', { body: '{}' }))
    expect(await faultOf(call)).toEqual({ fault: 'unreachable', sent: false })
    expect(reached).toBe(0)
    await server.stop(true)
  })

  test('a broken handshake counts as sent, because it cannot be told from a connection that broke later', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = address && typeof address === 'object' ? address.port : 0
    const { upstream } = await startVenue(undefined, { main: new URL(`https://127.0.0.1:${port}`) })
    const call = upstream.send(write('POST', { body: '{}' }))
    expect(await faultOf(call)).toEqual({ fault: 'unreachable', sent: true })
    server.close()
  })

  const codes = [
    ['ENOTFOUND', 'unreachable', false],
    ['EAI_AGAIN', 'unreachable', false],
    ['CERT_HAS_EXPIRED', 'unreachable', false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'unreachable', false],
    ['EPROTO', 'unreachable', true],
    ['ECONNRESET', 'reset', true],
    ['ETIMEDOUT', 'reset', true],
    ['SOMETHING_NEW', 'reset', true],
  ] as const
  test.each(codes)('the error code %s means %s, sent: %p', (code, fault, sent) => {
    const error = Object.assign(new TypeError('no exchange'), { code })
    expect(exchangeFault(error)).toMatchObject({ fault, sent, cause: error })
  })

  test.each([undefined, null, 'text', 7])('a thrown %p counts as sent', (thrown) => {
    expect(exchangeFault(thrown)).toMatchObject({ fault: 'reset', sent: true })
  })
})
