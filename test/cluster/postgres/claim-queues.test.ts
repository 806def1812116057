import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import pg from 'pg'
import type { SharedStore } from '../../../src/cluster/postgres/store.ts'
import { MINUTE_MS } from '../../../src/contract/durations.ts'
import { createRequestContext, inRequest } from '../../../src/core/observing/request-context.ts'
import type { Log } from '../../../src/core/ports.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'
import { until } from '../processes.ts'
import { claimOf, crowdedCalls, openAt, SILENT } from './instance.ts'

/** Of the ten connections of an instance, six are for claims. */
const FOR_CLAIMS = 6
const ACCOUNTS = 20
const GREEDY = 60

let server: PostgresServer
const ends: (() => unknown)[] = []
beforeAll(async () => {
  server = await startPostgres()
})
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})
afterAll(() => server.stop())

type Opened = {
  readonly store: SharedStore
  readonly letGo: () => Promise<void>
  /** How many rows the question has, on a connection of its own. */
  readonly ask: (text: string) => Promise<number | null>
}

/** An instance at a database in which claims of the identity `hangs` wait until they are let go. */
async function openHanging(given: Parameters<typeof openAt>[1] = {}): Promise<Opened> {
  const url = await server.readyDatabase()
  const store = await openAt(url, given)
  ends.push(store.close)
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  ends.push(() => holder.end())
  await holder.query(
    `BEGIN; INSERT INTO prepd_claims (identity, attempt, expires_at, is_of_earlier)
      VALUES ('hangs', 'holder', now() + interval '1 hour', false)`,
  )
  return {
    store,
    letGo: async () => void (await holder.query('ROLLBACK')),
    ask: async (text) => (await holder.query(text)).rowCount,
  }
}

type Asking = { readonly owner: string; readonly isReducing?: boolean }

function claim({ once }: SharedStore, identity: string, { owner, isReducing = false }: Asking) {
  return once.claim({ ...claimOf(identity), owner, isReducing: () => isReducing }, Date.now())
}

/** How many of so many claims were made; those that were refused are null. */
async function counts(claims: readonly Promise<boolean>[]) {
  const ended = await Promise.all(claims.map((each) => each.catch(() => null)))
  return { made: ended.filter((made) => made === true).length, refused: ended.includes(null) }
}

test.each([
  { kind: 'orders', isReducing: false },
  { kind: 'reductions', isReducing: true },
])(
  'while PostgreSQL keeps the $kind of one account waiting, others claim orders and reductions',
  async ({ isReducing }) => {
    const { store, letGo } = await openHanging()
    const hanging = Array.from({ length: GREEDY }, () =>
      claim(store, 'hangs', { owner: 'greedy', isReducing }),
    )
    const honest = Array.from({ length: ACCOUNTS }, (_, at) => [
      claim(store, `order ${at}`, { owner: `${at}` }),
      claim(store, `reduction ${at}`, { owner: `${at}`, isReducing: true }),
    ])
    expect(await Promise.all(honest.flat())).toEqual(Array(2 * ACCOUNTS).fill(true))
    await letGo()
    expect(await counts(hanging)).toEqual({ made: 1, refused: false })
  },
)

test('while PostgreSQL keeps the orders of many accounts waiting, reductions are claimed, and an order waits', async () => {
  const { store, letGo } = await openHanging()
  const hanging = Array.from({ length: GREEDY }, (_, at) =>
    claim(store, 'hangs', { owner: `${at}` }),
  )
  let isOrderClaimed = false
  const order = claim(store, 'order', { owner: 'later' }).then((made) => {
    isOrderClaimed = made
  })
  for (let at = 0; at < ACCOUNTS; at += 1)
    expect(await claim(store, `reduction ${at}`, { owner: `r${at}`, isReducing: true })).toBe(true)
  expect(isOrderClaimed).toBe(false)
  await letGo()
  expect(await counts(hanging)).toEqual({ made: 1, refused: false })
  await order
  expect(isOrderClaimed).toBe(true)
})

test('while the orders of many accounts wait, the claim of a write that was not sent is released', async () => {
  const { store, letGo, ask } = await openHanging()
  expect(await claim(store, 'not sent', { owner: 'one' })).toBe(true)
  const hanging = Array.from({ length: GREEDY }, (_, at) =>
    claim(store, 'hangs', { owner: `${at}` }),
  )
  await store.once.release('not sent')
  expect(await ask(`SELECT FROM prepd_claims WHERE identity = 'not sent'`)).toBe(0)
  await letGo()
  await Promise.all(hanging)
})

