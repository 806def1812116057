// Slow: three executables are replaced one after the other, each within its grace.
import { expect } from 'bun:test'
import { join } from 'node:path'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { until } from '../cluster/processes.ts'
import { freePort } from '../free-port.ts'
import { testsNeeding } from '../programs.ts'
import { recordedOrAccepted, startRecordedVenue } from '../surface/recorded-venue.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'
import { startProxy } from './proxy.ts'

const { test } = testsNeeding('a rolling restart behind nginx', 'nginx', 'openssl')

const INSTANCES = 3
const CALLERS = 4

test('three instances that are restarted one after the other behind nginx fail no request, and double no write', async () => {
  using folder = temporaryFolder()
  const venue = await startRecordedVenue(recordedOrAccepted)
  const ports = Array.from({ length: INSTANCES }, freePort)
  const start = (port: number) =>
    spawnPrepd({
      settings: {
        ...{ VENUE: venue.url, DATA_DIR: join(folder.path, `data-${port}`), STOP_GRACE: '1' },
        ...{ LISTEN: `127.0.0.1:${port}`, OPS_LISTEN: '127.0.0.1:0' },
        ...{
          TRUSTED_PROXIES: '127.0.0.1/32',
          LIMIT_READ: 'off',
          LIMIT_RELAY: 'off',
          LIMIT_ACCOUNT: 'off',
        },
      },
    })
  const running = ports.map(start)
  for (const each of running) await each.url()
  const upstreams = ports.map((port) => `127.0.0.1:${port}`)
  const proxy = await startProxy('nginx', folder.path, upstreams)
  const failed: string[] = []
  const counted = { reads: 0, writes: 0 }
  let isOver = false
  let written = 0

  async function asked(path: string, init: RequestInit = {}): Promise<void> {
    const response = await proxy.ask(path, init).catch((error: Error) => error)
    const outcome = response instanceof Error ? response.message : response.status
    if (!(response instanceof Error)) await response.arrayBuffer()
    if (outcome !== 200) failed.push(`${path} ${outcome}`)
  }
  async function reads(): Promise<void> {
    while (!isOver) {
      await asked('/api/prep/config')
      counted.reads += 1
    }
  }
  async function writes(): Promise<void> {
    const caller = newCaller()
    while (!isOver) {
      written += 1
      const body = JSON.stringify({ symbol: 'PERP_ETH_USDC', client_order_id: String(written) })
      await asked(
        '/api/prep/relay',
        jsonPost(envelope(caller, { method: 'POST', path: '/v1/order', body })),
      )
      counted.writes += 1
    }
  }
  const load = Array.from({ length: CALLERS }, (_, at) => (at % 2 === 0 ? reads() : writes()))
  for (const [at, port] of ports.entries()) {
    running[at]?.kill('SIGTERM')
    expect((await running[at]?.ended())?.code).toBe(0)
    const next = start(port)
    await next.url()
    running[at] = next
  }
  // On a slow machine there may have been few meanwhile.
  await until(async () => counted.reads > 100 || failed.length > 0)
  isOver = true
  await Promise.all(load)
  expect(failed).toEqual([])
  const bodies = venue.requests.filter(({ method }) => method === 'POST').map(({ text }) => text)
  expect(bodies.length).toBe(counted.writes)
  expect(new Set(bodies).size).toBe(counted.writes)
  for (const each of running) each.kill('SIGKILL')
  await Promise.all(running.map(({ ended }) => ended()))
  await proxy.stop()
  await venue.stop()
})

test('asked to stop, it says so and answers until the grace is over, on connections that end; Ctrl-C waits for none', async () => {
  using folder = temporaryFolder()
  const start = (grace: string) =>
    spawnPrepd({
      settings: {
        ...{ DATA_DIR: join(folder.path, grace), STOP_GRACE: grace },
        OPS_LISTEN: '127.0.0.1:0',
      },
    })
  // Longer than any machine takes for what is asked of it meanwhile.
  const patient = start('60')
  const [url, ops] = [await patient.url(), await patient.opsUrl()]
  expect((await fetch(`${url}/api/prep/config`)).headers.get('connection')).not.toBe('close')
  expect(await (await fetch(`${ops}/readyz`)).json()).toMatchObject({ ready: true })
  patient.kill('SIGTERM')
  let stopping = await fetch(`${ops}/readyz`)
  while (stopping.status === 200) stopping = await fetch(`${ops}/readyz`)
  expect(await stopping.json()).toMatchObject({ ready: false, missing: 'stopping' })
  const late = await fetch(`${url}/api/prep/config`)
  expect({ status: late.status, connection: late.headers.get('connection') }).toEqual({
    status: 200,
    connection: 'close',
  })
  patient.kill('SIGKILL')
  await patient.ended()
  const brief = start('1')
  await brief.url()
  brief.kill('SIGTERM')
  expect((await brief.ended()).code).toBe(0)
  const pressed = start('59')
  await pressed.url()
  pressed.kill('SIGINT')
  expect((await pressed.ended()).code).toBe(0)
})
