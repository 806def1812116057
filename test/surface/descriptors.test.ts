// Slow: the deadline of a body is five seconds.
import { expect } from 'bun:test'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { testsNeeding } from '../programs.ts'
import { startRecordingUpstream } from '../recording-upstream.ts'
import { spawnPrepd, temporaryFolder } from './spawned.ts'

const { test } = testsNeeding('a lack of file descriptors', 'prlimit')

const LIMIT = 128

/** A connection that begins a request and never ends it. */
function halfSent(port: number): Socket {
  const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: local'))
  return socket.on('error', () => undefined)
}

/** A connection on which one short answer after another is asked for. */
function keptConnection(url: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let received = Buffer.alloc(0)
  let isClosed = false
  socket.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes])
  })
  socket.on('close', () => {
    isClosed = true
  })
  return async (path = '/api/prep/config') => {
    received = Buffer.alloc(0)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await until(() => isClosed || isWhole(received))
    if (isClosed) throw new Error('closed')
    const [head = '', body = ''] = String(received).split('\r\n\r\n')
    return { status: Number(head.slice(9, 12)), body: JSON.parse(body) }
  }
}

/** Whether these bytes are an answer with all of its body. */
function isWhole(bytes: Buffer): boolean {
  const end = bytes.indexOf('\r\n\r\n')
  const [, length] = /^content-length: (\d+)/im.exec(String(bytes)) ?? []
  return end > 0 && bytes.length - end - 4 === Number(length)
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await Bun.sleep(10)
}

test('more half-sent requests than descriptors end nothing: kept connections are answered, and new ones once they are gone', async () => {
  using folder = temporaryFolder()
  const prepd = spawnPrepd({
    before: `ulimit -n ${LIMIT}`,
    settings: { DATA_DIR: folder.path, LOG: 'info', OPS_LISTEN: '127.0.0.1:0' },
  })
  const [url, ops] = [await prepd.url(), await prepd.opsUrl()]
  const port = Number(new URL(url).port)
  const [ask, askOps] = [keptConnection(url), keptConnection(ops)]
  expect(await ask()).toMatchObject({ status: 200 })
  expect((await askOps('/readyz')).body).not.toHaveProperty('degraded')
  const flood = Array.from({ length: LIMIT + 50 }, () => halfSent(port))
  await until(() => prepd.log().includes('descriptors_exhausted'))
  const [line = ''] = prepd
    .log()
    .split('\n')
    .filter((each) => each.includes('descriptors_exhausted'))
  expect(JSON.parse(line)).toMatchObject({ level: 'error', max: LIMIT, peer: '127.0.0.*' })
  expect(JSON.parse(line).connections).toBeGreaterThan(LIMIT / 2)
  expect(await ask()).toMatchObject({ status: 200 })
  expect(await askOps('/readyz')).toMatchObject({
    status: 200,
    body: {
      ready: true,
      degraded: ['descriptors'],
      reasons: { descriptors: expect.stringContaining('raise LimitNOFILE') },
    },
  })
  for (const socket of flood) socket.destroy()
  const answered = await fetch(`${url}/api/prep/config`)
  expect(answered.status).toBe(200)
  await until(() => prepd.log().includes('descriptors_freed'))
  expect((await askOps('/readyz')).body).not.toHaveProperty('degraded')
  const metrics = await (await fetch(`${ops}/metrics`)).text()
  expect(metrics).toContain('prepd_descriptor_shortages_total 1\n')
  prepd.kill('SIGTERM')
  expect((await prepd.ended()).code).toBe(0)
})

test('the first call to a swap upstream is answered when no descriptor is left for its connection', async () => {
  using folder = temporaryFolder()
  const router = await startRecordingUpstream()
  const prepd = spawnPrepd({
    before: `ulimit -n ${LIMIT}`,
    settings: { DATA_DIR: folder.path, SWAP: router.url, LIMIT_SWAP: 'off' },
  })
  const ask = keptConnection(await prepd.url())
  expect(await ask()).toMatchObject({ status: 200 })
  // Below what is open already: nothing more can be.
  expect(
    Bun.spawnSync(['prlimit', '--pid', String(prepd.pid), `--nofile=12:${LIMIT}`]).success,
  ).toBe(true)
  expect(await ask('/api/swap/chains')).toMatchObject({
    status: 502,
    body: { code: 'upstream_unavailable' },
  })
  expect(await ask()).toMatchObject({ status: 200 })
  expect(router.requests).toEqual([])
  prepd.kill('SIGTERM')
  expect((await prepd.ended()).code).toBe(0)
  await router.stop()
})

type Half = readonly [line: string, contentType: string, length: number, status: number]

/** A connection that never ends itself; sends half of a body when it is called, and answers with the status. */
function lastingConnection(port: number, [line, contentType, length]: Half) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => undefined)
  return () => {
    const head = `${line} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${contentType}\r\nContent-Length: ${length}`
    socket.write(`${head}\r\n\r\n{"method"`)
    return new Promise<number>((resolve) => {
      socket.once('data', (bytes) => resolve(Number(String(bytes).slice(9, 12))))
    })
  }
}

const HALVES: readonly Half[] = [
  ['POST /api/prep/relay', 'application/json', 100, 400],
  ['POST /api/prep/relay', 'text/plain', 100, 415],
  ['POST /api/prep/relay', 'application/json', 10_000_000, 413],
  ['GET /api/prep/config', 'application/json', 100, 200],
  ['HEAD /api/prep/nowhere', 'application/json', 100, 404],
]

// The deadlines are those of the runtime and of the binary, so that time passes here.
test('connections with half of a body end within its deadline, read or not, also when their callers do not close', async () => {
  using folder = temporaryFolder()
  const prepd = spawnPrepd({ settings: { DATA_DIR: folder.path } })
  const url = await prepd.url()
  await keptConnection(url)('/api/prep/catalogue')
  const openCount = () => readdirSync(`/proc/${prepd.pid}/fd`).length
  const before = openCount()
  const port = Number(new URL(url).port)
  const senders = HALVES.map((half) => lastingConnection(port, half))
  // Before anything is sent: the runtime ends an answered connection at one of its next ticks.
  await until(() => openCount() >= before + HALVES.length)
  const statuses = await Promise.all(senders.map((send) => send()))
  expect(statuses).toEqual(HALVES.map(([, , , status]) => status))
  await until(() => openCount() <= before)
  prepd.kill('SIGTERM')
  expect((await prepd.ended()).code).toBe(0)
}, 30_000)
