import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { envelope, newCaller } from '../caller.ts'
import { recordedOrAccepted, startRecordedVenue } from '../surface/recorded-venue.ts'
import { type Instance, startInstance } from './instances.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { type SilentProxy, startSilentProxy } from './silent-proxy.ts'
import { type RunningValkey, startValkey } from './valkey.ts'

/** How long the engine is away, and the figures that hold then: on a machine that does nothing else. */
const SECONDS = Number(process.env['PREPD_TEST_AWAY_SECONDS'] ?? 0)
const AWAY_MS = 1000 * (SECONDS || 1.5)
const SLOWEST_MAX_MS = SECONDS ? 300 : 20_000
const BACK_MAX_MS = SECONDS ? 2000 : 20_000
const WIDE = '60000/60s burst 60000'
const LIMIT = '1/3600s burst 6'

const ORDER = { method: 'POST', path: '/v1/order', body: '{"a":1}' } as const

let postgres: PostgresServer
let valkey: RunningValkey
let proxy: SilentProxy
let venue: Awaited<ReturnType<typeof startRecordedVenue>>
const running: Instance[] = []

beforeAll(async () => {
  ;[postgres, valkey, venue] = await Promise.all([
    startPostgres(),
    startValkey(),
    startRecordedVenue(recordedOrAccepted),
  ])
  proxy = await startSilentProxy(valkey.port)
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((instance) => instance.stop()))
})
afterAll(async () => {
  await proxy.stop()
  await Promise.all([postgres.stop(), valkey.stop(), venue.stop()])
})

async function open(): Promise<Instance> {
  const instance = await startInstance({
    postgres: await postgres.newDatabase(),
    valkey: valkey.url.replace(`:${valkey.port}`, `:${proxy.port}`),
    venue: venue.url,
    // Asked for each time, and never reached.
    settings: { LIMIT_WRITE: LIMIT, LIMIT_READ: WIDE, LIMIT_RELAY: WIDE, LIMIT_ACCOUNT: WIDE },
  })
  running.push(instance)
  await instance.sees('valkey', 'back')
  return instance
}

/** What every hundredth read takes longer than, of reads that are asked one after the other for so long. */
async function slowestReads(instance: Instance, forMs: number): Promise<number> {
  const tookMs: number[] = []
  const untilMs = performance.now() + forMs
  while (performance.now() < untilMs) {
    // Kept answers, and those that are loaded.
    for (const path of ['/api/prep/markets', `/api/prep/op/markets.get?symbol=PERP_BTC_USDC`]) {
      const startedMs = performance.now()
      expect((await instance.get(path)).status).toBe(200)
      tookMs.push(performance.now() - startedMs)
    }
    await Bun.sleep(2)
  }
  return tookMs.toSorted((one, other) => other - one)[Math.floor(tookMs.length / 100)] ?? 0
}

async function slowestWrite(instance: Instance): Promise<number> {
  const startedMs = performance.now()
  expect(await instance.relay(envelope(newCaller(), ORDER))).toMatchObject({ status: 200 })
  return performance.now() - startedMs
}

const WAYS: readonly [string, () => unknown, () => unknown][] = [
  ['stands still', () => valkey.freeze(), () => valkey.thaw()],
  ['goes silent', () => proxy.silence(), () => proxy.speak()],
  ['is killed', () => valkey.kill(), () => valkey.start()],
]

describe('Valkey', () => {
  test.each(WAYS)(
    'that %s costs reads and relayed writes nothing but a moment',
    async (_, leave, comeBack) => {
      const instance = await open()
      const before = venue.requests.length
      await leave()
      let slowestMs = 0
      try {
        // The first who meets it has three windows to ask for.
        const writeMs = await slowestWrite(instance)
        slowestMs = Math.max(writeMs, await slowestReads(instance, AWAY_MS))
        slowestMs = Math.max(slowestMs, await slowestWrite(instance))
        await instance.sees('valkey', 'away')
      } finally {
        await comeBack()
      }
      const backMs = performance.now()
      await instance.sees('valkey', 'back')
      expect(performance.now() - backMs).toBeLessThan(BACK_MAX_MS)
      expect(slowestMs).toBeLessThan(SLOWEST_MAX_MS)
      expect(venue.requests.length).toBeGreaterThan(before)
      expect(instance.log()).toContain('"engine_away"')
      expect(instance.log()).toContain('"engine_back"')
      expect(instance.log()).not.toContain(valkey.password)
    },
    AWAY_MS + 120_000,
  )
})

test('what was admitted while it was away is owed when it is back', async () => {
  const [one, two] = [await open(), await open()]
  const ask = (instance: Instance) =>
    instance.get('/api/prep/registration-nonce').then(({ status }) => status !== 429)
  await valkey.kill()
  await one.sees('valkey', 'away')
  for (let sent = 0; sent < 6; sent += 1) expect(await ask(one)).toBe(true)
  expect(await ask(one)).toBe(false)
  await valkey.start()
  await one.sees('valkey', 'back')
  await two.sees('valkey', 'back')
  while ((await valkey.cli('keys', 'prepd:window:write*')) === '') await Bun.sleep(10)
  expect(await ask(two)).toBe(false)
})
