import { afterEach, describe, expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { LIMITS } from '../../src/contract/limits.ts'
import type { UpstreamFault } from '../../src/core/ports.ts'
import { ACCEPTED } from '../recording-upstream.ts'
import { faultOf, read, startVenue, stopVenues, timedOut, write } from './live-venue.ts'

afterEach(stopVenues)

const TYPE = 'Content-Type: application/json\r\n'
const OK = `HTTP/1.1 200 OK\r\n${TYPE}`
const TEXT = '{"success":true}'
const SIZED = `${OK}Content-Length: ${TEXT.length}\r\n\r\n${TEXT}`
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`
const CALLS = [read(), write('POST', { body: '{}' })]

const REFUSED: readonly (readonly [what: string, raw: string])[] = [
  [
    'a length and chunks',
    `${OK}Content-Length: 16\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n${TEXT}\r\n0\r\n\r\n`,
  ],
  ['two lengths', `${OK}Content-Length: 16\r\nContent-Length: 2\r\n\r\n${TEXT}`],
  ['a length that is none', `${OK}Content-Length: +16\r\n\r\n${TEXT}`],
  ['a length of many digits', `${OK}Content-Length: 9999999999999999\r\n\r\n${TEXT}`],
  ['another coding than chunks', `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
  ['a folded line', `${OK}X-A: b\r\n c\r\nContent-Length: 16\r\n\r\n${TEXT}`],
  ['a space before a colon', `${OK}Content-Length : 16\r\n\r\n${TEXT}`],
  ['a line without a name', `${OK}: a\r\nContent-Length: 16\r\n\r\n${TEXT}`],
  ['a control character', `${OK}X-A: b\u0000c\r\nContent-Length: 16\r\n\r\n${TEXT}`],
  ['a line feed alone', `${OK}X-A: b\nContent-Length: 16\r\n\r\n${TEXT}`],
  ['another protocol', SIZED.replace('HTTP/1.1', 'HTTP/2')],
  ['a status of two digits', SIZED.replace('200', '20')],
  ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n'],
  ['a chunk without a size', `${CHUNKED}x\r\n`],
  ['a chunk of a size below zero', `${CHUNKED}-1\r\n`],
  ['a chunk of a size without end', `${CHUNKED}${'0'.repeat(9)}\r\n\r\n`],
  ['a chunk longer than its size', `${CHUNKED}4\r\n${TEXT}\r\n0\r\n\r\n`],
  ['an extension without end', `${CHUNKED}10;${'x'.repeat(5000)}`],
  ['trailers without end', `${CHUNKED}0\r\n${`X-A: ${'b'.repeat(1000)}\r\n`.repeat(40)}`],
  ['a head without end', `${OK}${`X-A: ${'b'.repeat(1000)}\r\n`.repeat(400)}`],
  [
    'announcements without end',
    'HTTP/1.1 103 Early Hints\r\nX-A: b\r\n\r\n'.repeat(LIMITS.upstreamHeadMaxBytes / 32),
  ],
]

/** What is an answer nonetheless, and the connection that carries the next call. */
const TAKEN: readonly (readonly [what: string, raw: string, next: 'kept' | 'new'])[] = [
  ['an announcement first', `HTTP/1.1 100 Continue\r\n\r\n${SIZED}`, 'kept'],
  ['hints first', `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${SIZED}`, 'kept'],
  ['the same length twice', SIZED.replace('\r\n\r\n', '\r\nContent-Length: 16\r\n\r\n'), 'kept'],
  [
    'chunks with extensions and trailers',
    `${CHUNKED}8;a=b\r\n${TEXT.slice(0, 8)}\r\n8 \r\n${TEXT.slice(8)}\r\n0\r\nX-A: b\r\n\r\n`,
    'kept',
  ],
  ['no reason and no spaces', SIZED.replace(' OK', '').replaceAll(': ', ':'), 'kept'],
  ['a word that it closes', SIZED.replace('\r\n\r\n', '\r\nConnection: Close\r\n\r\n'), 'new'],
  ['HTTP/1.0', SIZED.replace('HTTP/1.1', 'HTTP/1.0'), 'new'],
  ['more than belongs to it', `${SIZED}{}`, 'new'],
  ['another answer behind it', SIZED + SIZED, 'new'],
]

