import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import pg from 'pg'
import { Failure } from '../../../src/core/failure.ts'
import { rejection } from '../../rejection.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'
import { until } from '../processes.ts'
import { crowdedCalls, openAt } from './instance.ts'

const ACCOUNT = `0x${'a1'.repeat(32)}`
/** How long a proof is believed without asking again. */
const BELIEVED_MS = 10_000
/** Longer than a second look at the database needs to begin and to be refused. */
const WAIT_MAX_MS = 6000

let server: PostgresServer
const ends: (() => unknown)[] = []
beforeAll(async () => {
  server = await startPostgres()
})
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})
afterAll(() => server.stop())

/** An instance with one connection for questions that are neither claims nor vouchers. `occupy` takes it. */
async function openNarrow() {
  const time = { aheadMs: 0 }
  const url = await server.readyDatabase()
  const monotonicMs = () => performance.now() + time.aheadMs
  const store = await openAt(url, { connectionsMax: 5, waitMaxMs: WAIT_MAX_MS, monotonicMs })
  ends.push(store.close)

  /** Returns the function that ends the wait. */
  async function occupy(): Promise<() => Promise<void>> {
    const holder = new pg.Client({ connectionString: url })
    await holder.connect()
    ends.push(() => holder.end())
    await holder.query(`BEGIN; INSERT INTO prepd_nonces (nonce, expires_at) VALUES ('held', now())`)
    const held = store.nonces.issue('held', Date.now() + 1000)
    const waiting = `SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'`
    await until(async () => (await server.ask(waiting)).length > 0)
    return async () => {
      await holder.query('ROLLBACK')
      await held
    }
  }

  return { url, store, time, occupy }
}

test('a look that finds no connection free is counted, and takes neither server nor mandates for lost', async () => {
  const { url, store, occupy } = await openNarrow()
  const counted = crowdedCalls(store)
  const changed: (string | null)[] = []
  store.mandates.watch((accountId) => void changed.push(accountId))
  const letGo = await occupy()
  expect(counted()).toBe(0)
  await until(async () => counted() > 0)
  expect(store.health.fault()).toBeNull()
  await letGo()
  const other = await openAt(url)
  ends.push(other.close)
  const mandate = {
    accountId: ACCOUNT,
    limits: {},
    counter: 1,
    frozenBy: 'key',
    changedAtMs: 0,
  } as const
  expect(await other.mandates.put(mandate)).toBe(true)
  await until(async () => changed.length > 0)
  expect(changed).toEqual([ACCOUNT])
})

test('a key that was proven stays so while no connection is free, and no other key becomes so', async () => {
  const { store, time, occupy } = await openNarrow()
  await store.proofs.add(ACCOUNT, 'key', Date.now())
  time.aheadMs = BELIEVED_MS
  const letGo = await occupy()
  const known = store.proofs.has(ACCOUNT, 'key')
  const unknown = rejection(store.proofs.has(ACCOUNT, 'other'))
  expect(await known).toBe(true)
  expect(await unknown).toBeInstanceOf(Failure)
  await letGo()
  // What was believed meanwhile is asked for again.
  await store.proofs.remove(ACCOUNT, 'key')
  expect(await store.proofs.has(ACCOUNT, 'key')).toBe(false)
})
