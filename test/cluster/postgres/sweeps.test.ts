// Slow: PostgreSQL starts.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import pg from 'pg'
import { type PostgresServer, startPostgres } from '../postgres.ts'
import { openAt } from './instance.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

async function connected(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

const WAITING = 'SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted'

test('instances that sweep at once do not wait for each other in a circle', async () => {
  const url = await server.readyDatabase()
  const [one, other] = [await openAt(url), await openAt(url)]
  const [client, writer] = [await connected(url), await connected(url)]
  const waiting = async (count: number) => {
    while (Number((await client.query(WAITING)).rows[0]?.count) < count) await Bun.sleep(5)
  }
  await client.query(
    `INSERT INTO prepd_claims (identity, attempt, expires_at, is_of_earlier) VALUES ('ended', 'a', now(), false)`,
  )
  await client.query('BEGIN')
  await client.query('SELECT 1 FROM prepd_lineage FOR UPDATE')
  const first = one.sweep(Date.now(), 10)
  await waiting(1)
  await writer.query(
    `INSERT INTO prepd_signed_claims (identity, attempt, expires_ms, slot)
     SELECT 'ended ' || ends_ms, 'a', ends_ms, prepd_claim_slot(ends_ms)
     FROM generate_series(0, 15 * 60000, 60000) AS ends_ms`,
  )
  const second = other.sweep(Date.now(), 10)
  await waiting(2)
  await client.query('COMMIT')
  const swept = await Promise.allSettled([first, second])
  await Promise.all([client.end(), writer.end()])
  expect(swept.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  one.close()
  other.close()
})
