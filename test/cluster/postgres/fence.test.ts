// Slow: PostgreSQL and Valkey start, and each test makes a database.
import { expect } from 'bun:test'
import { LIMITS } from '../../../src/contract/limits.ts'
import type { DatabaseRegistry } from '../../../src/core/engines/database.ts'
import { createEngineWaits, EngineAway } from '../../../src/core/engines/health.ts'
import { createRequestContext, inRequest } from '../../../src/core/observing/request-context.ts'
import { testsNeeding } from '../../programs.ts'
import { rejection } from '../../rejection.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'
import { until } from '../processes.ts'
import { openInstance } from '../valkey/fixture.ts'
import { type RunningValkey, startValkey, VALKEY_PROGRAMS } from '../valkey.ts'
import { claimOf, openAt } from './instance.ts'

const { afterAll, afterEach, beforeAll, describe, test } = testsNeeding(
  'fencing of PostgreSQL',
  ...VALKEY_PROGRAMS,
)

let server: PostgresServer
let valkey: RunningValkey
beforeAll(async () => {
  ;[server, valkey] = await Promise.all([startPostgres(), startValkey()])
})
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
  await valkey.cli('flushall')
})
afterAll(async () => {
  await Promise.all([server.stop(), valkey.stop()])
})

async function registryAt(url = valkey.url): Promise<DatabaseRegistry> {
  const { valkey: opened } = await openInstance(
    url,
    undefined,
    url === CLOSED_PORT ? 20 : undefined,
  )
  ends.push(opened.close)
  return opened.registry
}

async function open(...given: Parameters<typeof openAt>) {
  const store = await openAt(...given)
  ends.push(store.close)
  return store
}

/** The same database under a URL that names two hosts. */
const twice = (url: string) => url.replace(/@([^/]+)/, '@$1,$1')
const CLOSED_PORT = 'redis://127.0.0.1:9'

