import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { clientConfig, clientSession } from '../../../src/cluster/postgres/connection.ts'
import { CrowdedError, PostgresError } from '../../../src/cluster/postgres/errors.ts'
import { openPools } from '../../../src/cluster/postgres/pools.ts'
import { PRIORITY_CALLER } from '../../../src/cluster/postgres/primary-queries.ts'
import { findServer } from '../../../src/cluster/postgres/search.ts'
import type { SharedStore } from '../../../src/cluster/postgres/store.ts'
import { checkPostgres } from '../../../src/cluster/postgres/topology.ts'
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

const RULES = {
  connectionsMax: 6,
  idleMs: 0,
  monotonicMs: () => performance.now(),
  greet: () => Promise.resolve(),
}

/** How many connections the database of a URL has. */
async function connections(url: string): Promise<number> {
  const name = new URL(url).pathname.slice(1)
  const [row] = await server.ask(
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = '${name}'`,
  )
  return Number(row?.['n'])
}

/** Connections of an instance, of which `given` may be open for claims, and one for other questions. */
async function poolsAt(url: string, given: number, monotonicMs = RULES.monotonicMs) {
  const found = await findServer({ ...RULES, monotonicMs, place: placeOf(url) })
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
    const reduction = await pools.connect('claims', LONG_MS, PRIORITY_CALLER)
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

/** Connections of an instance to a server that accepts them and never answers, and how many it has seen. */
async function muteServer() {
  const sockets = new Set<Socket>()
  const mute = createServer(
    (socket) => void sockets.add(socket.on('error', () => undefined)),
  ).listen(0)
  await once(mute, 'listening')
  const { port } = mute.address() as AddressInfo
  const place = placeOf(`postgres://prepd@127.0.0.1:${port}/prepd`)
  const found = await findServer({ ...RULES, place: placeOf(await server.readyDatabase()) })
  found.pools.end()
  const config = clientConfig(place, { host: '127.0.0.1', port })
  const pools = openPools(config, found.server, { ...RULES, place })
  return {
    pools,
    /** Those that came before one of its own. */
    seen: async () => {
      const own = connect(port, '127.0.0.1')
      const [socket] = await once(mute, 'connection')
      own.destroy()
      sockets.delete(socket)
      return sockets.size
    },
    stop: () => {
      for (const socket of sockets) socket.destroy()
      mute.close()
    },
  }
}

test('calls to a server that never answers share the connections that are being opened, and end as lost with them', async () => {
  const { pools, seen, stop } = await muteServer()
  const faults: unknown[] = []
  const noteFault = async (call: Promise<unknown>) => {
    const error = await rejection(call)
    faults.push(error instanceof PostgresError && error.fault)
  }
  for (let call = 0; call < CLAIMS; call += 1) await noteFault(pools.connect('claims', 1))
  expect(faults.splice(0)).toEqual(Array(CLAIMS).fill('timeout'))
  expect(await seen()).toBe(1)
  const waiting = Array.from({ length: CLAIMS }, () => noteFault(pools.connect('claims', LONG_MS)))
  pools.end()
  await Promise.all([...waiting, noteFault(pools.connect('claims', LONG_MS))])
  expect(faults).toEqual(Array(CLAIMS + 1).fill('lost'))
  expect(await seen()).toBe(1)
  stop()
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
  const held = second?.vouchers.atomically(async () => {
    holding.resolve()
    await letGo.promise
  })
  await holding.promise
  const vouchers = Array.from({ length: VOUCHERS }, () =>
    first?.vouchers.atomically(async () => 'issued'),
  )
  const claims = Array.from({ length: CLAIMS }, (_, n) =>
    first?.once.claim(claimOf(`${n}`), Date.now()),
  )
  expect(await Promise.all(claims)).toEqual(Array(CLAIMS).fill(true))
  const late = hasty?.vouchers.atomically(async () => 'issued')
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
