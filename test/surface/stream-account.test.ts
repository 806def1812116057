// Slow: connections to the venue are cut and made again.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, type Credentials, createClient } from '../../src/agents/client/client.ts'
import { signText } from '../../src/core/crypto/signing.ts'
import { openTemporaryAccount } from '../../src/operator/account/open.ts'
import { gapsIn, openSocket, type SocketClient } from '../live/clients.ts'
import { openTarget, type Target } from '../target.ts'
import { type Gate, openGate } from './gate.ts'

const SYMBOL = 'PERP_ETH_USDC'
const TOPICS = ['orders', 'fills', 'positions', 'balances']

type Place = {
  readonly url: string
  readonly client: Client
  readonly credentials: Credentials
  readonly targets: readonly Target[]
  readonly folder: string
  readonly gate: Gate | null
}

/** A prepd with its own venue; or one before it, so that the venue is elsewhere and its wire goes through a gate. */
async function openPlace(isLive: boolean): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'prepd-live-'))
  const listens = isLive ? { VENUE_LISTEN: '127.0.0.1:0' } : {}
  const inner = await openTarget('in process', { DATA_DIR: join(folder, 'inner'), ...listens })
  const gate = isLive ? await openGate((await inner.listening()).venue) : null
  const outer = gate
    ? await openTarget('in process', {
        DATA_DIR: join(folder, 'outer'),
        VENUE: gate.url,
        VENUE_STREAM: gate.url.replace('http', 'ws'),
        VENUE_STREAM_PRIVATE: gate.url.replace('http', 'ws'),
      })
    : inner
  const { public: url } = await outer.listening()
  const client = createClient({
    baseUrl: url,
    transport: (request) => fetch(request),
    nowMs: Date.now,
  })
  const credentials = await openTemporaryAccount(client, {
    clock: { nowMs: Date.now },
    random: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
  })
  const targets = gate ? [outer, inner] : [inner]
  return { url, client, credentials, targets, folder, gate }
}

function proofOf({ accountId, key, secret }: Credentials) {
  const timestamp = String(Date.now())
  return { op: 'auth', accountId, key, timestamp, signature: signText(timestamp, secret) }
}

function order(quantity: number, extra: object) {
  const body = { symbol: SYMBOL, side: 'BUY', order_quantity: quantity, ...extra }
  return { method: 'POST', path: '/v1/order', body: JSON.stringify(body) } as const
}

describe.each([
  ['the embedded venue', false],
  ['a venue elsewhere', true],
] as const)('an account of %s', (_, isLive) => {
  let place: Place
  let socket: SocketClient
  let canary = ''
  beforeAll(async () => {
    place = await openPlace(isLive)
    socket = await openSocket(place.url)
  })
  afterAll(async () => {
    socket.close()
    for (const target of place.targets) await target.stop()
    await place.gate?.shut()
    rmSync(place.folder, { recursive: true, force: true })
  })

  test('hears nothing before it has proved its key', async () => {
    socket.send({ op: 'subscribe', topics: TOPICS })
    socket.send({ op: 'ping' })
    await socket.next(({ type }) => type === 'pong')
    const errors = socket.messages.filter(({ type }) => type === 'error')
    expect(errors.map(({ code }) => code)).toEqual(TOPICS.map(() => 'unauthorized'))
  })

  test('begins with the reads to make', async () => {
    const proof = proofOf(place.credentials)
    canary = proof.signature
    socket.send(proof)
    socket.send({ op: 'subscribe', topics: TOPICS })
    for (const topic of TOPICS) {
      const { data } = await socket.next(
        (message) => message.topic === topic && message.type === 'resync',
      )
      expect(Object(data).reads).toHaveLength(1)
    }
  })

  test('hears of its order at once, and of its execution, position and balance', async () => {
    const { client, credentials } = place
    await client.relay(credentials, order(0.01, { order_type: 'MARKET' }))
    const filled = await socket.next(
      ({ topic, data }) => topic === 'orders' && Object(data).rows?.[0]?.status === 'FILLED',
    )
    const [row] = Object(filled.data).rows
    const orders = await client.relay(credentials, { method: 'GET', path: '/v1/orders' })
    const read = Object(orders).rows.find(
      (other: { order_id: number }) => other.order_id === row.order_id,
    )
    for (const field of [
      'order_id',
      'symbol',
      'side',
      'status',
      'quantity',
      'average_executed_price',
    ]) {
      expect([field, row[field]]).toEqual([field, read[field]])
    }
    const fill = await socket.next(({ topic, type }) => topic === 'fills' && type === 'event')
    expect(Object(fill.data).rows[0]).toMatchObject({ symbol: SYMBOL, order_id: row.order_id })
    const held = await socket.next(({ topic, type }) => topic === 'positions' && type === 'event')
    expect(Object(held.data).rows[0]).toMatchObject({ symbol: SYMBOL, position_qty: 0.01 })
  })

  test('hears of a cancelled order', async () => {
    const { client, credentials } = place
    const placed = await client.relay(
      credentials,
      order(0.01, { order_type: 'LIMIT', order_price: 2300 }),
    )
    const id = Object(placed).order_id
    await client.relay(credentials, {
      method: 'DELETE',
      path: `/v1/order?symbol=${SYMBOL}&order_id=${id}`,
    })
    const message = await socket.next(({ data }) => {
      return Object(data).rows?.some(
        (row: Row) => row.order_id === id && row.status === 'CANCELLED',
      )
    })
    expect(message.topic).toBe('orders')
    expect(gapsIn(socket.messages)).toEqual([])
  })

  if (isLive) {
    test('after the wire was cut hears which reads to make, without proving its key again', async () => {
      const before = socket.messages.filter(({ type }) => type === 'resync').length
      await place.gate?.shut()
      await Bun.sleep(300)
      await place.gate?.open()
      await socket.next((message) => {
        const all = socket.messages.filter(({ type }) => type === 'resync')
        return message === all.at(-1) && all.length >= before + 4
      })
      expect(socket.messages.some(({ type }) => type === 'auth_required')).toBe(false)
    })
  }

  test('its signature is nowhere: in no log, no file, no message', async () => {
    expect(canary).toHaveLength(86)
    for (const target of place.targets) expect(target.log()).not.toContain(canary)
    const files = readdirSync(place.folder, { recursive: true, withFileTypes: true })
    const texts = files
      .filter((file) => file.isFile())
      .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
    expect(texts.length).toBeGreaterThan(0)
    for (const text of texts) expect(text.includes(canary)).toBe(false)
    expect(JSON.stringify(socket.messages)).not.toContain(canary)
  })
})

type Row = { readonly order_id: number; readonly status: string }
