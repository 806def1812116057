// Slow: PostgreSQL and its standby start.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { SharedStore } from '../../../src/cluster/postgres/store.ts'
import { checkPostgres } from '../../../src/cluster/postgres/topology.ts'
import { Failure } from '../../../src/core/failure.ts'
import type { Log } from '../../../src/core/ports.ts'
import { rejection } from '../../rejection.ts'
import { OF_AGENTS } from '../../store/agent-contracts.ts'
import { keptContract } from '../../store/kept-contract.ts'
import { standbyContract } from '../../store/standby-contract.ts'
import { trafficContract } from '../../store/traffic-contract.ts'
import { booksContract } from '../../store/voucher/books-contract.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'
import { until } from '../processes.ts'
import { claimOf, openAt, placeOf, SILENT } from './instance.ts'

let server: PostgresServer
const newDatabase = () => server.readyDatabase()
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

for (const contract of [keptContract, standbyContract, trafficContract, ...OF_AGENTS])
  contract('PostgreSQL', async () => openAt(await newDatabase()))
booksContract('PostgreSQL', async () => {
  const { vouchers, close } = await openAt(await newDatabase())
  return { ...vouchers, close }
})

const DAY_MS = 86_400_000

/** Instances that share a database, each of them closed at the end. */
async function instances(count: number): Promise<readonly SharedStore[]> {
  const url = await newDatabase()
  return Promise.all(Array.from({ length: count }, () => openAt(url)))
}

function closeAll(stores: readonly SharedStore[]): void {
  for (const store of stores) store.close()
}

describe('instances that share a database', () => {
  test('claim an identity once among them, and spend a nonce that another issued', async () => {
    const stores = await instances(3)
    const won = await Promise.all(
      stores.flatMap(({ once }) =>
        Array.from({ length: 3 }, () => once.claim(claimOf('one'), Date.now())),
      ),
    )
    expect(won.filter(Boolean)).toHaveLength(1)
    await stores[0]?.nonces.issue('n', Date.now() + 60_000)
    const burnt = await Promise.all(stores.map(({ nonces }) => nonces.burn('n', Date.now())))
    expect(burnt.filter(Boolean)).toHaveLength(1)
    closeAll(stores)
  })

  test('release no claim that another made', async () => {
    const stores = await instances(2)
    const [first, second] = stores
    await first?.once.claim(claimOf('one'), Date.now())
    await second?.once.release('one')
    expect(await second?.once.claim(claimOf('one'), Date.now())).toBe(false)
    closeAll(stores)
  })

  test('are listed by name as each last wrote, each with minutes of its own, until they leave', async () => {
    const stores = await instances(2)
    const [first, second] = stores
    const row = (name: string, seenMs: number, isReady: boolean | null = true) => ({
      ...{ name, version: '1.2.3', sinceMs: 5, seenMs, isReady },
    })
    const minute = [DAY_MS, 60_000, 3, 1, 0.5, 2, 9] as const
    await first?.traffic.add(row('b', 1), [])
    await first?.traffic.add(row('b', DAY_MS, null), [minute])
    await second?.traffic.add(row('a', DAY_MS), [minute, minute])
    expect(await first?.traffic.instances()).toEqual([row('a', DAY_MS), row('b', DAY_MS, null)])
    expect(await second?.traffic.minutes('b', 0)).toEqual([minute])
    await first?.traffic.leave('b')
    expect(await second?.traffic.instances()).toEqual([row('a', DAY_MS)])
    expect(await second?.traffic.minutes('b', 0)).toEqual([minute])
    await first?.traffic.add(row('b', 2 * DAY_MS), [])
    expect(await second?.traffic.instances()).toEqual([row('b', 2 * DAY_MS)])
    expect(await second?.traffic.minutes('a', 0)).toEqual([])
    closeAll(stores)
  })

  test('tell each other of acts', async () => {
    const stores = await instances(2)
    const [first, second] = stores
    const published = Promise.withResolvers<void>()
    second?.controls.watch(async () => {
      if ((await second.controls.load()).length > 0) published.resolve()
    })
    const entry = { atMs: Date.now(), act: 'block', fields: {}, fingerprint: 'f' }
    await first?.controls.commit(entry, [{ kind: 'block', key: '1.2.3.4', value: '1' }])
    await published.promise
    expect(await second?.controls.load()).toEqual([{ kind: 'block', key: '1.2.3.4', value: '1' }])
    closeAll(stores)
  })

  test('see whose mandate another has changed, and a lost database as a change of all', async () => {
    const url = await newDatabase()
    const stores = [await openAt(url), await openAt(url)] as const
    const [first, second] = stores
    let seen: (string | null)[] = []
    second.mandates.watch((accountId) => seen.push(accountId))
    const put = (accountId: string, counter = 1) =>
      first.mandates.put({
        ...{ accountId, counter, limits: {}, frozenBy: 'none', changedAtMs: 0 },
      })
    await put('a')
    await put('b')
    await until(async () => seen.includes('b'))
    expect(seen).toEqual(['a', 'b'])
    seen = []
    expect(await put('a')).toBe(false)
    await put('b', 2)
    await until(async () => seen.length > 0)
    expect(seen).toEqual(['b'])
    await server.ask('UPDATE prepd_mandate_changes SET last = 0', new URL(url).pathname.slice(1))
    await until(async () => seen.includes(null))
    closeAll(stores)
  })
})

