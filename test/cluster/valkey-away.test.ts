// Slow: Valkey is stopped, and connections are lost and found again.
import { expect } from 'bun:test'
import { envelope, newCaller } from '../caller.ts'
import { testsNeeding } from '../programs.ts'
import { recordedOrAccepted, startRecordedVenue } from '../surface/recorded-venue.ts'
import {
  AWAY_MS,
  BACK_MAX_MS,
  noted,
  READ_MAX_MS,
  slowestReads,
  timed,
  WRITE_MAX_MS,
} from './away.ts'
import { type Instance, openInstance, UNHURRIED } from './instances.ts'
import { type SharedPostgres, sharedPostgres } from './postgres.ts'
import { type SilentProxy, startSilentProxy } from './silent-proxy.ts'
import { type RunningValkey, startValkey, VALKEY_PROGRAMS } from './valkey.ts'

const { afterAll, afterEach, beforeAll, describe, test } = testsNeeding(
  'Valkey that is away',
  ...VALKEY_PROGRAMS,
)

const WIDE = '60000/60s burst 60000'
const LIMIT = '1/3600s burst 6'

const ORDER = { method: 'POST', path: '/v1/order', body: '{"a":1}' } as const

let postgres: SharedPostgres
let database = ''
let valkey: RunningValkey
let proxy: SilentProxy
let venue: Awaited<ReturnType<typeof startRecordedVenue>>
const running: Instance[] = []

beforeAll(async () => {
  ;[postgres, valkey, venue] = await Promise.all([
    sharedPostgres(),
    startValkey(),
    startRecordedVenue(recordedOrAccepted),
  ])
  database = await postgres.readyDatabase()
  proxy = await startSilentProxy(valkey.port)
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((instance) => instance.stop()))
})
afterAll(async () => {
  await proxy.stop()
  await Promise.all([valkey.stop(), venue.stop()])
})

async function open(valkeyMs?: number): Promise<Instance> {
  const shared = {
    postgres: database,
    valkey: valkey.url.replace(`:${valkey.port}`, `:${proxy.port}`),
    venue: venue.url,
    // Asked for each time, and never reached.
    settings: { LIMIT_WRITE: LIMIT, LIMIT_READ: WIDE, LIMIT_RELAY: WIDE, LIMIT_ACCOUNT: WIDE },
  }
  const { postgresMs } = UNHURRIED
  const instance = await openInstance(shared, { postgresMs, ...(valkeyMs && { valkeyMs }) })
  running.push(instance)
  await instance.sees('valkey', 'back')
  return instance
}

async function write(instance: Instance): Promise<void> {
  expect(await instance.relay(envelope(newCaller(), ORDER))).toMatchObject({ status: 200 })
}

const WAYS: readonly [string, () => unknown, () => unknown][] = [
  ['stands still', () => valkey.freeze(), () => valkey.thaw()],
  ['goes silent', () => proxy.silence(), () => proxy.speak()],
  ['goes silent in the middle of an answer', () => proxy.silence(7, 12), () => proxy.speak()],
  ['is killed', () => valkey.kill(), () => valkey.start()],
]

describe('Valkey', () => {
  test.each(WAYS)(
    'that %s costs reads and relayed writes nothing but a moment',
    async (way, leave, comeBack) => {
      const instance = await open()
      const before = venue.requests.length
      await leave()
      const figures = { read: 0, write: 0, back: 0 }
      try {
        // The first who meets it has three windows to ask for.
        const firstMs = await timed(() => write(instance))
        figures.read = await slowestReads(instance, AWAY_MS)
        figures.write = Math.max(firstMs, await timed(() => write(instance)))
        await instance.sees('valkey', 'away')
      } finally {
        await comeBack()
      }
      figures.back = await timed(() => instance.sees('valkey', 'back'))
      await noted(`Valkey that ${way}`, figures)
      expect(figures.back).toBeLessThan(BACK_MAX_MS)
      expect(figures.read).toBeLessThan(READ_MAX_MS)
      expect(figures.write).toBeLessThan(WRITE_MAX_MS)
      expect(venue.requests.length).toBeGreaterThan(before)
      expect(instance.log()).toContain('"engine_away"')
      expect(instance.log()).toContain('"engine_back"')
      expect(instance.log()).not.toContain(valkey.password)
    },
    AWAY_MS + 300_000,
  )
})

test('what was admitted while it was away is owed when it is back', async () => {
  const { valkeyMs } = UNHURRIED
  const [one, two] = [await open(valkeyMs), await open(valkeyMs)]
  const ask = (instance: Instance) =>
    instance.get('/api/prep/registration-nonce').then(({ status }) => status !== 429)
  await valkey.kill()
  await one.sees('valkey', 'away')
  await two.sees('valkey', 'away')
  for (let sent = 0; sent < 6; sent += 1) expect(await ask(one)).toBe(true)
  expect(await ask(one)).toBe(false)
  await valkey.start()
  await one.sees('valkey', 'back')
  await two.sees('valkey', 'back')
  while ((await valkey.cli('keys', 'prepd:window:write*')) === '') await Bun.sleep(10)
  expect(await ask(two)).toBe(false)
})