describe('a start with several hosts and without Valkey', () => {
  test('is fenced while replication is asynchronous and fencing is ours', async () => {
    const url = twice(await server.readyDatabase())
    const registry = await registryAt(CLOSED_PORT)
    const fenced = await open(url, { registry, waitMaxMs: LIMITS.postgresWaitMaxMs })
    expect(await fenced.check()).toContain('no synchronous standby')
    expect(await rejection(fenced.once.claim(claimOf('one'), Date.now()))).toMatchObject({
      code: 'store_unavailable',
    })
    const supervised = await open(url, { registry, fencing: 'operator' })
    expect(await supervised.once.claim(claimOf('one'), Date.now())).toBe(true)
  })

  test('is no trouble where there is one host, or a synchronous standby', async () => {
    const url = await server.readyDatabase()
    const registry = await registryAt(CLOSED_PORT)
    const alone = await open(url, { registry })
    expect(await alone.once.claim(claimOf('one'), Date.now())).toBe(true)
    const database = new URL(url).pathname.slice(1)
    await server.ask(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`)
    await server.ask('SELECT pg_reload_conf()')
    ends.push(async () => {
      await server.ask('ALTER SYSTEM RESET synchronous_standby_names')
      await server.ask('SELECT pg_reload_conf()')
    })
    while (!(await isSynchronous(database))) await Bun.sleep(5)
    const synced = await open(twice(url), { registry })
    expect(synced.health.reason()).toBeNull()
  })
})

async function isSynchronous(database: string): Promise<boolean> {
  const [row] = await server.ask('SHOW synchronous_standby_names', database)
  return row?.['synchronous_standby_names'] === 'nobody'
}

describe('an instance whose peers', () => {
  const others: readonly (readonly [string, (url: string) => Promise<string>, string])[] = [
    ['serve another venue or broker', async (url) => url, 'two'],
    ['have another database', () => server.readyDatabase(), 'one'],
  ]
  test.each(others)('%s writes nothing, and says why', async (_, urlOf, deployment) => {
    const url = await server.readyDatabase()
    const first = await open(url, { registry: await registryAt() })
    expect(await first.once.claim(claimOf('one'), Date.now())).toBe(true)
    // Its start and its claim wait as long as they may for what does not come.
    const waitMaxMs = LIMITS.postgresWaitMaxMs
    const registry = await registryAt()
    const other = await open(await urlOf(url), { registry, deployment, waitMaxMs })
    await until(async () => other.health.reason()?.includes('another database') ?? false)
    expect(other.health.isUp()).toBe(false)
    expect(other.health.reason()).toContain('another database, venue or broker')
    expect(await other.check()).toContain('another database, venue or broker')
    expect(await rejection(other.once.claim(claimOf('two'), Date.now()))).toMatchObject({
      code: 'store_unavailable',
    })
    expect(await first.once.claim(claimOf('three'), Date.now())).toBe(true)
    expect(first.health.reason()).toBeNull()
    expect(await first.check()).toBeNull()
  })

  test('have been silent for longer than any claim lives takes their place', async () => {
    const first = await open(await server.readyDatabase(), { registry: await registryAt() })
    first.close()
    const [seconds = ''] = (await valkey.cli('time')).split('\n')
    await valkey.cli('hset', 'prepd:database', 'seen', `${Number(seconds) * 1000 - 600_001}`)
    const next = await open(await server.readyDatabase(), { registry: await registryAt() })
    expect(await next.once.claim(claimOf('one'), Date.now())).toBe(true)
  })
})

test('an instance that cannot reach Valkey any more stops writing to one of several hosts', async () => {
  const url = twice(await server.readyDatabase())
  let nowMs = performance.now()
  const registry = await registryAt()
  let isAway = false
  const cut: DatabaseRegistry = {
    ...registry,
    exchange: (state) =>
      isAway ? Promise.reject(new EngineAway('unreachable')) : registry.exchange(state),
  }
  const store = await open(url, { registry: cut, monotonicMs: () => nowMs })
  expect(await store.once.claim(claimOf('one'), Date.now())).toBe(true)
  isAway = true
  expect(await store.once.claim(claimOf('two'), Date.now())).toBe(true)
  nowMs += 5001
  expect(await rejection(store.once.claim(claimOf('three'), Date.now()))).toMatchObject({
    code: 'store_unavailable',
  })
  isAway = false
  while ((await store.once.claim(claimOf('four'), Date.now()).catch(() => null)) !== true)
    await Bun.sleep(20)
})

test('a server that is lost by a request without time left for Valkey is found again', async () => {
  const url = twice(await server.readyDatabase())
  let nowMs = performance.now()
  const registry = await registryAt()
  const waits = createEngineWaits(() => nowMs, LIMITS.postgresWaitMaxMs)
  const exchange: DatabaseRegistry['exchange'] = (state) =>
    waits.leftMs() > 0 ? registry.exchange(state) : Promise.reject(new EngineAway('timeout'))
  const store = await open(url, { registry: { ...registry, exchange }, monotonicMs: () => nowMs })
  expect(await store.once.claim(claimOf('one'), Date.now())).toBe(true)
  await inRequest(
    createRequestContext('one', '::1', () => null),
    async () => {
      await waits.counted(async () => {
        nowMs += 5001
      })
      expect(waits.leftMs()).toBeLessThan(0)
      expect(await rejection(store.once.claim(claimOf('two'), Date.now()))).toMatchObject({
        code: 'store_unavailable',
      })
    },
  )
  await until(
    async () => (await store.once.claim(claimOf('two'), Date.now()).catch(() => null)) === true,
  )
})

test.each([
  [-29_000, null],
  [31_000, "behind this machine's"],
  [-31_000, "ahead of this machine's"],
] as const)('a clock %i ms off is ready only where it takes writes', async (offMs, trouble) => {
  const url = await server.readyDatabase()
  const store = await open(url, { nowMs: () => Date.now() + offMs })
  const claim = store.once.claim(claimOf('one'), Date.now())
  if (trouble === null) {
    expect(await claim).toBe(true)
    expect(await store.check()).toBeNull()
  } else {
    expect(await rejection(claim)).toMatchObject({ code: 'store_unavailable' })
    expect(await store.check()).toContain(trouble)
  }
})
