import { expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { spawnPrepd } from './spawned.ts'

const LIMIT = 128

/** A connection that begins a request and never ends it. */
function halfSent(port: number): Socket {
  const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: local'))
  return socket.on('error', () => undefined)
}

/** A connection on which one request after another is asked for; answers the status of each. */
function keptConnection(port: number) {
  const socket = connect(port, '127.0.0.1')
  return () => {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    socket.once('data', (bytes) => resolve(String(bytes).slice(9, 12)))
    socket.once('close', () => reject(new Error('closed')))
    socket.write('GET /api/prep/config HTTP/1.1\r\nHost: localhost\r\n\r\n')
    return promise
  }
}

async function until(isSo: () => boolean, waitMs: number): Promise<void> {
  const endMs = performance.now() + waitMs
  while (!isSo() && performance.now() < endMs) await Bun.sleep(10)
  expect(isSo()).toBe(true)
}

test('more half-sent requests than descriptors end nothing: kept connections are answered, and new ones once they are gone', async () => {
  const prepd = spawnPrepd({
    before: `ulimit -n ${LIMIT}`,
    settings: { LOG: 'info', OPS_LISTEN: '127.0.0.1:0' },
  })
  const [url, ops] = [await prepd.url(), await prepd.opsUrl()]
  const port = Number(new URL(url).port)
  const ask = keptConnection(port)
  expect(await ask()).toBe('200')
  const flood = Array.from({ length: LIMIT + 50 }, () => halfSent(port))
  await until(() => prepd.log().includes('descriptors_exhausted'), 5000)
  const [line = ''] = prepd
    .log()
    .split('\n')
    .filter((each) => each.includes('descriptors_exhausted'))
  expect(JSON.parse(line)).toMatchObject({ level: 'error', max: LIMIT, peer: '127.0.0.*' })
  expect(JSON.parse(line).connections).toBeGreaterThan(LIMIT / 2)
  expect(await ask()).toBe('200')
  for (const socket of flood) socket.destroy()
  const answered = await fetch(`${url}/api/prep/config`, { signal: AbortSignal.timeout(2000) })
  expect(answered.status).toBe(200)
  await until(() => prepd.log().includes('descriptors_freed'), 2000)
  const metrics = await (await fetch(`${ops}/metrics`)).text()
  expect(metrics).toContain('prepd_descriptor_shortages_total 1\n')
  prepd.kill('SIGTERM')
  expect((await prepd.ended()).code).toBe(0)
}, 30_000)
