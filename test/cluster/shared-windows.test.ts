// Slow: executables start, and windows of a second are filled by the clock of Valkey.
import { expect } from 'bun:test'
import { testsNeeding } from '../programs.ts'
import { startRecordedVenue } from '../surface/recorded-venue.ts'
import { type InstanceProcess, startInstances } from './instances.ts'
import { type SharedPostgres, sharedPostgres } from './postgres.ts'
import { type RunningValkey, startValkey, VALKEY_PROGRAMS } from './valkey.ts'

const { afterAll, beforeAll, describe, test } = testsNeeding(
  'rate windows that instances share',
  ...VALKEY_PROGRAMS,
)

/** How long `10 requests` take in a limit, and how often that goes by: `60` and `5` are five minutes of `10/60s`. */
const SECONDS = Number(process.env['PREPD_TEST_WINDOW_SECONDS'] ?? 1)
const TURNS = Number(process.env['PREPD_TEST_WINDOW_TURNS'] ?? 1)
const BURST = 5
const ASKED_EVERY_MS = 20
/** How often the rate gives one. */
const EACH_MS = (SECONDS * 1000) / 10
/** In less than this it gives no more than the three of them ask for. */
const SLOW_MS = 3 * EACH_MS
/** An instance that says so late what it admitted lets the others admit more than is looked at here. */
const LATE_MS = 3.5 * EACH_MS

let postgres: SharedPostgres
let valkey: RunningValkey
let venue: Awaited<ReturnType<typeof startRecordedVenue>>
let instances: readonly InstanceProcess[] = []

beforeAll(async () => {
  ;[postgres, valkey, venue] = await Promise.all([
    sharedPostgres(),
    startValkey(),
    startRecordedVenue(),
  ])
  const limit = `10/${SECONDS}s burst ${BURST}`
  const shared = {
    postgres: await postgres.readyDatabase(),
    valkey: valkey.url,
    venue: venue.url,
    settings: { LIMIT_WRITE: limit, LIMIT_READ: limit, TRUSTED_PROXIES: '127.0.0.0/8' },
  }
  instances = await startInstances(3, shared)
})
afterAll(async () => {
  await Promise.all(instances.map(({ stop }) => stop()))
  await Promise.all([valkey.stop(), venue.stop()])
})

/** How often an instance had no answer of an engine in time, and decided by itself: its log names only the first time. */
async function timesAway(): Promise<number> {
  const texts = await Promise.all(instances.map(({ metrics }) => metrics()))
  const counts = texts.flatMap((text) => [
    ...text.matchAll(/^prepd_engine_failures_total\{.*\} (\d+)$/gm),
  ])
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}

/** How long the slowest of the instances has kept to itself what it admitted. */
async function lagMs(): Promise<number> {
  const texts = await Promise.all(instances.map(({ metrics }) => metrics()))
  const lags = texts.map(
    (text) => /^prepd_engine_reconciliation_lag_seconds (\S+)$/m.exec(text)?.[1],
  )
  return Math.max(...lags.map((seconds) => Number(seconds) * 1000))
}

let callers = 0

/** What holds of callers who ask faster than the rate, decided with the engines' help: a busy machine needs another try. */
async function hammeredTogether(path: string) {
  for (;;) {
    const before = await timesAway()
    callers += 1
    const { unkept, latestMs, ...figures } = await hammered(path, `198.51.100.${callers}`)
    const isWhole = unkept === 0 && (await timesAway()) === before
    // What came between two looks at the lag is as late as the time between them.
    const isInTime = figures.slowestMs < SLOW_MS && latestMs + figures.slowestMs < LATE_MS
    if (isWhole && isInTime) return figures
  }
}

/** How many of all that were asked of three instances at a time were admitted, and how many the rate gives meanwhile. */
async function hammered(path: string, caller: string) {
  const ask = ({ url }: InstanceProcess) =>
    fetch(url + path, { headers: { 'x-forwarded-for': caller } })
  const startedMs = performance.now()
  let [admitted, unkept, slowestMs, latestMs] = [0, 0, 0, 0]
  let lastMs = startedMs
  while (lastMs - startedMs < SECONDS * TURNS * 1000) {
    for (const response of await Promise.all(instances.map(ask))) {
      expect([200, 429, 503]).toContain(response.status)
      admitted += Number(response.status === 200)
      unkept += Number(response.status === 503)
      await response.text()
    }
    latestMs = Math.max(latestMs, await lagMs())
    slowestMs = Math.max(slowestMs, performance.now() - lastMs)
    lastMs = performance.now()
    await Bun.sleep(ASKED_EVERY_MS)
  }
  return {
    admitted,
    unkept,
    slowestMs,
    latestMs,
    rate: Math.floor(((lastMs - startedMs) / 1000 / SECONDS) * 10),
  }
}

const TIMEOUT_MS = SECONDS * TURNS * 1000 + 300_000

describe('three instances', () => {
  test(
    'admit together what one would',
    async () => {
      const path = '/api/prep/registration-nonce'
      const { admitted, rate, slowestMs } = await hammeredTogether(path)
      // When in a turn they were decided is not known.
      const unsure = Math.floor(slowestMs / EACH_MS)
      expect(Math.abs(admitted - (BURST + rate))).toBeLessThanOrEqual(1 + unsure)
    },
    TIMEOUT_MS,
  )

  test(
    'admit at most a burst each more of reads, once',
    async () => {
      const { admitted, rate } = await hammeredTogether('/api/prep/catalogue')
      expect(admitted).toBeGreaterThanOrEqual(rate)
      expect(admitted).toBeLessThanOrEqual(3 * BURST + rate + 1)
    },
    TIMEOUT_MS,
  )
})
