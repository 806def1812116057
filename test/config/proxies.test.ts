import { expect } from 'bun:test'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { testsNeeding } from '../programs.ts'
import { recordedOrAccepted, startRecordedVenue } from '../surface/recorded-venue.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'
import { PROXIES, type RunningProxy, startProxy } from './proxy.ts'

const { afterAll, beforeAll, describe, test } = testsNeeding(
  'example settings of proxies',
  'nginx',
  'caddy',
  'openssl',
)

/** The statuses for an instance that is gone. Caddy answers 502 until its health check, once a second, has noticed. */
const GONE: Readonly<Record<string, readonly number[]>> = { nginx: [502], caddy: [502, 503] }

describe.each(Object.keys(PROXIES))('behind %s', (name) => {
  const folder = temporaryFolder()
  let venue: Awaited<ReturnType<typeof startRecordedVenue>>
  let prepd: ReturnType<typeof spawnPrepd>
  let proxy: RunningProxy

  const ask = (path: string, init: RequestInit = {}) => proxy.ask(path, init)

  beforeAll(async () => {
    venue = await startRecordedVenue(recordedOrAccepted)
    const settings = {
      VENUE: venue.url,
      DATA_DIR: join(folder.path, 'data'),
      TRUSTED_PROXIES: '127.0.0.1/32',
    }
    prepd = spawnPrepd({ settings })
    proxy = await startProxy(name, folder.path, [new URL(await prepd.url()).host])
  })
  afterAll(async () => {
    await proxy.stop()
    prepd.kill('SIGTERM')
    await prepd.ended()
    await venue.stop()
    folder[Symbol.dispose]()
  })

  test('a caller is who the proxy says, not who it says itself', async () => {
    const headers = {
      'x-forwarded-for': '203.0.113.9',
      forwarded: 'for=203.0.113.9',
      'x-real-ip': '203.0.113.9',
    }
    const response = await ask('/api/prep/op/platform.ipInfo', { headers })
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(text).toContain('127.0.0.1')
    expect(text).not.toContain('203.0.113.9')
  })

  test('a signed write arrives byte for byte, once', async () => {
    const before = venue.requests.length
    const order = {
      method: 'POST',
      path: '/v1/order',
      body: '{ "symbol":"PERP_ETH_USDC","é":1.10}',
    } as const
    const response = await ask('/api/prep/relay', jsonPost(envelope(newCaller(), order)))
    expect(response.status).toBe(200)
    const sent = venue.requests.slice(before)
    expect(sent.map(({ body }) => new TextDecoder().decode(body))).toEqual([order.body])
  })

  test('requests that are sent together are answered one by one, and a write goes out once', async () => {
    const before = venue.requests.length
    const order = { method: 'POST', path: '/v1/order', body: '{"symbol":"PERP_ETH_USDC"}' } as const
    const body = JSON.stringify(envelope(newCaller(), order))
    const head = 'Host: 127.0.0.1\r\nContent-Type: application/json'
    const answer = await overTls(
      proxy.port,
      `POST /api/prep/relay HTTP/1.1\r\n${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}\r\n` +
        'GET /api/prep/funding?symbol=PERP_ETH_USDC HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n' +
        'GET /nope HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
    )
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([
      'HTTP/1.1 200',
      'HTTP/1.1 200',
      'HTTP/1.1 404',
    ])
    const sent = venue.requests.slice(before).filter(({ method }) => method === 'POST')
    expect(sent.map(({ text }) => text)).toEqual([order.body])
  })

  test('a trading key is taken, because it came by https', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
    const init = jsonPost(call)
    const headers = {
      ...Object.fromEntries(new Headers(init.headers)),
      accept: 'application/json, text/event-stream',
      'x-account-id': `0x${'ab'.repeat(32)}`,
      'x-trading-key': 'cd'.repeat(32),
    }
    const text = await (await ask('/mcp', { ...init, headers })).text()
    expect(text).toContain('place_order')
    expect(text).not.toContain('forbidden')
  })

  test('what is too large is refused in words', async () => {
    const response = await ask('/api/prep/relay', jsonPost({ body: 'x'.repeat(300_000) }))
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ code: 'payload_too_large' })
  })

  test.each([
    ['a body that ends half way', 20_000],
    ['a body that is larger than the proxy takes', 1_100_000],
  ])('%s costs nobody else an answer', async (_, length) => {
    const head = `POST /api/prep/relay HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
    for (let times = 0; times < 5; times += 1) {
      await brokenOff(proxy.port, head + '{"a":'.padEnd(length / 2, ' '))
      const signed = envelope(newCaller(), { method: 'DELETE', path: '/v1/orders' })
      const cancel = await ask('/api/prep/relay', jsonPost(signed))
      expect(cancel.status).toBe(200)
      expect((await ask('/api/prep/catalogue')).status).toBe(200)
    }
  })

  test('a client that reads nothing keeps nobody else waiting', async () => {
    const request = 'GET /api/prep/catalogue HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
    const slow = await Promise.all(
      Array.from({ length: 20 }, () => connected(proxy.port, request.repeat(20))),
    )
    for (const socket of slow) socket.pause()
    expect((await ask('/api/prep/catalogue')).status).toBe(200)
    const signed = envelope(newCaller(), { method: 'DELETE', path: '/v1/orders' })
    expect((await ask('/api/prep/relay', jsonPost(signed))).status).toBe(200)
    for (const socket of slow) socket.destroy()
  })

  // Slow: Caddy tries a read again for two seconds.
  test('when prepd is gone, nothing is made up', async () => {
    prepd.kill('SIGTERM')
    await prepd.ended()
    const response = await ask('/api/prep/catalogue')
    expect(await response.text()).not.toContain('{')
    const statuses = GONE[name] ?? []
    expect(statuses).toContain(response.status)
    // However late the machine is, each ends at the status of an instance that is known to be gone.
    let { status } = response
    while (status !== statuses.at(-1)) ({ status } = await ask('/api/prep/catalogue'))
  })
})

describe.each(Object.keys(PROXIES))('live data behind %s', (name) => {
  const folder = temporaryFolder()
  let prepd: ReturnType<typeof spawnPrepd>
  let proxy: RunningProxy

  beforeAll(async () => {
    prepd = spawnPrepd({ settings: { TRUSTED_PROXIES: '127.0.0.1/32' } })
    proxy = await startProxy(name, folder.path, [new URL(await prepd.url()).host])
  })
  afterAll(async () => {
    await proxy.stop()
    prepd.kill('SIGTERM')
    await prepd.ended()
    folder[Symbol.dispose]()
  })

  test('arrive over a WebSocket', async () => {
    const socket = new WebSocket(`wss://127.0.0.1:${proxy.port}/api/prep/ws`, {
      tls: { rejectUnauthorized: false },
    })
    const first = new Promise((resolve, reject) => {
      socket.onmessage = ({ data }) => {
        const message = JSON.parse(String(data))
        if (message.topic === 'tickers') resolve(message)
      }
      socket.onerror = reject
    })
    socket.onopen = () => socket.send('{"op":"subscribe","topics":["tickers"]}')
    expect(await first).toMatchObject({ type: 'snapshot' })
    socket.close()
  })

  test('arrive as an event stream, each event as it comes', async () => {
    const events = await proxy.ask('/api/prep/stream?topics=tickers')
    expect(events.headers.get('content-type')).toContain('text/event-stream')
    const reader = events.body?.getReader()
    const first = await reader?.read()
    expect(new TextDecoder().decode(first?.value)).toContain('data:')
    await reader?.cancel()
  })
})

/** A TLS connection over which these bytes were sent. */
function connected(port: number, request: string): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () =>
      socket.write(request, () => resolve(socket)),
    )
    socket.on('error', reject)
  })
}

/** Sends the beginning of a request, and goes away without a word, as a phone does that loses its connection. */
async function brokenOff(port: number, beginning: string): Promise<void> {
  const socket = await connected(port, beginning)
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.destroy()
  await closed
}

/** What a TLS listener on this machine answers to exactly these bytes, until it ends the connection. */
function overTls(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const options = { host: '127.0.0.1', port, rejectUnauthorized: false }
    const socket = connect(options, () => socket.write(request))
    socket.on('data', (bytes: Buffer) => chunks.push(bytes))
    socket.on('end', () => resolve(Buffer.concat(chunks).toString('latin1')))
    socket.on('error', reject)
  })
}
