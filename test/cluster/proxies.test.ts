// Slow: several executables start behind each proxy.
import { expect } from 'bun:test'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { PROXIES, type RunningProxy, startProxy } from '../config/proxy.ts'
import { testsNeeding } from '../programs.ts'
import { recordedOrAccepted, startRecordedVenue } from '../surface/recorded-venue.ts'
import { temporaryFolder } from '../surface/spawned.ts'
import { type InstanceProcess, startInstances } from './instances.ts'
import { type SharedPostgres, sharedPostgres } from './postgres.ts'
import { until } from './processes.ts'
import { type RunningValkey, startValkey, VALKEY_PROGRAMS } from './valkey.ts'

const { afterAll, beforeAll, describe, test } = testsNeeding(
  'instances behind a proxy',
  ...VALKEY_PROGRAMS,
  ...Object.keys(PROXIES),
  'openssl',
)

const ORDER = { method: 'POST', path: '/v1/order', body: '{"a":1}' } as const

describe.each(Object.keys(PROXIES))('two instances behind %s', (name) => {
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
      postgres: await postgres.readyDatabase(),
      valkey: valkey.url,
      venue: venue.url,
      settings: { TRUSTED_PROXIES: '127.0.0.1/32', LOG_REQUESTS: '100' },
    }
    instances = await startInstances(2, shared)
    proxy = await startProxy(
      name,
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

  /** What is answered to a write, which is sent again where an instance could not keep it in time. */
  async function kept(signed: ReturnType<typeof envelope>): Promise<Response> {
    for (;;) {
      const answer = await proxy.ask('/api/prep/relay', jsonPost(signed))
      if (answer.status !== 503) return answer
      await answer.text()
    }
  }

  test('take turns, and a write that is sent again through either arrives once', async () => {
    const before = venue.requests.length
    const signed = envelope(newCaller(), ORDER)
    // Whoever waited in vain for the outcome at the other instance is refused, and asks again.
    const outcome = async () => {
      for (;;) {
        const answer = await kept(signed)
        if (answer.status !== 409) return answer
      }
    }
    const answers = await Promise.all(Array.from({ length: 8 }, outcome))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const replayed = answers.filter(({ headers }) => headers.get('x-prepd-replay') === 'true')
    expect(replayed).toHaveLength(7)
    // Caddy chooses at random: it may have given all of them to one instance.
    for (const { log } of instances)
      await until(async () => {
        await kept(signed)
        return log().includes('"route":"relay"')
      })
    expect(venue.requests.length - before).toBe(1)
  })

  test('are missed by nobody when one of them is gone, but for a write that it had under way', async () => {
    const before = venue.requests.length
    const lost: number[] = []
    await instances.splice(0, 1)[0]?.kill()
    for (let asked = 0; asked < 20; asked += 1) {
      expect((await proxy.ask('/api/prep/markets')).status).toBe(200)
      const signed = envelope(newCaller(), ORDER)
      const write = async () => (await kept(signed)).status
      const status = await write()
      if (status === 200) continue
      lost.push(status)
      await until(async () => (await write()) === 200)
    }
    // Caddy tries no write again, and leaves out who has failed; nginx gives it to the next.
    if (name === 'nginx') expect(lost).toEqual([])
    const orders = venue.requests.slice(before).filter(({ method }) => method === 'POST')
    expect(orders).toHaveLength(20)
  })
})
