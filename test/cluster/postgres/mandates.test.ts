import { expect, test } from 'bun:test'
import pg from 'pg'
import { clientConfig, clientSession } from '../../../src/cluster/postgres/connection.ts'
import { postgresMandates } from '../../../src/cluster/postgres/mandates.ts'
import { numberedQueries } from '../../../src/cluster/postgres/numbered-queries.ts'
import { sharedPostgres } from '../postgres.ts'
import { placeOf } from './instance.ts'

test('a mandate changes in one statement with its number, and takes none where nothing changes', async () => {
  const server = await sharedPostgres()
  const place = placeOf(await server.readyDatabase())
  const [host = { host: '', port: 0 }] = place.hosts
  const client = new pg.Client(clientConfig(place, host))
  await client.connect()
  // An instance that stalls in a transaction would hold the row that every change of a mandate locks.
  const transact = () => Promise.reject(new RangeError('a transaction of several statements'))
  const link = { ask: clientSession(client, 60_000).ask, transact }
  const notes: unknown[] = []
  const acts = numberedQueries(link, { note: (marks) => void notes.push(marks) })
  const { put, find, tighten } = postgresMandates(link, acts)
  const mandate = { accountId: 'a', counter: 1, limits: {}, changedAtMs: 1 }

  expect(await put({ ...mandate, frozenBy: 'none' })).toBe(true)
  expect(await put({ ...mandate, frozenBy: 'wallet' })).toBe(false)
  const found = await find('a')
  if (!found) throw new RangeError('there is no mandate')
  const tightened = { limits: { readOnly: true }, frozenBy: 'key', changedAtMs: 2 } as const
  expect(await tighten(found, tightened)).toBe(true)
  expect(await tighten(found, { ...tightened, frozenBy: 'none' })).toBe(false)
  expect(await find('a')).toMatchObject({ frozenBy: 'key', changedAtMs: 2, counter: 1 })

  const { rows } = await client.query(
    'SELECT number::int AS claims FROM prepd_signed_claims ORDER BY number',
  )
  expect(rows).toHaveLength(2)
  expect(notes).toEqual(rows)
  await client.end()
})
