// Slow: a database is copied and put back, and executables start before it.
import { expect } from 'bun:test'
import type { DatabaseRegistry } from '../../../src/core/engines/database.ts'
import { EngineAway } from '../../../src/core/engines/health.ts'
import { until } from '../processes.ts'
import { claim, copied } from './copies.ts'
import { useEngines } from './engines.ts'
import { claimOf, openAt, SILENT } from './instance.ts'

const { describe, newRegistry, open, server, test, valkey } = useEngines(
  'PostgreSQL that is put back',
)

describe('a database that is put back to an earlier copy', () => {
  test('lets an instance that still runs claim nothing of before again', async () => {
    const url = await server().readyDatabase()
    const store = await open(url, null)
    expect(await claim(store, claimOf('before'))).toBe(true)
    const putBack = await copied(server(), url)
    const own = claimOf('own')
    expect(await claim(store, own)).toBe(true)
    const others = claimOf('of another instance')
    await putBack()
    expect(await claim(store, own)).toBe(false)
    expect(await claim(store, others)).toBe(false)
    expect(await claim(store, claimOf('later'))).toBe(true)
  })

  test('has what a claimed write used again, and nothing of one that was given back', async () => {
    const url = await server().readyDatabase()
    const store = await open(url, null)
    const putBack = await copied(server(), url)
    const claimUsing = (identity: string, micros: bigint) => {
      const uses = [{ symbol: 'PERP_ETH_USDC', micros, orders: 1 }]
      const reservation = { scope: 'mine', identity, atMs: 1000, uses }
      const use = { reservation, ids: [], refusal: () => null, unseenSinceMs: 0 }
      return store.once.claim(claimOf(identity), Date.now(), use)
    }
    await until(() => claimUsing('kept', 60n).catch(() => false))
    expect(await claimUsing('given back', 30n)).toBe(true)
    await store.once.release('given back')
    expect(await claimUsing('refused', 7n)).toBe(true)
    await store.spending.release({ scope: 'mine', identity: 'refused' })
    await putBack()
    expect(await claim(store, claimOf('kept'))).toBe(false)
    expect(await store.spending.used('mine', 1000)).toMatchObject({ dayMicros: 60n })
  })

  test('is noticed by the next instance, where those that wrote to it have ended', async () => {
    const url = await server().readyDatabase()
    const registry = await newRegistry()
    const first = await open(url, registry)
    const putBack = await copied(server(), url)
    const own = claimOf('own')
    expect(await claim(first, own)).toBe(true)
    await until(async () => (await valkey().cli('hget', 'prepd:database', 'claims')) !== '0')
    first.close()
    await putBack()
    const next = await open(url, await newRegistry())
    expect(await claim(next, own)).toBe(false)
    const later = claimOf('later')
    expect(await claim(next, later)).toBe(true)
    // Once noticed, it is not noticed again.
    const third = await open(url, await newRegistry())
    expect(await claim(third, claimOf('after that'))).toBe(true)
    expect(await claim(third, later)).toBe(false)
  })

  test('sends nothing twice of an instance that lost Valkey, and takes what is signed later', async () => {
    const url = await server().readyDatabase()
    // A server with several hosts needs leases.
    const both = url.replace(/@([^/]+)/, '@$1,$1')
    const registry = await newRegistry()
    let isAway = false
    const cut: DatabaseRegistry = {
      ...registry,
      exchange: (state) =>
        isAway ? Promise.reject(new EngineAway('unreachable')) : registry.exchange(state),
    }
    const leased = await open(both, cut)
    const before = claimOf('before')
    expect(await claim(leased, before)).toBe(true)
    const putBack = await copied(server(), url)
    // It is admitted again, and counts no claim that the copy lacks.
    await until(async () => (await leased.once.find('before').catch(() => null)) !== null)
    isAway = true
    const own = claimOf('own')
    expect(await claim(leased, own)).toBe(true)
    await putBack()
    const next = await open(both, await newRegistry())
    expect(await claim(next, own)).toBe(false)
    expect(await claim(next, before)).toBe(false)
    expect(await claim(next, claimOf('later'))).toBe(true)
  })

  test('sends nothing twice that was signed ahead of the time, though the instance ended at once', async () => {
    const url = await server().readyDatabase()
    const first = await open(url, await newRegistry())
    expect(await claim(first, claimOf('before'))).toBe(true)
    const putBack = await copied(server(), url)
    const aheadMs = Date.now() + 250_000
    const ahead = { ...claimOf('ahead'), sinceMs: aheadMs, expiresAtMs: aheadMs + 360_000 }
    expect(await claim(first, ahead)).toBe(true)
    expect(await valkey().cli('zrange', 'prepd:ahead', '0', '-1')).toContain('ahead')
    first.close()
    await putBack()
    const next = await open(url, await newRegistry())
    expect(await claim(next, ahead)).toBe(false)
    // Nobody else pays for it, whatever the timestamp.
    expect(await claim(next, claimOf('new'))).toBe(true)
    expect(await claim(next, { ...claimOf('earlier'), sinceMs: aheadMs - 1 })).toBe(true)
  })

  test('takes any timestamp for lost that may be sent, where nobody remembers which was', async () => {
    const url = await server().readyDatabase()
    const first = await open(url, await newRegistry())
    expect(await claim(first, claimOf('before'))).toBe(true)
    const database = new URL(url).pathname.slice(1)
    await until(async () => (await valkey().cli('hget', 'prepd:database', 'claims')) !== '0')
    first.close()
    await valkey().cli('flushall')
    await server().ask(`UPDATE prepd_lineage SET lineage = 'of a dump'`, database)
    const beforeMs = Date.now()
    const next = await open(url, await newRegistry())
    expect(await claim(next, { ...claimOf('one'), sinceMs: beforeMs + 300_000 })).toBe(false)
    expect(await claim(next, { ...claimOf('two'), sinceMs: Date.now() + 300_001 })).toBe(true)
  })

  test('is noticed a second time, when it is put back a second time', async () => {
    const url = await server().readyDatabase()
    const store = await open(url, await newRegistry())
    const putBack = await copied(server(), url)
    for (const identity of ['once', 'twice']) {
      const own = claimOf(identity)
      expect(await claim(store, own)).toBe(true)
      await putBack()
      expect(await claim(store, own)).toBe(false)
    }
  })

  test('signs no voucher before it is adopted', async () => {
    const url = await server().readyDatabase()
    const registry = await newRegistry()
    const { vouchers, close } = await open(url, registry)
    await vouchers.record({ atMs: 1, event: 'adopted' })
    const putBack = await copied(server(), url)
    await until(async () => vouchers.isAdopted().catch(() => false))
    await vouchers.record({ atMs: 2, event: 'issued' })
    await until(async () => (await valkey().cli('hget', 'prepd:database', 'vouchers')) === '2')
    close()
    await putBack()
    const next = await open(url, await newRegistry())
    expect(await next.vouchers.isAdopted()).toBe(false)
    const events = (await next.vouchers.audit(9)).map(({ event }) => event)
    expect(events).toEqual(['lost', 'adopted'])
    expect(await next.vouchers.hasLostSince(Date.now() - 60_000)).toBe(true)
    await next.vouchers.record({ atMs: 3, event: 'adopted' })
    expect(await next.vouchers.isAdopted()).toBe(true)
    expect(await next.vouchers.hasLostSince(Date.now() - 60_000)).toBe(true)
    expect(await next.vouchers.hasLostSince(Date.now() + 60_000)).toBe(false)
    await next.vouchers.record({ atMs: 4, event: 'complete' })
    expect(await next.vouchers.hasLostSince(0)).toBe(false)
    const third = await open(url, await newRegistry())
    expect(await third.vouchers.isAdopted()).toBe(true)
  })
})

