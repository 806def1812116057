// Slow: a socket that is not read from holds much before it is dropped.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { signText } from '../../../src/core/crypto/signing.ts'
import { WIRE_LIMITS } from '../../../src/simulator/server/sockets.ts'
import { openWireSocket, proofOf, type WireClient } from '../../surface/wire-client.ts'
import { messagesOn, openWire } from './fixture.ts'

const ETH = 'PERP_ETH_USDC'
let wire: ReturnType<typeof openWire>
let client: WireClient
beforeAll(async () => {
  // The rows of all markets are more than a socket holds.
  wire = openWire(Date.UTC(2026, 0, 1, 23, 30), null)
  wire.pass(60_000)
  client = await wire.client('a')
})
afterAll(() => wire.stop())

/** A signed GET of whatever text, with the headers of a client that says no more than it must. */
async function get(path: string, signedPath = path) {
  const timestamp = String(wire.nowMs())
  const { accountId, publicKey, secret } = client.auth
  const headers = {
    'orderly-account-id': accountId,
    'orderly-key': publicKey,
    'orderly-timestamp': timestamp,
    'orderly-signature': signText(`${timestamp}GET${signedPath}`, secret),
  }
  return fetch(wire.url + path, { headers })
}

describe('requests of any client of the wire', () => {
  test('need no content type without a body, and the right one with it', async () => {
    expect((await get('/v1/positions')).status).toBe(200)
    const wrong = await fetch(`${wire.url}/v1/public/query`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: '{"type":"orderbook","symbol":"PERP_ETH_USDC"}',
    })
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { code: -1005 }])
  })

  test('may be signed over their escapes or what those stand for, and over nothing else', async () => {
    const path = '/v1/orders?order_tag=a%2Cb'
    expect((await get(path)).status).toBe(200)
    expect((await get(path, '/v1/orders?order_tag=a,b')).status).toBe(200)
    expect((await get(path, '/v1/orders?order_tag=a,c')).status).toBe(401)
    expect((await get('/v1/orders?order_tag=%zz')).status).toBe(200)
  })

  test('read the book, the account and its days beyond what is relayed', async () => {
    const data = async (path: string) => JSON.parse(await (await get(path)).text()).data
    const book = await data(`/v1/orderbook/${ETH}?max_level=3`)
    expect(book.asks).toHaveLength(3)
    expect(book.asks[0].price).toBeGreaterThan(book.bids[0].price)
    expect(book.timestamp).toBe(wire.nowMs())
    expect((await get('/v1/orderbook/PERP_NOPE_USDC')).status).toBe(400)
    const { rows, total_pnl_24_h, ...figures } = await data('/v1/positions')
    expect(rows).toEqual([])
    expect(await data('/v1/account_info')).toEqual({ ...figures, total_pnl_24h: total_pnl_24_h })
    const days = '/v1/client/statistics/daily?start_date=2026-01-01&end_date=2026-12-31'
    expect(await data(days)).toMatchObject({ rows: [] })
    wire.pass(40 * 60_000)
    const midnight = Date.UTC(2026, 0, 2)
    expect(await data(days)).toMatchObject({
      rows: [
        {
          date: '2026-01-01',
          account_value: 10_000,
          perp_volume: 0,
          pnl: 0,
          snapshot_time: midnight,
        },
      ],
    })
  })
})

describe('sockets', () => {
  test('prove a key in their address as well, and end where they prove none', async () => {
    const { auth } = client
    const path = `/v2/ws/private/stream/${auth.accountId}`
    const query = new URLSearchParams(proofOf(auth, wire.nowMs()))
    const own = await wire.open(`${path}?${query}`)
    own.send({ id: '1', event: 'subscribe', topic: 'balance' })
    await own.level()
    expect(messagesOn(own.texts, 'balance')).toHaveLength(1)
    own.close()
    const { publicKey } = auth
    const wrong = { orderly_key: publicKey, timestamp: String(wire.nowMs()), sign: 'x'.repeat(86) }
    const ended = new WebSocket(
      `${wire.url.replace('http', 'ws')}${path}?${new URLSearchParams(wrong)}`,
    )
    const messages: string[] = []
    ended.addEventListener('message', ({ data }) => messages.push(String(data)))
    await new Promise((resolve) => ended.addEventListener('close', resolve))
    expect(messages.map((text) => JSON.parse(text).errorMsg)).toEqual(['auth failed'])
  })

  test('answer a ping, and say what is wrong with what they do not understand', async () => {
    const socket = await wire.open()
    for (const message of [{ id: 1 }, { id: 2, event: 'dance' }, { id: 3, event: 'request' }])
      socket.send(message)
    socket.send({
      id: 4,
      event: 'request',
      params: { type: 'orderbook', symbol: 'PERP_NOPE_USDC' },
    })
    await socket.level()
    await socket.level()
    expect(socket.texts.map((text) => JSON.parse(text).errorMsg)).toEqual([
      'missing required parameter event',
      'invalid event',
      'missing required parameter type',
      'invalid symbol PERP_NOPE_USDC',
    ])
    socket.close()
  })

  test('have room for so many topics and no more', async () => {
    const socket = await wire.open()
    const max = WIRE_LIMITS.subscriptionsPerSocketMax
    for (let at = 0; at <= max; at++)
      socket.send({ id: at, event: 'subscribe', topic: `b${at}$SPOT_ETH_USDC@indexprice` })
    await socket.level()
    const messages = socket.texts
      .map((text) => JSON.parse(text))
      .filter(({ event }) => event === 'subscribe')
    expect(messages.filter(({ success }) => success)).toHaveLength(max)
    expect(messages.at(-1)).toMatchObject({
      id: max,
      success: false,
      errorMsg: 'too many subscriptions',
    })
    socket.close()
  })

  test('that do not read are dropped, and the others are told on', async () => {
    const quick = await openWireSocket(wire.url, '/ws/stream/quick')
    const slow = connect({ host: '127.0.0.1', port: Number(new URL(wire.url).port) })
    const ended = new Promise((resolve) => slow.once('close', resolve))
    slow.on('error', () => undefined)
    const key = Buffer.from('0123456789abcdef').toString('base64')
    slow.write(
      `GET /ws/stream/slow HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    )
    await new Promise((resolve) => slow.once('data', resolve))
    slow.pause()
    for (let at = 0; at < 200; at++) {
      slow.write(masked({ event: 'subscribe', topic: `a${at}$history_charts_1h` }))
    }
    for (let at = 0; at < 5; at++) {
      wire.pass(60_000)
      await Bun.sleep(1)
    }
    slow.resume()
    await ended
    quick.send({ id: 'still', event: 'subscribe', topic: 'markprices' })
    await quick.level()
    expect(messagesOn(quick.texts, 'markprices')).toHaveLength(1)
    quick.close()
  })
})

/** A text frame as a client sends it: masked by nothing. */
function masked(message: object): Buffer {
  const text = Buffer.from(JSON.stringify(message))
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text])
}
