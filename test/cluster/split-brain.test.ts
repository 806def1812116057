// Slow: each test starts a PostgreSQL and its standby, and promotes it.
import { expect } from 'bun:test'
import { envelope, newCaller } from '../caller.ts'
import { playAlerts } from '../observe/alerting.ts'
import { testsNeeding } from '../programs.ts'
import { headerOf, startRecordingUpstream } from '../recording-upstream.ts'
import { type Instance, openInstance } from './instances.ts'
import { until } from './processes.ts'
import { startProxy } from './proxy.ts'
import { startReplicated } from './replicated.ts'
import { startValkey, VALKEY_PROGRAMS } from './valkey.ts'

const { afterEach, describe, test } = testsNeeding(
  'two servers that take writes',
  ...VALKEY_PROGRAMS,
  'promtool',
)

const WRITES = 30

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

/** A replaced primary and its successor, each reached on a way of its own, with Valkey and a venue. */
async function scene() {
  const [{ primary, standby, urlOf, stop }, valkey, venue] = await Promise.all([
    startReplicated('async'),
    startValkey(),
    startRecordingUpstream(),
  ])
  ends.push(stop, valkey.stop, venue.stop)
  async function open(ports: readonly number[]): Promise<Instance> {
    const shared = { postgres: urlOf(ports), valkey: valkey.url, venue: venue.url }
    const instance = await openInstance(shared)
    ends.push(instance.stop)
    return instance
  }
  async function wayTo(port: number) {
    const way = await startProxy(port)
    ends.push(way.stop)
    return way
  }
  return { primary, standby, valkey, open, wayTo, arrivals: () => arrivalsAt(venue) }
}

/** The signatures that reached the venue, each as often as it did. */
function arrivalsAt({ requests }: Awaited<ReturnType<typeof startRecordingUpstream>>) {
  return requests
    .map((request) => headerOf(request, 'orderly-signature'))
    .filter((signature) => signature !== undefined)
}

function sign() {
  const body = JSON.stringify({ order: crypto.randomUUID() })
  return envelope(newCaller(), { method: 'POST', path: '/v1/order', body })
}

/** Waits until an instance sends a write: on a busy machine a first connection takes longer than a claim waits. */
const writes = (instance: Instance) =>
  until(async () => (await instance.relay(sign())).status === 200)

/** The clock of the recording venue is nobody's. */
function engineLines(page: string): string {
  return page
    .split('\n')
    .filter((line) => line.startsWith('prepd_engine_fenced'))
    .join('\n')
}

describe('two servers that both take writes', () => {
  test('get no write twice, and the instance at the replaced one says why it refuses', async () => {
    const { primary, standby, open, wayTo, arrivals } = await scene()
    const [toOld, toNew] = [await wayTo(primary.port), await wayTo(standby.port)]
    const left = await open([primary.port, toNew.port])
    const moved = await open([toOld.port, standby.port])
    for (const instance of [left, moved]) await writes(instance)
    const calm = await left.metrics()
    toOld.cut()
    toNew.cut()
    await standby.ask('SELECT pg_promote()')
    await Promise.all(
      Array.from({ length: WRITES }, async () => {
        const signed = sign()
        for (const instance of [left, moved, left]) await instance.relay(signed)
      }),
    )
    await until(async () => {
      const { body } = await left.ops('/readyz')
      return JSON.stringify(body).includes('earlier timeline')
    })
    expect((await left.ops('/readyz')).body).toMatchObject({
      degraded: expect.arrayContaining(['postgres']),
    })
    expect(await left.relay(sign())).toMatchObject({ body: { code: 'store_unavailable' } })
    expect(left.log()).toContain('"engine_fenced"')
    await moved.sees('postgres', 'back')
    const [fenced, well] = [await left.metrics(), await moved.metrics()]
    const phases = [
      { name: 'calm', page: engineLines(calm), firing: [] },
      { name: 'fenced', page: engineLines(fenced), firing: ['PrepdFenced'] },
      { name: 'over', page: engineLines(well), firing: [] },
    ]
    expect(await playAlerts(phases)).toBe('ok')
    const seen = arrivals()
    expect(new Set(seen).size).toBe(seen.length)
  })

  test('are told apart by an instance that finds the replaced one first in its list', async () => {
    const { primary, standby, open, arrivals } = await scene()
    const ports = [primary.port, standby.port]
    const first = await open(ports)
    await writes(first)
    await primary.kill()
    await standby.ask('SELECT pg_promote()')
    await first.sees('postgres', 'back')
    await primary.start()
    const next = await open(ports)
    await next.sees('postgres', 'back')
    await Promise.all(
      Array.from({ length: WRITES }, async () => {
        const signed = sign()
        for (const instance of [first, next, first]) await instance.relay(signed)
      }),
    )
    const seen = arrivals()
    expect(new Set(seen).size).toBe(seen.length)
    const claims = `SELECT count(*)::int AS rows FROM prepd_claims WHERE number > 1`
    expect(await primary.ask(claims, 'prepd_1')).toEqual([{ rows: 0 }])
  })
})

test('an instance that starts while Valkey is away is not ready, reads, refuses writes, and writes when Valkey is back', async () => {
  const { primary, standby, valkey, open, arrivals } = await scene()
  await valkey.kill()
  const instance = await open([primary.port, standby.port])
  // On a busy machine the first connection to PostgreSQL takes longer than the start.
  await until(async () => (await instance.ops('/readyz')).status === 503)
  const { body } = await instance.ops('/readyz')
  expect(String(body['missing'])).toContain('Valkey cannot confirm that it is the newest')
  expect(await instance.get('/api/prep/catalogue')).toMatchObject({ status: 200 })
  expect(await instance.relay(sign())).toMatchObject({ body: { code: 'store_unavailable' } })
  expect(arrivals()).toEqual([])
  await valkey.start()
  await instance.sees('postgres', 'back')
  await writes(instance)
  expect(arrivals()).toHaveLength(1)
})