test('while the orders of many accounts wait, the outcome of an order that was sent is stored', async () => {
  const { store, letGo, ask } = await openHanging()
  expect(await claim(store, 'sent', { owner: 'one' })).toBe(true)
  const hanging = Array.from({ length: GREEDY }, (_, at) =>
    claim(store, 'hangs', { owner: `${at}` }),
  )
  await store.once.settle('sent', 'its outcome')
  expect(await ask(`SELECT FROM prepd_claims WHERE record = 'its outcome'`)).toBe(1)
  await letGo()
  await Promise.all(hanging)
})

test('while PostgreSQL keeps the questions of one address waiting, another address is answered', async () => {
  const { store, letGo, ask } = await openHanging()
  await ask(`INSERT INTO prepd_nonces (nonce, expires_at) VALUES ('hangs', now())`)
  const issueFrom = (address: string, nonce: string) =>
    inRequest(
      createRequestContext(nonce, address, () => null),
      () => store.nonces.issue(nonce, Date.now() + 60_000),
    )
  const hanging = Array.from({ length: GREEDY }, () => issueFrom('203.0.113.1', 'hangs'))
  await issueFrom('203.0.113.2', 'free')
  await letGo()
  await Promise.all(hanging)
})

test('claims that wait too long for a connection are refused, with a line for the operator at once and one after a minute, and PostgreSQL is not taken for lost', async () => {
  const lines: unknown[][] = []
  const log: Log = {
    ...SILENT,
    warn: (event, fields) => void lines.push([event, fields?.['calls']]),
  }
  let aheadMs = 0
  const monotonicMs = () => performance.now() + aheadMs
  const { store, letGo } = await openHanging({ log, waitMaxMs: 2000, monotonicMs })
  const crowded = crowdedCalls(store)
  const hanging = Array.from({ length: GREEDY }, () => claim(store, 'hangs', { owner: 'greedy' }))
  const { made, refused } = await counts(hanging)
  expect({ made, refused }).toEqual({ made: 0, refused: true })
  expect(lines).toEqual([['engine_crowded', 1]])
  const others = crowded() - 1
  expect(others).toBeGreaterThan(GREEDY / 2)
  await letGo()
  aheadMs = MINUTE_MS
  await until(async () => lines.length > 1)
  expect(lines.slice(1)).toEqual([['engine_crowded', others]])
})

test('one connection for claims serves reductions too', async () => {
  const { store, letGo } = await openHanging({ connectionsMax: FOR_CLAIMS / 2 })
  const reductions = Array.from({ length: ACCOUNTS }, (_, at) =>
    claim(store, `reduction ${at}`, { owner: `${at}`, isReducing: true }),
  )
  expect(await Promise.all(reductions)).toEqual(Array(ACCOUNTS).fill(true))
  await letGo()
})

test('looks for changes of mandates go before the questions of callers', async () => {
  const url = await server.readyDatabase()
  const store = await openAt(url, { waitMaxMs: 2000 })
  ends.push(store.close)
  const announced: (string | null)[] = []
  store.mandates.watch((accountId) => void announced.push(accountId))
  const slow = `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(0.1); RETURN NEW; END $$;
    CREATE TRIGGER slow BEFORE INSERT ON prepd_nonces FOR EACH ROW EXECUTE FUNCTION slow()`
  await server.ask(slow, new URL(url).pathname.slice(1))
  const before = announced.length
  const issue = (nonce: string) => store.nonces.issue(nonce, Date.now() + 60_000)
  const refused = await Promise.all(
    Array.from({ length: 10 * GREEDY }, async (_, at) => {
      let count = 0
      for (let round = 0; round < 4; round += 1)
        await issue(`${at} ${round}`).catch(() => {
          count += 1
        })
      return count
    }),
  )
  expect(Math.max(...refused)).toBe(4)
  const own = { accountId: 'account', limits: {}, counter: 1, frozenBy: 'wallet' as const }
  await store.mandates.put({ ...own, changedAtMs: Date.now() })
  await until(async () => announced.length > before)
  expect(announced.slice(before)).toEqual(['account'])
})
