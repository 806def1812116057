import { afterAll, beforeAll, expect, test } from 'bun:test'
import { constants, inflateRawSync } from 'node:zlib'
import { openTarget, type Target } from '../target.ts'

let target: Target
beforeAll(async () => {
  target = await openTarget('in process')
})
afterAll(() => target.stop())

const COMPRESSED = 0xc1
const PLAIN = 0x81
const OFFER = 'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n'

/** The answer to a handshake, and the first byte and the text of the first long frame. */
async function firstLongFrame(offer: string) {
  const { hostname, port } = new URL((await target.listening()).public)
  const { promise, resolve } = Promise.withResolvers<{ head: string; frame: Buffer }>()
  let received = Buffer.alloc(0)
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (opened) => void opened.write(handshake(offer)),
      data: (opened, bytes) => {
        if (received.length === 0)
          opened.write(masked('{"op":"subscribe","topics":["tickers.changes"]}'))
        received = Buffer.concat([received, bytes])
        const found = longFrameIn(received)
        if (found) resolve(found)
      },
    },
  })
  const { head, frame } = await promise
  socket.terminate()
  return { head, first: frame[0], payload: frame.subarray(4) }
}

function handshake(offer: string): string {
  const key = 'Sec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA==\r\n'
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
  return `GET /api/prep/ws HTTP/1.1\r\nHost: 127.0.0.1\r\n${upgrade}${key}${offer}\r\n`
}

/** A client's frame; its mask is zero. */
function masked(text: string): Buffer {
  return Buffer.concat([Buffer.from([PLAIN, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
}

const LENGTH_FOLLOWS = 126

/** The first complete frame whose length takes two bytes, and the head of the answer before it. */
function longFrameIn(bytes: Buffer) {
  const at = bytes.indexOf('\r\n\r\n') + 4
  if (at < 4) return null
  for (let from = at; from + 4 <= bytes.length; ) {
    const short = bytes.readUInt8(from + 1)
    const isLong = short === LENGTH_FOLLOWS
    const end = from + (isLong ? 4 + bytes.readUInt16BE(from + 2) : 2 + short)
    if (end > bytes.length) return null
    // The greeting and the acknowledgement are shorter.
    if (isLong && end - from > 500) {
      return { head: bytes.toString('latin1', 0, at), frame: bytes.subarray(from, end) }
    }
    from = end
  }
  return null
}

test('a client that offers permessage-deflate gets a long message compressed', async () => {
  const { head, first, payload } = await firstLongFrame(OFFER)
  expect(head).toContain(
    'permessage-deflate; client_no_context_takeover; server_no_context_takeover',
  )
  expect(first).toBe(COMPRESSED)
  const text = inflateRawSync(payload, { finishFlush: constants.Z_SYNC_FLUSH }).toString()
  expect(JSON.parse(text)).toMatchObject({ topic: 'tickers.changes', type: 'snapshot' })
  expect(payload.length * 2).toBeLessThan(text.length)
})

test('a client that offers nothing gets it as it is', async () => {
  const { head, first, payload } = await firstLongFrame('')
  expect(head).not.toContain('permessage-deflate')
  expect(first).toBe(PLAIN)
  expect(JSON.parse(payload.toString())).toMatchObject({ topic: 'tickers.changes' })
})