describe('an answer', () => {
  test.each(REFUSED)('with %s is none, and its connection is left', async (_, raw) => {
    for (const call of CALLS) {
      const { venue, upstream } = await startVenue(({ connection }) =>
        connection === 1 ? { raw, open: true } : ACCEPTED,
      )
      expect(await faultOf(upstream.send(call))).toEqual({ fault: 'reset', sent: true })
      expect(venue.requests).toHaveLength(1)
      while (venue.openConnections() > 0) await Bun.sleep(1)
      expect((await upstream.send(call)).status).toBe(200)
    }
  })

  test.each(TAKEN)('with %s is one', async (_, raw, next) => {
    for (const call of CALLS) {
      const { venue, upstream } = await startVenue(() => ({ raw, open: true }))
      for (let round = 0; round < 2; round += 1) {
        expect((await upstream.send(call)).body).toBe(TEXT)
      }
      expect(venue.requests.map(({ connection }) => connection)).toEqual([
        1,
        next === 'kept' ? 1 : 2,
      ])
    }
  })

  test('without a length ends with its connection, which carries no other', async () => {
    for (const call of CALLS) {
      const { venue, upstream } = await startVenue(() => ({ raw: `${OK}\r\n${TEXT}` }))
      for (let round = 0; round < 2; round += 1) {
        expect((await upstream.send(call)).body).toBe(TEXT)
      }
      expect(venue.requests.map(({ connection }) => connection)).toEqual([1, 2])
    }
  })

  test.each([204, 304])('of status %p has no body, whatever length it names', async (status) => {
    const raw = `HTTP/1.1 ${status} None\r\n${TYPE}Content-Length: 9\r\n\r\n`
    const fault: UpstreamFault = status === 204 ? 'content_type' : 'redirect'
    const { venue, upstream } = await startVenue(() => ({ raw, open: true }))
    for (let round = 0; round < 2; round += 1) {
      expect(await faultOf(upstream.send(read()))).toEqual({ fault, sent: true })
    }
    expect(venue.requests.map(({ connection }) => connection)).toEqual([1, 1])
  })
})

// Slow: megabytes are packed and sent four times.
test.each(['plain', 'packed'])('a long answer comes whole, %s', async (how) => {
  const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536))).toString('hex')
  const text = JSON.stringify({ success: true, data: Array(20).fill(noise) })
  const answer =
    how === 'plain'
      ? { body: text }
      : { body: Bun.gzipSync(text, { level: 1 }), headers: { 'Content-Encoding': 'gzip' } }
  const { venue, upstream } = await startVenue(() => answer, {
    bodyMaxBytes: text.length,
    bodiesMaxBytes: { read: text.length, write: text.length },
  })
  for (const call of [...CALLS, ...CALLS]) {
    expect((await upstream.send(call)).body === text).toBe(true)
  }
  expect(new Set(venue.requests.map(({ connection }) => connection)).size).toBe(2)
})

describe('a venue', () => {
  /** Listens for connections, each reported as soon as it has sent something. */
  async function listening(received: (socket: Socket, bytes: Buffer) => void) {
    const sockets: Socket[] = []
    const server = createServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => socket.destroy())
      socket.on('data', (bytes) => received(socket, Buffer.from(bytes)))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = address && typeof address === 'object' ? address.port : 0
    const main = new URL(`http://127.0.0.1:${port}`)
    const { upstream } = await startVenue(undefined, { main })
    const stop = () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
    return { upstream, sockets, stop }
  }

  test.each(CALLS)('that says a byte at a time is heard out ($method)', async (call) => {
    for (const raw of [SIZED, `${CHUNKED}10\r\n${TEXT}\r\n0\r\n\r\n`]) {
      const { upstream, stop } = await listening(async (socket) => {
        socket.setNoDelay()
        for (const byte of Buffer.from(raw)) {
          socket.write(Uint8Array.of(byte))
          await new Promise<void>((resolve) => setImmediate(resolve))
        }
      })
      expect((await upstream.send(call)).body).toBe(TEXT)
      stop()
    }
  })

  test.each(CALLS)('that never comes to an end is left at the deadline ($method)', async (call) => {
    let isAsked = false
    const { upstream, sockets, stop } = await listening((socket) => {
      isAsked = true
      socket.write(OK)
      const drip = setInterval(() => socket.write('X-A: b\r\n'), 5)
      socket.on('close', () => clearInterval(drip))
    })
    const brief = { ...call, deadlineMs: 300 }
    expect(await timedOut(upstream, brief, () => isAsked)).toEqual({ fault: 'timeout', sent: true })
    while (sockets.some(({ destroyed }) => !destroyed)) await Bun.sleep(1)
    stop()
  })

  test('that answers before it has read all is heard, and its connection carries no other', async () => {
    const { upstream, sockets, stop } = await listening((socket) => {
      socket.pause()
      socket.write(SIZED)
    })
    const body = ' '.repeat(32 * 1024 * 1024)
    for (let round = 0; round < 2; round += 1) {
      expect((await upstream.send(write('POST', { body }))).body).toBe(TEXT)
    }
    expect(sockets).toHaveLength(2)
    stop()
  })

  test('that reads slowly gets every byte', async () => {
    let readBytes = 0
    const body = 'x'.repeat(8 * 1024 * 1024)
    const { upstream, stop } = await listening((socket, bytes) => {
      readBytes += bytes.length
      socket.pause()
      setTimeout(() => socket.resume(), 1)
      if (bytes.at(-1) === 0x79) socket.write(SIZED)
    })
    const call = write('POST', { body: `${body}y` })
    expect((await upstream.send(call)).body).toBe(TEXT)
    expect(readBytes).toBeGreaterThan(body.length)
    stop()
  })

  test.each(CALLS)(
    'that tears down what it has half said is not believed ($method)',
    async (call) => {
      const { upstream, stop } = await listening((socket) => {
        socket.write(SIZED.slice(0, -3), () => socket.resetAndDestroy())
      })
      expect(await faultOf(upstream.send(call))).toEqual({ fault: 'reset', sent: true })
      stop()
    },
  )
})