test('a voucher of an instance that has died is known to Valkey before another instance signs it', async () => {
  const url = await server().readyDatabase()
  const { vouchers } = await open(url, await newRegistry())
  const known = () => valkey().cli('hget', 'prepd:database', 'vouchers')
  await vouchers.atomically((books) => books.record({ atMs: 1, event: 'adopted' }))
  expect(await known()).toBe('1')
  // The other instance commits, and dies before Valkey knows.
  const database = new URL(url).pathname.slice(1)
  await server().ask(
    `INSERT INTO prepd_voucher_audit (at_ms, event) VALUES (2, 'issued')`,
    database,
  )
  expect(await vouchers.atomically((books) => books.isAdopted())).toBe(true)
  expect(await known()).toBe('2')
})

test('a refused voucher publishes nothing to Valkey, except an entry that it recorded', async () => {
  const url = await server().readyDatabase()
  const { vouchers } = await open(url, await newRegistry())
  const known = () => valkey().cli('hget', 'prepd:database', 'vouchers')
  await vouchers.atomically((books) => books.record({ atMs: 1, event: 'adopted' }))
  await server().ask(
    `INSERT INTO prepd_voucher_audit (at_ms, event) VALUES (2, 'issued')`,
    new URL(url).pathname.slice(1),
  )
  const isSigned = () => false
  await vouchers.atomically((books) => books.isAdopted(), isSigned)
  expect(await known()).toBe('1')
  const held = { atMs: 3, event: 'held' } as const
  await vouchers.atomically((books) => books.record(held), isSigned)
  expect(await known()).toBe('3')
})

