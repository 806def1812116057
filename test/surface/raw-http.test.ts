import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { join } from 'node:path'
import { rawExchange, spawnPrepd, temporaryFolder } from './spawned.ts'

const folder = temporaryFolder()
const prepd = spawnPrepd({ settings: { DATA_DIR: join(folder.path, 'data') } })
let url = ''

beforeAll(async () => {
  url = await prepd.url()
})
afterAll(async () => {
  prepd.kill('SIGTERM')
  await prepd.ended()
  folder[Symbol.dispose]()
})

function ask(method: string, path: string, host: string, body = ''): Promise<string> {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    'Connection: close',
    ...(body ? ['Content-Type: application/json', `Content-Length: ${body.length}`] : []),
  ]
  return rawExchange(url, `${lines.join('\r\n')}\r\n\r\n${body}`)
}

test.each(['x', 'ab', 'a.b', 'localhost', '127.0.0.1:1'])(
  'Host: %s finds every kind of route',
  async (host) => {
    expect(await ask('GET', '/api/prep/config', host)).toStartWith('HTTP/1.1 200')
    expect(await ask('GET', '/api/prep/config', host)).toStartWith('HTTP/1.1 200')
    expect(await ask('GET', '/api/prep/op/markets.leverage', host)).toContain(
      'max_futures_leverage',
    )
    expect(await ask('GET', '/api/prep/orderbook?symbol=PERP_BTC_USDC', host)).toContain('"asks":[')
    expect(await ask('GET', '/swagger', host)).toStartWith('HTTP/1.1 200')
    expect(await ask('GET', '/nope', host)).toContain('"code":"not_found"')
    const typed = await ask('POST', '/api/prep/typed-data', host, '{"kind":"register","chainId":1}')
    expect(typed).toContain('"digest":"0x')
  },
)

test.each([
  { asked: 'close', path: '/api/prep/config', ends: true },
  { asked: 'close', path: '/api/prep/config', ends: true },
  { asked: 'Close', path: '/api/prep/orderbook?symbol=PERP_BTC_USDC', ends: true },
  { asked: 'foo, CLOSE', path: '/nope', ends: true },
  { asked: 'keep-alive', path: '/api/prep/config', ends: false },
])('Connection: $asked of $path is answered in kind', async ({ asked, path, ends }) => {
  const last = 'GET /nope HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  const first = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: ${asked}\r\n\r\n`
  const answer = await rawExchange(url, first + last)
  const [head = ''] = answer.split('\r\n\r\n')
  expect(/^connection: close$/im.test(head)).toBe(ends)
  expect(answer.match(/HTTP\/1\.1 \d/g)).toHaveLength(ends ? 1 : 2)
})

/** Sends calls whose bodies are refused unread for longer than a tick of the runtime, at most one each quarter of a second. */
async function callUnread(): Promise<{ calls: number; isClosed: boolean; silentMs: number }> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  const seen = { calls: 0, isClosed: false, silentMs: 0 }
  let answers = ''
  socket.on('data', (bytes) => {
    answers += bytes
  })
  socket.on('close', () => {
    seen.isClosed = true
  })
  const head = 'POST /api/prep/relay HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n'
  const endMs = performance.now() + 4500
  for (let lastMs = performance.now(); lastMs < endMs && !seen.isClosed; seen.calls += 1) {
    socket.write(`${head}Content-Length: 2\r\n\r\n{}`)
    while (!seen.isClosed && (answers.match(/HTTP\/1\.1 4/g) ?? []).length <= seen.calls)
      await Bun.sleep(10)
    await Bun.sleep(250)
    seen.silentMs = Math.max(seen.silentMs, performance.now() - lastMs)
    lastMs = performance.now()
  }
  socket.destroy()
  return seen
}

// The idle timeout is that of the runtime, which checks every 4 seconds, so that time passes here.
test('a caller whose bodies are refused unread keeps its connection while it goes on calling', async () => {
  let seen = await callUnread()
  // On a busy machine the caller itself may be silent for long.
  while (seen.silentMs > 2000) seen = await callUnread()
  expect(seen.isClosed).toBe(false)
  expect(seen.calls).toBeGreaterThan(2)
})

test('a POST that ends its connection is told that it does', async () => {
  const typed = await ask('POST', '/api/prep/typed-data', 'x', '{"kind":"register","chainId":1}')
  expect(typed).toMatch(/^connection: close\r$/im)
})

test.each(['/api/prep/config', '/api/prep/orderbook?symbol=PERP_BTC_USDC', '/nope', '/swagger'])(
  'two Hosts of %s are refused, with the failure that names them',
  async (path) => {
    for (const [one, other] of [
      ['localhost', 'evil.example'],
      ['localhost', 'localhost'],
    ]) {
      const answer = await ask('GET', path, `${one}\r\nHost: ${other}`)
      expect(answer).toStartWith('HTTP/1.1 400')
      expect(answer).toContain('"meta":{"parameter":"host","reason":"repeated"}')
      expect(answer).toMatch(/^x-request-id: /im)
    }
  },
)

test('HEAD on the wire has headers and no body', async () => {
  const answer = await ask('HEAD', '/api/prep/markets', 'x')
  const [head = '', body] = answer.split('\r\n\r\n')
  expect(head).toStartWith('HTTP/1.1 200')
  expect(head.toLowerCase()).toContain('content-type: application/json')
  expect(body).toBe('')
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
  const [, got = ''] = (await ask('GET', '/api/prep/config', 'x')).split('\r\n\r\n')
  const [asked = ''] = (await ask('HEAD', '/api/prep/config', 'x')).split('\r\n\r\n')
  expect(length).toBeGreaterThan(1000)
  expect(Number(/content-length: (\d+)/i.exec(asked)?.[1])).toBe(got.length)
})

test('HTTP/1.0 without a Host is served like any other', async () => {
  const lines = ['content-type: application/json', 'content-length: 2']
  for (const [line, expected] of [
    ['GET /api/prep/config HTTP/1.0', 'leverageSteps'],
    ['POST /api/prep/relay HTTP/1.0', '"code":"invalid_request"'],
  ]) {
    const body = line?.startsWith('POST') ? `${lines.join('\r\n')}\r\n\r\n{}` : '\r\n'
    expect(await rawExchange(url, `${line}\r\n${body}`)).toContain(expected ?? '')
  }
})

test('a large body is refused in words', async () => {
  const answer = await ask('POST', '/api/prep/relay', 'x', `"${'a'.repeat(300_000)}"`)
  expect(answer).toStartWith('HTTP/1.1 413')
  expect(answer).toContain('"code":"payload_too_large"')
})

test('a chunked body without end is refused as soon as it is too large, and its connection ends', async () => {
  const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
  const head =
    'POST /api/prep/relay HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
  const answer = await rawExchange(url, head + chunk.repeat(5))
  expect(answer).toContain('"code":"payload_too_large"')
})

test.each([
  { what: 'two lengths', lines: ['Content-Length: 2', 'Content-Length: 3'] },
  { what: 'a length and chunks', lines: ['Content-Length: 2', 'Transfer-Encoding: chunked'] },
])('a request with $what is not guessed at', async ({ lines }) => {
  const head = ['POST /api/prep/relay HTTP/1.1', 'Host: x', 'Connection: close', ...lines]
  expect(await rawExchange(url, `${head.join('\r\n')}\r\n\r\n{}`)).toStartWith('HTTP/1.1 400')
})
