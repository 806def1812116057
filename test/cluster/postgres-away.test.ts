// Slow: PostgreSQL is stopped, and requests wait for it as long as they may.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { LIMITS } from '../../src/contract/limits.ts'
import { envelope, newCaller } from '../caller.ts'
import { recordedOrAccepted, startRecordedVenue } from '../surface/recorded-venue.ts'
import {
  AWAY_MS,
  BACK_MAX_MS,
  noted,
  READ_MAX_MS,
  REFUSAL_MAX_MS,
  slowestReads,
  timed,
} from './away.ts'
import { type Instance, kept, openInstance, startInstance } from './instances.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { until } from './processes.ts'
import { type SilentProxy, startSilentProxy } from './silent-proxy.ts'

const ORDER = { method: 'POST', path: '/v1/order', body: '{"a":1}' } as const
const CANCEL = { method: 'DELETE', path: '/v1/order?order_id=1&symbol=PERP_ETH_USDC' } as const
const READ = { method: 'GET', path: '/v1/positions' } as const
const order = () => envelope(newCaller(), ORDER)

let server: PostgresServer
let proxy: SilentProxy
let venue: Awaited<ReturnType<typeof startRecordedVenue>>
const running: Instance[] = []
beforeAll(async () => {
  server = await startPostgres()
  venue = await startRecordedVenue(recordedOrAccepted)
  proxy = await startSilentProxy(server.port)
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((instance) => instance.stop()))
})
afterAll(async () => {
  await proxy.stop()
  await Promise.all([venue.stop(), server.stop()])
})

/** Long enough for a busy machine to answer, and less than in the product, so that nobody waits for what is away. */
const WAIT_MAX_MS = 400

async function open(postgres: string, postgresMs: number): Promise<Instance> {
  const instance = await openInstance({ postgres, venue: venue.url }, { postgresMs })
  running.push(instance)
  return instance
}

const sent = (signature: string) =>
  venue.requests.filter(({ headers }) => headers.some(([, value]) => value === signature)).length

async function refuses(instance: Instance, wanted: ReturnType<typeof order>): Promise<void> {
  const refused = await instance.relay(wanted)
  expect(refused).toMatchObject({
    status: 503,
    body: {
      code: 'store_unavailable',
      error: 'Records cannot be kept right now. Nothing was sent. Try again in a moment.',
    },
  })
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(sent(wanted.auth.signature)).toBe(0)
}

async function cancels(instance: Instance): Promise<void> {
  const cancel = envelope(newCaller(), CANCEL)
  expect(await instance.relay(cancel)).toMatchObject({ status: 200 })
  expect(sent(cancel.auth.signature)).toBe(1)
}

/** What a caller meets while PostgreSQL is away: nothing that needs a record, and everything else. All ask at once. */
async function meetsAbsence(instance: Instance) {
  const wanted = order()
  const noNonce = async () =>
    expect(await instance.get('/api/prep/registration-nonce')).toMatchObject({
      status: 503,
      body: { code: 'store_unavailable' },
    })
  const reads = async () => expect(await instance.relay(READ)).toMatchObject({ status: 200 })
  const [refusal, cancel, read] = await Promise.all([
    timed(() => refuses(instance, wanted)),
    timed(() => cancels(instance)),
    slowestReads(instance, AWAY_MS),
    noNonce(),
    reads(),
  ])
  const later = await timed(() => refuses(instance, order()))
  return { wanted, figures: { refusal: Math.max(refusal, later), cancel, read } }
}

describe('PostgreSQL', () => {
  const ways: readonly [string, () => unknown, () => unknown][] = [
    ['is killed', () => server.kill(), () => server.start()],
    ['stands still', () => server.freeze(), () => server.thaw()],
    ['goes silent', () => proxy.silence(), () => proxy.speak()],
    ['goes silent in the middle of an answer', () => proxy.silence(7, 700), () => proxy.speak()],
  ]
  test.each(ways)(
    'that %s stops writes that need a claim, until it is back, and no reads',
    async (way, leave, comeBack) => {
      const instance = await open(await server.readyDatabase(proxy.port), WAIT_MAX_MS)
      // A busy machine may take longer for the first connection than a claim waits, and such a claim may arrive later.
      let first = order()
      await until(async () => {
        first = order()
        return (await instance.relay(first)).status === 200
      })
      await leave()
      const { wanted, figures } = await meetsAbsence(instance)
        .then(async (met) => {
          await instance.sees('postgres', 'away')
          return met
        })
        .finally(comeBack)
      const back = await timed(() => instance.sees('postgres', 'back'))
      await noted(`PostgreSQL that ${way}`, { ...figures, back })
      expect(figures.read).toBeLessThan(READ_MAX_MS)
      expect(figures.refusal).toBeLessThan(REFUSAL_MAX_MS)
      expect(figures.cancel).toBeLessThan(REFUSAL_MAX_MS)
      expect(back).toBeLessThan(BACK_MAX_MS)
      const late = await kept(instance, wanted)
      // A request that arrived before the stop may have begun: its outcome is unknown, and nothing is sent.
      if (late.status === 200) expect(sent(wanted.auth.signature)).toBe(1)
      else {
        expect(late.body.code).toBe('outcome_unknown')
        expect(sent(wanted.auth.signature)).toBe(0)
      }
      expect((await instance.relay(first)).headers.get('x-prepd-replay')).toBe('true')
      // Here too a new connection may take longer than a claim waits.
      await until(async () => (await instance.relay(order())).status === 200)
      expect(instance.log()).toMatch(
        /"store_unavailable","request":"[^"]+","error":"postgres [a-z]+"/,
      )
      expect(instance.log()).not.toContain('hunter2')
    },
    AWAY_MS + 300_000,
  )

  test('that nothing more comes from on the connections there are is found again on others', async () => {
    const instance = await open(await server.readyDatabase(proxy.port), LIMITS.postgresWaitMaxMs)
    const write = async (callers: number) => {
      const answers = Array.from({ length: callers }, () => instance.relay(order()))
      return (await Promise.all(answers)).every(({ status }) => status === 200)
    }
    // As many connections as there may be.
    await until(() => write(20))
    proxy.silence()
    proxy.speak()
    const back = await timed(() => until(() => write(4)))
    await noted('PostgreSQL that loses its connections', { back })
    expect(back).toBeLessThan(BACK_MAX_MS)
  })

  test('that is away when an instance starts is taken up when it comes', async () => {
    const url = await server.readyDatabase()
    await server.kill()
    const instance = await open(url, WAIT_MAX_MS)
    await meetsAbsence(instance)
    await instance.sees('postgres', 'away')
    await server.start()
    await instance.sees('postgres', 'back')
    expect(await kept(instance, order())).toMatchObject({ status: 200 })
    expect(instance.log()).toContain('engine_away')
    expect(instance.log()).not.toContain('hunter2')
  })

  test('remembers for every instance, and for the next one of a machine that died', async () => {
    const url = await server.readyDatabase()
    const [first, second] = await Promise.all([
      startInstance({ postgres: url, venue: venue.url }),
      open(url, 60_000),
    ])
    const wanted = order()
    expect(await kept(first, wanted)).toMatchObject({ status: 200 })
    const again = await second.relay(wanted)
    expect(again.body.code).toBe('outcome_unknown')
    await first.kill()
    const third = await open(url, 60_000)
    expect((await third.relay(wanted)).body.code).toBe('outcome_unknown')
    expect(sent(wanted.auth.signature)).toBe(1)
  })
})
