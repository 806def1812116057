// Slow: several executables start behind nginx.
import { expect } from 'bun:test'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { type RunningProxy, startProxy } from '../config/proxy.ts'
import { testsNeeding } from '../programs.ts'
import { recordedOrAccepted, startRecordedVenue } from '../surface/recorded-venue.ts'
import { temporaryFolder } from '../surface/spawned.ts'
import { type InstanceProcess, startInstances } from './instances.ts'
import { type SharedPostgres, sharedPostgres } from './postgres.ts'
import { type RunningValkey, startValkey, VALKEY_PROGRAMS } from './valkey.ts'

const { afterAll, beforeAll, describe, test } = testsNeeding(
  'instances behind nginx',
  ...VALKEY_PROGRAMS,
  'nginx',
  'openssl',
)

const ORDER = { method: 'POST', path: '/v1/order', body: '{"a":1}' } as const

describe('two instances behind nginx', () => {
  const folder = temporaryFolder()
  let postgres: SharedPostgres
  let valkey: RunningValkey
  let venue: Awaited<ReturnType<typeof startRecordedVenue>>
  let proxy: RunningProxy
  let instances: InstanceProcess[] = []

  beforeAll(async () => {
    ;[postgres, valkey, venue] = await Promise.all([
      sharedPostgres(),
      startValkey(),
      startRecordedVenue(recordedOrAccepted),
    ])
    const shared = {
      postgres: await postgres.newDatabase(),
      valkey: valkey.url,
      venue: venue.url,
      settings: { TRUSTED_PROXIES: '127.0.0.1/32', LOG_REQUESTS: '100' },
    }
    instances = await startInstances(2, shared)
    proxy = await startProxy(
      'nginx',
      folder.path,
      instances.map(({ url }) => new URL(url).host),
    )
  })
  afterAll(async () => {
    await proxy.stop()
    await Promise.all(instances.map(({ stop }) => stop()))
    await Promise.all([valkey.stop(), venue.stop()])
    folder[Symbol.dispose]()
  })

  test('take turns, and a write that is sent again through either arrives once', async () => {
    const before = venue.requests.length
    const signed = envelope(newCaller(), ORDER)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => proxy.ask('/api/prep/relay', jsonPost(signed))),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const replayed = answers.filter(({ headers }) => headers.get('x-prepd-replay') === 'true')
    expect(replayed).toHaveLength(7)
    expect(venue.requests.length - before).toBe(1)
    for (const { log } of instances) expect(log()).toContain('"route":"relay"')
  })

  test('are missed by nobody when one of them is gone', async () => {
    await instances.splice(0, 1)[0]?.kill()
    for (let asked = 0; asked < 20; asked += 1) {
      expect((await proxy.ask('/api/prep/markets')).status).toBe(200)
      const signed = envelope(newCaller(), ORDER)
      expect((await proxy.ask('/api/prep/relay', jsonPost(signed))).status).toBe(200)
    }
  })
})