test('the audit keeps its rows, whoever asks', async () => {
  const url = await newDatabase()
  const store = await openAt(url)
  const entry = { atMs: Date.now(), act: 'block', fields: {}, fingerprint: 'f' }
  await store.controls.commit(entry, [])
  const database = new URL(url).pathname.slice(1)
  const change = server.ask(`UPDATE prepd_operator_audit SET act = 'x'`, database)
  expect(`${await rejection(change)}`).toContain('only ever added to')
  const drop = server.ask('DELETE FROM prepd_operator_audit', database)
  expect(`${await rejection(drop)}`).toContain('only ever added to')
  store.close()
})

test('a database of a later prepd is refused only where it says that this one cannot use it', async () => {
  const url = await newDatabase()
  const database = new URL(url).pathname.slice(1)
  const first = await openAt(url)
  first.close()
  await server.ask('UPDATE prepd_schema SET version = 99', database)
  const beside = await openAt(url)
  expect(await beside.once.claim(claimOf('one'), Date.now())).toBe(true)
  beside.close()
  await server.ask('UPDATE prepd_schema SET works_with = 99', database)
  expect(`${await rejection(openAt(url))}`).toContain('of a newer prepd')
})

test.each([
  ['a wrong password', (url: string) => url.replace('hunter2', 'wrong'), '28P01'],
  ['no such database', (url: string) => `${url}_not_there`, '3D000'],
])('%s ends the start and is named, without a word of the password', async (_, spoilt, state) => {
  const url = spoilt(await newDatabase())
  const refusal = await openAt(url).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(Error)
  expect(Object(refusal).message).toMatch(
    state === '28P01' ? /refuses the role or its password/ : /has no such database/,
  )
  expect(Object(refusal).message).toContain(`SQLSTATE ${state}`)
  expect(Bun.inspect(refusal)).not.toContain('of-the-engine')
  const found = await checkPostgres({ postgres: placeOf(url), connectionsMax: 10, nowMs: Date.now })
  expect(found[0]?.seen).toContain(Object(refusal).message)
})

test('a refused statement is named by the message of PostgreSQL, without the value that it quotes', async () => {
  const store = await openAt(await newDatabase())
  const refusal = await rejection(store.spending.prune(1_700_000_000_000.25, 10))
  store.close()
  const { cause } = refusal instanceof Failure ? refusal : {}
  expect(`${cause}`).toContain('invalid input syntax for type bigint: "…" (SQLSTATE 22P02)')
  expect(`${cause}`).not.toContain('1700000000000')
})

test('a server that takes no TLS is named in the log and by doctor', async () => {
  const url = `${await newDatabase()}?sslmode=verify-full`
  const causes: unknown[] = []
  const log: Log = { ...SILENT, error: (_event, fields) => void causes.push(fields?.['cause']) }
  // Its start waits as long as it may for what does not come.
  const store = await openAt(url, { log, waitMaxMs: 2000 })
  store.close()
  expect(causes).toEqual(['it takes no TLS, which sslmode=verify-full asks for'])
  expect(
    (await checkPostgres({ postgres: placeOf(url), connectionsMax: 10, nowMs: Date.now }))[0]?.seen,
  ).toContain('it takes no TLS')
})

test('no write is claimed where the clocks differ by half a minute, which is told in the log', async () => {
  const url = await newDatabase()
  const events: string[] = []
  const log = { ...SILENT, warn: (event: string) => void events.push(event) }
  const store = await openAt(url, { log, nowMs: () => Date.now() + 40_000 })
  expect(await rejection(store.once.claim(claimOf('one'), Date.now()))).toMatchObject({
    code: 'store_unavailable',
  })
  expect(events).toEqual(['engine_clock_skew'])
  store.close()
  const right = await openAt(url)
  expect(await right.once.claim(claimOf('one'), Date.now())).toBe(true)
  right.close()
})

test('a server that lost claims is told them again before anybody is answered by it', async () => {
  const url = await newDatabase()
  const [first, second] = [await openAt(url), await openAt(url)]
  const signed = { ...claimOf('signed'), isSigned: true }
  for (const claim of [claimOf('one'), signed, claimOf('given back')])
    expect(await first.once.claim(claim, Date.now())).toBe(true)
  await first.once.release('given back')
  const lose = 'DELETE FROM prepd_claims; TRUNCATE prepd_signed_claims'
  await server.ask(lose, new URL(url).pathname.slice(1))
  await server.kill()
  await server.start()
  await until(async () => (await first.once.find('one').catch(() => null)) !== null)
  for (const [claim, isFree] of [
    [claimOf('one'), false],
    [signed, false],
    [claimOf('given back'), true],
  ] as const)
    expect(await eventually(() => second.once.claim(claim, Date.now()))).toBe(isFree)
  first.close()
  second.close()
})

/** Asks again while PostgreSQL is not back. */
async function eventually<Value>(ask: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      await Bun.sleep(20)
    }
  }
}
