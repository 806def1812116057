import { expect, test } from 'bun:test'
import { connect, createServer, type Socket } from 'node:net'
import { UpstreamError } from '../../src/core/ports.ts'
import { openPool } from '../../src/upstream/sockets/pool.ts'

const CALL = { target: '/', method: 'POST', headers: {}, body: null } as const
const RULES = { idleMs: 1000, resends: false, openingMax: 2 }
/** More than a system queues for a program that takes none. */
const QUEUED = 700

/** What a call meets that is given so long. */
async function met(pool: ReturnType<typeof openPool>, url: URL, deadlineMs: number) {
  const ending = new AbortController()
  const late = setTimeout(() => ending.abort(), deadlineMs)
  const error = await pool({ ...CALL, url }, ending.signal).then(
    () => null,
    (reason: unknown) => reason,
  )
  clearTimeout(late)
  if (error instanceof UpstreamError) return `${error.fault} ${error.sent}`
  return ending.signal.aborted ? 'late' : String(error)
}

test('a host that never shakes hands is left at the deadline', async () => {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => socket.destroy())
    socket.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = address && typeof address === 'object' ? address.port : 0
  const url = new URL(`https://127.0.0.1:${port}`)
  expect(await met(openPool(url, RULES), url, 300)).toBe('late')
  while (sockets.length < 1 || sockets.some(({ destroyed }) => !destroyed)) await Bun.sleep(1)
  server.close()
})

test('a host that takes no connection is tried so many times at once, and no more', async () => {
  const script = `const server = require('node:net').createServer(() => {})
    server.listen(0, '127.0.0.1', () => console.log(server.address().port))`
  const host = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' })
  const { value } = await host.stdout.getReader().read()
  const port = Number(new TextDecoder().decode(value))
  host.kill('SIGSTOP')
  const queued = Array.from({ length: QUEUED }, () => connect(port, '127.0.0.1'))
  for (const socket of queued) socket.on('error', () => socket.destroy())
  const taken = () => queued.filter(({ connecting }) => !connecting).length
  for (let before = -1; before < taken(); await Bun.sleep(100)) before = taken()
  expect(taken()).toBeLessThan(QUEUED)
  const url = new URL(`http://127.0.0.1:${port}`)
  const pool = openPool(url, RULES)
  const calls = Array.from({ length: 2 }, () => met(pool, url, 100))
  expect(await Promise.all(calls)).toEqual(['late', 'late'])
  expect(await met(pool, url, 20_000)).toBe('unreachable false')
  for (const socket of queued) socket.destroy()
  host.kill('SIGKILL')
  await host.exited
})
