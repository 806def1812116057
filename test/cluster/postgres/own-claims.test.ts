import { expect, test } from 'bun:test'
import pg from 'pg'
import { clientSession, type Session } from '../../../src/cluster/postgres/connection.ts'
import { assertPublished, createOwnClaims } from '../../../src/cluster/postgres/own-claims.ts'
import type { ListedValues } from '../../../src/store/connection/statement.ts'
import { sharedPostgres } from '../postgres.ts'

test('every claim of a write that may not have been made is taken back, and no longer than its row can turn up', async () => {
  const own = createOwnClaims(() => 0)
  own.releaseLater('write', 'first')
  own.releaseLater('client order id', 'first')
  own.releaseLater('write', 'second')
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
  return { session: clientSession(client, 60_000), attempts, end: () => client.end() }
}

test('a claim takes over the row of an attempt that was given back, and the release of that attempt leaves it', async () => {
  const expiresAtMs = Math.ceil(Date.now() / 1000) * 1000 + 300_000
  const { session, attempts, end } = await withGivenBack(expiresAtMs)
  const own = createOwnClaims(() => 0)
  for (const identity of ['text', 'order id']) own.releaseLater(identity, 'given back')
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
  own.releaseLater('text', 'mine')
  await own.release(session, 0)
  expect(await attempts()).toEqual([
    ['new', 'published', expiresAtMs],
    ...mine.slice(0, 2),
    ['text', 'published', expiresAtMs],
  ])
  await end()
})

/** An empty database, with the rows of its claims by identity. */
async function emptyDatabase() {
  const connectionString = await (await sharedPostgres()).readyDatabase()
  const connect = async () => {
    const client = new pg.Client({ connectionString })
    await client.connect()
    return client
  }
  const client = await connect()
  const rows = async () => {
    const found = await client.query(
      `SELECT identity, attempt, record, round(extract(epoch FROM expires_at) * 1000)::float8 AS ends, number::int
        FROM prepd_claims UNION ALL SELECT identity, attempt, NULL, expires_ms::float8, number::int
        FROM prepd_signed_claims ORDER BY identity`,
    )
    return found.rows
  }
  return { connect, client, session: clientSession(client, 60_000), rows }
}

const inMinutes = (minutes: number) => Math.ceil(Date.now() / 1000) * 1000 + minutes * 60_000

test('claims that the server still has are asserted without a lock on their rows', async () => {
  const { connect, client, session } = await emptyDatabase()
  const own = createOwnClaims(() => 0)
  const claim = { attempt: 'mine', expiresAtMs: inMinutes(5), record: null }
  own.add('text', { ...claim, isSigned: true })
  own.add('order id', { ...claim, isSigned: false })
  expect(await own.assert(session)).toBe(2)

  const other = await connect()
  await other.query('BEGIN')
  for (const table of ['prepd_claims', 'prepd_signed_claims'])
    await other.query(`SELECT FROM ${table} FOR UPDATE`)
  await client.query(`SET lock_timeout = '50ms'`)
  expect(await own.assert(session)).toBe(0)
  own.add('later order id', { ...claim, isSigned: false })
  expect(await own.assert(session)).toBe(1)
  await Promise.all([other.end(), client.end()])
})

test('claims are asserted in the order of their identities, whatever order they were made in', async () => {
  const { client, session, rows } = await emptyDatabase()
  const own = createOwnClaims(() => 0)
  const claim = { attempt: 'mine', expiresAtMs: inMinutes(5), record: null, isSigned: false }
  const identities = Array.from({ length: 50 }, (_, at) => `id ${10 + ((at * 7) % 50)}`)
  for (const identity of identities) own.add(identity, claim)
  await own.assert(session)
  const numbers = (await rows()).map(({ number }) => number)
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
  await client.end()
})

test('an identity that was published twice is asserted once, until the later end', async () => {
  const { client, session, rows } = await emptyDatabase()
  const [earlyMs, lateMs] = [inMinutes(4), inMinutes(5)]
  const published = (isSigned: boolean, sinceMs: number, expiresAtMs: number) => ({
    ...{ identity: isSigned ? 'text' : 'order id', isSigned, sinceMs, expiresAtMs },
  })
  const early = [published(false, 1, earlyMs), published(true, 1, earlyMs)]
  await assertPublished(session, early)
  await assertPublished(session, [
    ...early,
    published(false, 2, lateMs),
    published(true, 2, earlyMs),
    published(false, 3, inMinutes(3)),
  ])
  expect((await rows()).map(({ identity, ends }) => [identity, ends])).toEqual([
    ['order id', lateMs],
    ['text', earlyMs],
  ])
  await client.end()
})

test('a published claim leaves the record of the row that it takes over; the claim of an order replaces it', async () => {
  const { client, session, rows } = await emptyDatabase()
  const [other, own] = [createOwnClaims(() => 0), createOwnClaims(() => 0)]
  const claim = { expiresAtMs: inMinutes(5), isSigned: false }
  other.add('order', { ...claim, attempt: 'theirs', record: 'sent' })
  await other.assert(session)
  await assertPublished(session, [{ ...claim, identity: 'order', sinceMs: 0 }])
  expect(await rows()).toMatchObject([{ attempt: 'published', record: 'sent' }])
  own.add('order', { ...claim, attempt: 'mine', record: 'filled' })
  await own.assert(session)
  expect(await rows()).toMatchObject([{ attempt: 'mine', record: 'filled' }])
  await client.end()
})

test('an expired claim leaves the row of another; a row that ends later is given back by nobody', async () => {
  const { client, session, rows } = await emptyDatabase()
  const [other, own] = [createOwnClaims(() => 0), createOwnClaims(() => 0)]
  const claim = { isSigned: false, record: null }
  const [endedMs, earlyMs, lateMs] = [inMinutes(-1), inMinutes(4), inMinutes(5)]
  for (const identity of ['reused', 'shared'])
    other.add(identity, { ...claim, attempt: 'theirs', expiresAtMs: lateMs })
  await other.assert(session)
  own.add('reused', { ...claim, attempt: 'mine', expiresAtMs: endedMs })
  own.add('gone', { ...claim, attempt: 'mine', expiresAtMs: endedMs })
  own.add('shared', { ...claim, attempt: 'mine', expiresAtMs: earlyMs })
  expect(await own.assert(session)).toBe(1)
  for (const attempt of ['mine', 'theirs']) own.releaseLater('shared', attempt)
  await own.release(session, 0)
  expect((await rows()).map(({ identity, attempt, ends }) => [identity, attempt, ends])).toEqual([
    ['reused', 'theirs', lateMs],
    ['shared', 'published', lateMs],
  ])
  await client.end()
})