test('vouchers of different tokens commit in the order of their audit numbers', async () => {
  const url = await server().readyDatabase()
  const [first, second] = [await open(url, null), await open(url, null)]
  const recorded = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const committed: string[] = []
  const slow = first.vouchers.atomically(async (books) => {
    await books.record({ atMs: 1, event: 'issued' })
    recorded.resolve()
    await goOn.promise
  })
  const one = slow.then(() => committed.push('one'))
  await recorded.promise
  const fast = second.vouchers.atomically((books) => books.record({ atMs: 2, event: 'issued' }))
  const other = fast.then(() => committed.push('other'))
  const waiting = () =>
    server().ask(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      new URL(url).pathname.slice(1),
    )
  await until(async () => committed.length > 0 || (await waiting()).length > 0)
  goOn.resolve()
  await Promise.all([one, other])
  expect(committed).toEqual(['one', 'other'])
  expect((await first.vouchers.audit(9)).map(({ atMs }) => atMs)).toEqual([2, 1])
})

test('vouchers wait to be adopted after a failover without the witness that the database names', async () => {
  const url = await server().readyDatabase()
  const first = await open(url, await newRegistry())
  await first.vouchers.atomically((books) => books.record({ atMs: 1, event: 'adopted' }))
  first.close()
  const moved = async (isForgotten: boolean) => {
    if (isForgotten) await valkey().cli('flushall')
    await server().ask(
      `UPDATE prepd_lineage SET lineage = 'of its predecessor'`,
      new URL(url).pathname.slice(1),
    )
    const lines: string[] = []
    const log = { ...SILENT, error: (event: string) => void lines.push(event) }
    const { vouchers, close } = await openAt(url, { registry: await newRegistry(), log })
    const isAdopted = await vouchers.isAdopted()
    close()
    return { isAdopted, isLogged: lines.includes('voucher store not adopted') }
  }
  expect(await moved(false)).toEqual({ isAdopted: true, isLogged: false })
  expect(await moved(true)).toEqual({ isAdopted: false, isLogged: true })
})

test('a second loss of a database without vouchers asks for no adoption', async () => {
  const url = await server().readyDatabase()
  const ask = (sql: string) => server().ask(sql, new URL(url).pathname.slice(1))
  const first = await open(url, await newRegistry())
  first.close()
  const moved = async () => {
    await valkey().cli('flushall')
    await ask(`UPDATE prepd_lineage SET lineage = 'of its predecessor'`)
    const lines: string[] = []
    const log = { ...SILENT, error: (event: string) => void lines.push(event) }
    const { vouchers, close } = await openAt(url, { registry: await newRegistry(), log })
    const events = (await vouchers.audit(9)).map(({ event }) => event)
    close()
    return { events, isLogged: lines.includes('voucher store not adopted') }
  }
  await ask(`INSERT INTO prepd_voucher_audit (at_ms, event) VALUES (1, 'lost')`)
  expect(await moved()).toEqual({ events: ['lost', 'lost'], isLogged: false })
  await ask(`INSERT INTO prepd_voucher_audit (at_ms, event) VALUES (2, 'adopted')`)
  expect((await moved()).isLogged).toBe(true)
})

test('a database that lost nothing keeps its claims and vouchers over every new connection', async () => {
  const url = await server().readyDatabase()
  const store = await open(url, await newRegistry())
  await store.vouchers.record({ atMs: 1, event: 'adopted' })
  const own = claimOf('own')
  expect(await claim(store, own)).toBe(true)
  for (const identity of ['given back', 'over']) {
    await claim(store, { ...claimOf(identity), expiresAtMs: Date.now() - 1 })
    if (identity === 'given back') await store.once.release(identity)
  }
  expect(await store.sweep(Date.now(), 9)).toBe(1)
  const next = await open(url, await newRegistry())
  expect(await next.vouchers.isAdopted()).toBe(true)
  expect(await claim(next, own)).toBe(false)
  const signedBefore = { ...claimOf('signed before'), sinceMs: Date.now() - 60_000 }
  expect(await claim(next, signedBefore)).toBe(true)
})
