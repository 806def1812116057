import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import pg from 'pg'
import { clientSession } from '../../../src/cluster/postgres/connection.ts'
import { GOES_FIRST } from '../../../src/cluster/postgres/link.ts'
import { findServer } from '../../../src/cluster/postgres/search.ts'
import type { SharedStore } from '../../../src/cluster/postgres/store.ts'
import { checkPostgres } from '../../../src/cluster/postgres/topology.ts'
import { CrowdedError } from '../../../src/cluster/postgres/trouble.ts'
import { LIMITS } from '../../../src/contract/limits.ts'
import { Failure } from '../../../src/core/failure.ts'
import { statement } from '../../../src/store/connection/statement.ts'
import { rejection } from '../../rejection.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'
import { until } from '../processes.ts'
import { claimOf, openAt, placeOf } from './instance.ts'

const INSTANCES = 6
const CLAIMS = 40
const VOUCHERS = 24
const LONG_MS = 60_000

let server: PostgresServer
const stores: SharedStore[] = []
beforeAll(async () => {
  server = await startPostgres({
    settings: { max_connections: '24', superuser_reserved_connections: '4' },
  })
})
afterEach(() => {
  for (const store of stores.splice(0)) store.close()
})
afterAll(() => server.stop())

/** How many connections the database of a URL has. */
async function connections(url: string): Promise<number> {
  const name = new URL(url).pathname.slice(1)
  const [row] = await server.ask(
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = '${name}'`,
  )
  return Number(row?.['n'])
}

/** Connections of an instance, of which `given` may be open for claims, and one for other questions. */
async function poolsAt(url: string, given: number, monotonicMs = () => performance.now()) {
  const greet = () => Promise.resolve()
  const rules = { connectionsMax: 6, idleMs: 0, monotonicMs, greet }
  const found = await findServer({ ...rules, place: placeOf(url) })
  const name = new URL(url).pathname.slice(1)
  await server.ask(`ALTER DATABASE ${name} CONNECTION LIMIT ${given + 1}`)
  return found
}

// Slow: instances wait for each other's connections to PostgreSQL.
test(`${INSTANCES} instances that want three times the connections there are claim every write`, async () => {
  const url = await server.readyDatabase()
  for (let at = 0; at < INSTANCES; at += 1) stores.push(await openAt(url))
  const claims = stores.flatMap(({ once }, at) =>
    Array.from({ length: CLAIMS }, (_, n) => once.claim(claimOf(`${at} ${n}`), Date.now())),
  )
  expect(await Promise.all(claims)).toEqual(Array(INSTANCES * CLAIMS).fill(true))
})

test('connections without a question are given back, all but one for claims and one for other questions', async () => {
  const url = await server.readyDatabase()
  stores.push(await openAt(url, { idleMs: 20 }))
  const claims = Array.from({ length: CLAIMS }, (_, n) =>
    stores[0]?.once.claim(claimOf(`${n}`), Date.now()),
  )
  expect(await Promise.all(claims)).toEqual(Array(CLAIMS).fill(true))
  await until(async () => (await connections(url)) <= 2)
})

test('connections that break before anybody looks after them end nothing, and others come', async () => {
  const url = await server.readyDatabase()
  const { pools } = await poolsAt(url, 4)
  const name = new URL(url).pathname.slice(1)
  await server.ask(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
  )
  await until(async () => (await connections(url)) === 0)
  const { client, release } = await pools.connect('claims', LONG_MS)
  expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  release()
  pools.end()
})

test.each([2, 3])(
  'of %d connections for claims that the server gives, orders leave one for a reduction',
  async (given) => {
    const url = await server.readyDatabase()
    let nowMs = 0
    const { pools } = await poolsAt(url, given, () => nowMs)
    const orders: ReturnType<typeof pools.connect>[] = []
    await until(async () => {
      // Later than the last refusal.
      nowMs += 1000
      orders.push(pools.connect('claims', LONG_MS, { owner: `${orders.length}` }))
      return orders.length > given && (await connections(url)) === given + 1
    })
    const reduction = await pools.connect('claims', LONG_MS, GOES_FIRST)
    reduction.release()
    await Promise.all(orders.map(async (order) => (await order).release()))
    pools.end()
  },
)

test('a call that waits in vain for the only connection that the server gives is crowded', async () => {
  const url = await server.readyDatabase()
  const { pools } = await poolsAt(url, 1)
  const held = await pools.connect('claims', LONG_MS)
  expect(await rejection(pools.connect('claims', 50))).toBeInstanceOf(CrowdedError)
  held.release()
  const { release } = await pools.connect('claims', LONG_MS)
  release()
  pools.end()
})

test('an instance has no more of them than it may', async () => {
  const url = await server.readyDatabase()
  stores.push(await openAt(url, { connectionsMax: 5 }))
  const asked = Array.from({ length: CLAIMS }, (_, n) => [
    stores[0]?.once.claim(claimOf(`${n}`), Date.now()),
    stores[0]?.vouchers.list(1),
    stores[0]?.nonces.issue(`${n}`, Date.now() + 1000),
  ])
  await Promise.all(asked.flat())
  expect(await connections(url)).toBeWithin(3, 6)
})

test(`${VOUCHERS} vouchers that wait for a lock keep no write waiting`, async () => {
  const url = await server.readyDatabase()
  const { postgresWaitMaxMs: waitMaxMs } = LIMITS
  stores.push(await openAt(url), await openAt(url), await openAt(url, { waitMaxMs }))
  const [first, second, hasty] = stores
  const holding = Promise.withResolvers<void>()
  const letGo = Promise.withResolvers<void>()
  const held = second?.vouchers.atomically(['subject'], async () => {
    holding.resolve()
    await letGo.promise
  })
  await holding.promise
  const vouchers = Array.from({ length: VOUCHERS }, () =>
    first?.vouchers.atomically(['subject'], async () => 'issued'),
  )
  const claims = Array.from({ length: CLAIMS }, (_, n) =>
    first?.once.claim(claimOf(`${n}`), Date.now()),
  )
  expect(await Promise.all(claims)).toEqual(Array(CLAIMS).fill(true))
  const late = hasty?.vouchers.atomically(['subject'], async () => 'issued')
  expect(await rejection(Promise.resolve(late))).toBeInstanceOf(Failure)
  expect(await first?.once.claim(claimOf('afterwards'), Date.now())).toBe(true)
  letGo.resolve()
  await held
  expect(await Promise.all(vouchers)).toEqual(Array(VOUCHERS).fill('issued'))
})

test.each([
  [20, true],
  [21, false],
])('a check of %p connections for an instance finds room: %p', async (connectionsMax, hasRoom) => {
  const postgres = placeOf(await server.readyDatabase())
  const findings = await checkPostgres({ postgres, connectionsMax, nowMs: Date.now })
  const lacking = findings.filter(({ seen }) => seen.includes('connections for all instances'))
  expect(lacking).toHaveLength(hasRoom ? 0 : 1)
})

test('a statement has each value by its name, as often as it stands there, and is not asked without one', async () => {
  const url = await server.readyDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { ask } = clientSession(client, 10_000)
  const SUM = statement<{ sum: number }, Readonly<Record<string, number>>>(
    'SELECT $one::int + $two::int + $one::int AS sum',
  )
  expect((await ask(SUM, { two: 1, one: 20, three: 300 })).rows).toEqual([{ sum: 41 }])
  await expect(ask(SUM, { one: 20, too: 1 })).rejects.toThrow('its value of $two')
  await client.end()
})
