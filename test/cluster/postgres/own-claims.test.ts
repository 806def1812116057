import { expect, test } from 'bun:test'
import pg from 'pg'
import { type Session, sessionOf } from '../../../src/cluster/postgres/connection.ts'
import { assertPublished, createOwnClaims } from '../../../src/cluster/postgres/own-claims.ts'
import type { ListedValues } from '../../../src/store/connection/statement.ts'
import { sharedPostgres } from '../postgres.ts'

test('every claim of a write that may not have been made is taken back, and no longer than its row can turn up', async () => {
  const own = createOwnClaims(() => 0)
  own.doubt('write', 'first')
  own.doubt('client order id', 'first')
  own.doubt('write', 'second')
  const released: unknown[] = []
  const session: Pick<Session, 'ask'> = {
    ask: async (_, { identities, attempts }: ListedValues) => {
      released.push([identities, attempts])
      return { rows: [], count: 0 }
    },
  }
  await own.release(session, 9_999)
  await own.release(session, 10_000)
  await own.release(session, 10_001)
  const all = [
    ['write', 'client order id', 'write'],
    ['first', 'first', 'second'],
  ]
  expect(released).toEqual([all, all])
})

/** A database with live claims by an attempt that was given back since, and an expired one. */
async function withGivenBack(expiresAtMs: number) {
  const server = await sharedPostgres()
  const client = new pg.Client({ connectionString: await server.readyDatabase() })
  await client.connect()
  await client.query(
    `INSERT INTO prepd_signed_claims (identity, attempt, expires_ms, slot)
      VALUES ('text', 'given back', ${expiresAtMs}, prepd_claim_slot(${expiresAtMs}))`,
  )
  await client.query(
    `INSERT INTO prepd_claims (identity, attempt, expires_at, is_of_earlier)
      VALUES ('order id', 'given back', to_timestamp(${expiresAtMs} / 1000.0), false),
        ('reused id', 'long ago', now() - interval '1 day', false)`,
  )
  const attempts = async () => {
    const { rows } = await client.query(
      `SELECT identity, attempt, round(extract(epoch FROM expires_at) * 1000)::float8 AS ends FROM prepd_claims
        UNION SELECT identity, attempt, expires_ms::float8 FROM prepd_signed_claims ORDER BY 1`,
    )
    return rows.map(({ identity, attempt, ends }) => [identity, attempt, ends])
  }
  return { session: sessionOf(client, 60_000), attempts, end: () => client.end() }
}

test('a claim takes over the row of an attempt that was given back, and the release of that attempt leaves it', async () => {
  const expiresAtMs = Math.ceil(Date.now() / 1000) * 1000 + 300_000
  const { session, attempts, end } = await withGivenBack(expiresAtMs)
  const own = createOwnClaims(() => 0)
  for (const identity of ['text', 'order id']) own.doubt(identity, 'given back')
  const claim = { attempt: 'mine', expiresAtMs, record: null }
  own.add('text', { ...claim, isSigned: true })
  for (const identity of ['order id', 'reused id']) own.add(identity, { ...claim, isSigned: false })
  expect(await own.assert(session)).toBe(3)
  await own.release(session, 0)
  const mine = ['order id', 'reused id', 'text'].map((identity) => [identity, 'mine', expiresAtMs])
  expect(await attempts()).toEqual(mine)
  // What is there already is not counted as lost.
  expect(await own.assert(session)).toBe(0)

  const published = { identity: 'text', sinceMs: 0, expiresAtMs, isSigned: true }
  await assertPublished(session, [published, { ...published, identity: 'new', isSigned: false }])
  own.doubt('text', 'mine')
  await own.release(session, 0)
  expect(await attempts()).toEqual([
    ['new', 'published', expiresAtMs],
    ...mine.slice(0, 2),
    ['text', 'published', expiresAtMs],
  ])
  await end()
})
