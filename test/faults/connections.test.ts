// Slow: thousands of connections to an executable, opened and closed.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { residentMb } from '../bench/measure.ts'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { type RecordingUpstream, startRecordingUpstream } from '../recording-upstream.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'
import { UNLIMITED } from './unlimited.ts'

const CONNECTIONS = 2000
const FILES_MAX = 96
const UPLOADS = 1500
const UPLOAD_BYTES = 256 * 1024
/** A third of what they would weigh if all were kept. */
const UPLOADS_MAX_MB = 128

/** What a connection may say and then leave it at. */
const BEGINNINGS = [
  '',
  'GET /api/prep/con',
  'GET /api/prep/config HTTP/1.1\r\nHost: x\r\n',
  'POST /api/prep/relay HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a":',
] as const

let folder: ReturnType<typeof temporaryFolder>
let venue: RecordingUpstream
const sockets: Socket[] = []

beforeEach(async () => {
  folder = temporaryFolder()
  venue = await startRecordingUpstream()
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await venue.stop()
  folder[Symbol.dispose]()
})

async function openConnections(
  url: string,
  count: number,
  beginnings: readonly string[] = BEGINNINGS,
): Promise<void> {
  const { hostname, port } = new URL(url)
  const opened = Array.from({ length: count }, (_, at) => {
    const socket = connect({ host: hostname, port: Number(port) })
    sockets.push(socket)
    return new Promise<void>((resolve) => {
      socket.on('connect', () => {
        socket.write(beginnings[at % beginnings.length] ?? '')
        resolve()
      })
      socket.on('error', () => resolve())
    })
  })
  await Promise.all(opened)
}

/** What a server weighs that has taken in all it was sent: it answers, and weighs the same afterwards. */
async function restingMb(pid: number, url: string): Promise<number> {
  for (let before = residentMb(pid); ; ) {
    await (await fetch(`${url}/api/prep/config`)).text()
    await Bun.sleep(100)
    const now = residentMb(pid)
    if (Math.abs(now - before) < 1) return now
    before = now
  }
}

function order(): object {
  const body = JSON.stringify({ client_order_id: crypto.randomUUID() })
  return envelope(newCaller(), { method: 'POST', path: '/v1/order', body })
}

function settings() {
  return { VENUE: venue.url, DATA_DIR: join(folder.path, 'data'), ...UNLIMITED }
}

test(`${CONNECTIONS} connections that say nothing, or half of something, keep nobody else waiting`, async () => {
  const prepd = spawnPrepd({ settings: settings() })
  const url = await prepd.url()
  await openConnections(url, CONNECTIONS)
  for (let turn = 0; turn < 20; turn++) {
    const response = await fetch(`${url}/api/prep/relay`, jsonPost(order()))
    expect(response.status).toBe(200)
    await response.text()
  }
  expect(venue.requests).toHaveLength(20)
  for (const socket of sockets.splice(0)) socket.destroy()
  prepd.kill('SIGTERM')
  const { code, stderr } = await prepd.ended()
  expect(code).toBe(0)
  expect(stderr).not.toMatch(/panic|\n {4}at /)
})

test(`${UPLOADS} uploads that stop one byte short cost no more memory than a few of them`, async () => {
  const prepd = spawnPrepd({ settings: settings() })
  const url = await prepd.url()
  const head = `POST /api/prep/relay HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${UPLOAD_BYTES}\r\n\r\n`
  // What so many connections take by themselves is no upload's.
  await openConnections(url, UPLOADS, [head])
  await restingMb(prepd.pid, url)
  for (const socket of sockets.splice(0)) socket.destroy()
  const before = await restingMb(prepd.pid, url)
  await openConnections(url, UPLOADS, [head + ' '.repeat(UPLOAD_BYTES - 1)])
  expect((await restingMb(prepd.pid, url)) - before).toBeLessThan(UPLOADS_MAX_MB)
  for (const socket of sockets.splice(0)) socket.destroy()
  // The ends of so many connections arrive one after the other.
  let status = 429
  while (status === 429) ({ status } = await fetch(`${url}/api/prep/relay`, jsonPost(order())))
  expect(status).toBe(200)
  prepd.kill('SIGTERM')
  expect((await prepd.ended()).code).toBe(0)
})

test(`with ${FILES_MAX} file descriptors it refuses what it cannot hold, sends nothing twice, and recovers`, async () => {
  const prepd = spawnPrepd({ settings: settings(), before: `ulimit -n ${FILES_MAX}` })
  const url = await prepd.url()
  await openConnections(url, 3 * FILES_MAX)
  const orders = Array.from({ length: 5 }, order)
  const first = await Promise.all(orders.map((one) => attempt(url, one)))
  for (const socket of sockets.splice(0)) socket.destroy()
  let last: readonly (string | number)[] = first
  while (last.some((status) => status !== 200 && status !== 409)) {
    await Bun.sleep(100)
    last = await Promise.all(orders.map((one) => attempt(url, one)))
  }
  const bodies = venue.requests.map(({ text }) => text)
  expect(new Set(bodies).size).toBe(bodies.length)
  prepd.kill('SIGTERM')
  expect((await prepd.ended()).code).toBe(0)
})

/** The status of a write, or that there was none in time: a connection that it has no room for is not answered. */
async function attempt(url: string, body: object): Promise<number | string> {
  try {
    const signal = AbortSignal.timeout(2000)
    const response = await fetch(`${url}/api/prep/relay`, { ...jsonPost(body), signal })
    await response.text()
    return response.status
  } catch {
    return 'no answer'
  }
}
