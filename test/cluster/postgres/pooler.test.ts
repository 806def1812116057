import { expect } from 'bun:test'
import { checkPostgres } from '../../../src/cluster/postgres/topology.ts'
import { testsNeeding } from '../../programs.ts'
import { rejection } from '../../rejection.ts'
import { startPgbouncer } from '../pgbouncer.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'
import { openAt, placeOf } from './instance.ts'

const { afterAll, beforeAll, test } = testsNeeding('PgBouncer', 'pgbouncer')

const IGNORED = 'statement_timeout,idle_in_transaction_session_timeout,options'

let server: PostgresServer
let database: string
beforeAll(async () => {
  server = await startPostgres()
  database = await server.readyDatabase()
  // Timeouts of the role are none of the connection.
  await server.ask("ALTER ROLE prepd SET statement_timeout = '5s'")
})
afterAll(() => server.stop())

const MODES: readonly [string, Readonly<Record<string, string>>][] = [
  ['transaction mode', { pool_mode: 'transaction' }],
  [
    'transaction mode that ignores settings',
    { pool_mode: 'transaction', ignore_startup_parameters: IGNORED },
  ],
  ['session mode', { pool_mode: 'session' }],
  [
    'session mode that ignores settings',
    { pool_mode: 'session', ignore_startup_parameters: IGNORED },
  ],
]

// Slow: PgBouncer starts.
test.each(MODES)('PgBouncer in %s ends the start and is named by doctor', async (_, settings) => {
  const pgbouncer = await startPgbouncer(database, settings)
  try {
    expect(await rejection(openAt(pgbouncer.url))).toHaveProperty('name', 'PoolerError')
    const postgres = placeOf(pgbouncer.url)
    const found = await checkPostgres({ postgres, connectionsMax: 10, nowMs: Date.now })
    expect(found.map(({ seen }) => seen).join()).toContain('a pooler stands before it')
  } finally {
    await pgbouncer.stop()
  }
})

test('PostgreSQL itself is taken, whatever timeouts its role has', async () => {
  const store = await openAt(database)
  expect(store.health.isUp()).toBe(true)
  store.close()
})
