import { afterEach, describe, expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import { yieldToEventLoop } from '../../src/core/loop/guarded.ts'
import { openPool } from '../../src/upstream/sockets/pool.ts'
import { ACCEPTED } from '../recording-upstream.ts'
import { runs } from '../runs.ts'
import { read, startVenue, stopVenues, write } from './live-venue.ts'

const stops: (() => void)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0)) stop()
  await stopVenues()
})

const NOISE = Buffer.concat(
  Array.from({ length: 40 }, () => crypto.getRandomValues(new Uint8Array(65_536))),
)
const PACKED = Bun.gzipSync(JSON.stringify(NOISE.toString('latin1')), { level: 1 })
const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'

const GET = { method: 'GET', headers: {}, body: null } as const

type Ending = {
  readonly packing: 'plain' | 'packed' | 'packed and broken'
  readonly bytes: number
  readonly brokenAt: number
  readonly isChunked: boolean
  readonly isCut: boolean
  readonly behind: string
  readonly type: string
}

const ENDINGS: fc.Arbitrary<Ending> = fc.record({
  packing: fc.constantFrom('plain', 'packed', 'packed and broken', 'packed and broken'),
  bytes: fc.oneof(
    fc.integer({ min: 2, max: 2000 }),
    fc.integer({ min: 1_000_000, max: PACKED.length }),
  ),
  brokenAt: fc.double({ min: 0, max: 1, noNaN: true }),
  isChunked: fc.boolean(),
  isCut: fc.nat({ max: 9 }).map((n) => n === 0),
  behind: fc.constantFrom('', '', '', '{}', `${OK}Content-Length: 2\r\n\r\n{}`),
  type: fc.constantFrom('application/json', 'application/json', 'text/html'),
})

/** An answer of that ending, as it goes over the wire. */
function answerOf({ packing, bytes, brokenAt, isChunked, isCut, behind, type }: Ending): Buffer {
  const isPacked = packing !== 'plain'
  const whole = isPacked ? Buffer.from(PACKED) : Buffer.from(`"${NOISE.toString('base64')}"`)
  const body = whole.subarray(0, bytes)
  const at = Math.floor(brokenAt * body.length)
  if (packing === 'packed and broken') body.subarray(at, at + 200).fill(0xff)
  const head = OK.replace('application/json', type) + (isPacked ? 'Content-Encoding: gzip\r\n' : '')
  const framed = isChunked
    ? [`Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n']
    : [`Content-Length: ${body.length}\r\n\r\n`, body]
  const sent = Buffer.concat([head, ...framed].map((part) => Buffer.from(part)))
  return isCut ? sent.subarray(0, sent.length - 3) : Buffer.concat([sent, Buffer.from(behind)])
}

describe('a kept connection', () => {
  // Slow: each generated sequence of answers comes from a venue of its own.
  test('is open, unpaused and has nothing to read, however the answer before it ended', async () => {
    const property = fc.asyncProperty(
      fc.array(ENDINGS, { minLength: 4, maxLength: 4 }),
      async (endings) => {
        const { upstream } = await startVenue(
          ({ target }) => {
            const ending = endings[Number(target.slice(1))]
            return ending ? { raw: answerOf(ending), open: !ending.isCut } : ACCEPTED
          },
          { bodyMaxBytes: 8_000_000, bodiesMaxBytes: { read: 16_000_000, write: 16_000_000 } },
        )
        for (const call of [read(), write('POST', { body: '{}' })]) {
          for (const at of endings.keys()) {
            await upstream.send({ ...call, path: `/${at}` }).catch(() => undefined)
            const next = await upstream.send({ ...call, path: '/next' })
            expect(next.body).toBe(JSON.stringify(ACCEPTED.json))
          }
        }
        await stopVenues()
      },
    )
    await fc.assert(property, { numRuns: runs(8), interruptAfterTimeLimit: 60_000 })
  })

  test('is unpaused when its answer was whole before anybody read more of it', async () => {
    const leaving = fc.constantFrom('cancels', 'leaves the loop', 'reads it')
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 9000 }),
      leaving,
      async (bytes, how) => {
        // So many bytes are unread with the last read that no more would be read for now.
        const long = NOISE.subarray(0, 1024 * 1024 + bytes)
        const { main, sockets } = await listening((socket, request) => {
          const body = request.startsWith('GET /long') ? long : Buffer.from('{}')
          socket.write(`${OK}Content-Length: ${body.length}\r\n\r\n`)
          socket.write(body)
        })
        const pool = openPool(main, { idleMs: 1000, resends: true, openingMax: 1 })
        const ask = (target: string) =>
          pool({ ...GET, url: main, target }, AbortSignal.timeout(5000))
        const { body } = await ask('/long')
        if (!body || body instanceof Uint8Array) throw new Error('it came with its head')
        while (sockets[0]?.writableLength) await yieldToEventLoop()
        for (let turns = 0; turns < 10; turns += 1) await yieldToEventLoop()
        if (how === 'cancels') await body.cancel()
        else for await (const _ of body) if (how === 'leaves the loop') break
        expect((await ask('/next')).body).toEqual(Buffer.from('{}'))
        expect(sockets).toHaveLength(1)
      },
    )
    await fc.assert(property, { numRuns: runs(20), interruptAfterTimeLimit: 60_000 })
  })

  test.each([read(), write('POST', { body: '{}' })])(
    'that an answer nobody asked for came to carries no other call ($method)',
    async (call) => {
      const { main, sockets } = await listening((socket) => {
        socket.write(`${OK}Content-Length: 1\r\n\r\n${sockets.length}`)
      })
      const { upstream } = await startVenue(undefined, { main })
      for (let calls = 1; calls <= 9; calls += 1) {
        expect((await upstream.send(call)).body).toBe(String(calls))
        // The system has it at once, and the loop has no turn before the next call.
        sockets.at(-1)?.write(`${OK}Content-Length: 1\r\n\r\n0`)
      }
    },
  )
})

test('others have their turn of the loop after each long read of an answer', async () => {
  const { main } = await listening((socket) => {
    socket.write(`${OK}Content-Length: ${NOISE.length * 4}\r\n\r\n`)
    for (let copies = 0; copies < 4; copies += 1) socket.write(NOISE)
  })
  const pool = openPool(main, { idleMs: 1000, resends: true, openingMax: 1 })
  const { body } = await pool({ ...GET, url: main, target: '/' }, new AbortController().signal)
  let turns = 0
  let isOver = false
  const counting = (async () => {
    for (; !isOver; turns += 1) await yieldToEventLoop()
  })()
  const longReads: number[] = []
  if (!body || body instanceof Uint8Array) throw new Error('it came with its head')
  for await (const part of body) if (part.length >= 65_536) longReads.push(turns)
  isOver = true
  await counting
  expect(longReads.length).toBeGreaterThan(5)
  expect(new Set(longReads).size).toBe(longReads.length)
})

/** A server that answers whatever a connection says. */
async function listening(answer: (socket: Socket, request: string) => void) {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => socket.destroy())
    socket.on('data', (bytes) => answer(socket, bytes.toString('latin1')))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  const port = address && typeof address === 'object' ? address.port : 0
  return { main: new URL(`http://127.0.0.1:${port}`), sockets }
}
