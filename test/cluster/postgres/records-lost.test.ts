// Slow: a database is copied and put back.
import { expect } from 'bun:test'
import { Failure } from '../../../src/core/failure.ts'
import type { Control } from '../../../src/core/ports.ts'
import { rejection } from '../../rejection.ts'
import { until } from '../processes.ts'
import { claim, copied } from './copies.ts'
import { useEngines } from './engines.ts'
import { claimOf } from './instance.ts'

const { newRegistry, open, server, test, valkey } = useEngines('records that PostgreSQL has lost')

test('a database that is put back is a loss until the operator confirms it, and its day is not known, to an instance that still runs and to the next', async () => {
  const url = await server().readyDatabase()
  const registry = await newRegistry()
  const store = await open(url, registry)
  // As the gateway does: it loads what is set at each change.
  let loaded: readonly Control[] = []
  store.controls.watch(() => {
    store.controls.load().then(
      (rows) => {
        loaded = rows
      },
      () => undefined,
    )
  })
  const putBack = await copied(server(), url)
  expect(await claim(store, claimOf('before'))).toBe(true)
  const controls = async () =>
    (await store.controls.load()).map(({ kind, value }) => ({ kind, ...JSON.parse(value) }))
  expect(await controls()).toEqual([])
  expect(await store.spending.used('mine', Date.now())).toMatchObject({ dayMicros: 0n })
  await putBack()
  const sinceMs = Date.now() - 1000
  await until(async () => loaded.length > 0)
  const [loss, ...others] = await controls()
  expect(others).toEqual([])
  expect(loss).toMatchObject({ kind: 'behind', fromMs: null })
  expect(loss.atMs).toBeGreaterThan(sinceMs)
  expect(loss.unknownUntilMs).toBeGreaterThanOrEqual(loss.atMs)

  const next = await open(url, await newRegistry())
  for (const { spending, once } of [store, next]) {
    const identity = crypto.randomUUID()
    const uses = [{ symbol: 'PERP_ETH_USDC', micros: 1n, orders: 1 }]
    const days: (bigint | null)[] = []
    const refusal = ({ dayMicros }: { readonly dayMicros: bigint | null }) => {
      days.push(dayMicros)
      return null
    }
    const reservation = { scope: 'mine', identity, atMs: Date.now(), uses }
    await spending.reserve(reservation, refusal, 0)
    const claimed = { ...reservation, identity: `${identity} claimed` }
    await once.claim(claimOf(claimed.identity), Date.now(), {
      ...{ reservation: claimed, ids: [], refusal, unseenSinceMs: 0 },
    })
    expect(days).toEqual([null, null])
    const used = await spending.used('mine', Date.now())
    expect(used).toMatchObject({ dayMicros: null })
    expect(Math.abs((used.dayRenewsAtMs ?? 0) - loss.atMs - 86_400_000)).toBeLessThan(2)
    // A day later it is known again; what the first one used is over by then.
    expect(await spending.used('mine', loss.atMs + 86_400_001)).not.toMatchObject({
      dayMicros: null,
    })
  }
  await next.controls.commit({ atMs: 1, act: 'confirmLoss', fields: {}, fingerprint: '' }, [
    { kind: 'loss', key: '', value: null },
  ])
  const third = await open(url, await newRegistry())
  expect(await third.controls.load()).toEqual([])
  expect(await third.spending.used('mine', Date.now())).toMatchObject({ dayMicros: null })
})

test('a server that lost nothing, as after a promotion, is no loss of records', async () => {
  const url = await server().readyDatabase()
  const first = await open(url, await newRegistry())
  expect(await claim(first, claimOf('one'))).toBe(true)
  await until(async () => (await valkey().cli('hget', 'prepd:database', 'claims')) !== '0')
  await server().ask(
    `UPDATE prepd_lineage SET lineage = 'of a primary'`,
    new URL(url).pathname.slice(1),
  )
  const before = claimOf('signed before')
  const next = await open(url, await newRegistry())
  expect(await claim(next, before)).toBe(false)
  // Nor is a write refused that may have been sent before.
  const identity = 'refused now'
  const reservation = { scope: 'mine', identity, atMs: Date.now(), uses: [] }
  const refusal = () => new Failure('mandate_exceeded')
  const use = { reservation, ids: [], refusal, unseenSinceMs: 0 }
  expect(await next.once.claim({ ...before, identity }, Date.now(), use)).toBe(false)
  const later = next.once.claim(claimOf('later'), Date.now(), use)
  expect(await rejection(later)).toMatchObject({ code: 'mandate_exceeded' })
  expect(await next.controls.load()).toEqual([])
  expect(await next.spending.used('mine', Date.now())).toMatchObject({ dayMicros: 0n })
})

test('an empty database of another history, whose marks nobody knows, is a loss until the operator confirms it; a new one is not', async () => {
  const url = await server().readyDatabase()
  const first = await open(url, await newRegistry())
  expect(await first.controls.load()).toEqual([])
  first.close()
  await valkey().cli('flushall')
  await server().ask(
    `UPDATE prepd_lineage SET lineage = 'of a primary', run = 'of a primary'`,
    new URL(url).pathname.slice(1),
  )
  const next = await open(url, await newRegistry())
  const [loss] = await next.controls.load()
  expect(JSON.parse(loss?.value ?? '')).toMatchObject({ kind: 'unwitnessed' })
  expect(await next.spending.used('mine', Date.now())).toMatchObject({ dayMicros: null })
})

test('a database whose marks nobody knows is a loss to an instance, and left to it by a command', async () => {
  const url = await server().readyDatabase()
  const first = await open(url, await newRegistry())
  expect(await claim(first, claimOf('one'))).toBe(true)
  await until(async () => (await valkey().cli('hget', 'prepd:database', 'claims')) === '1')
  first.close()
  await valkey().cli('flushall')
  await server().ask(
    `UPDATE prepd_lineage SET lineage = 'of a dump'`,
    new URL(url).pathname.slice(1),
  )
  const command = await open(url, null)
  expect(await command.controls.load()).toEqual([])
  const next = await open(url, await newRegistry())
  const [loss] = await next.controls.load()
  expect(JSON.parse(loss?.value ?? '')).toMatchObject({ kind: 'moved' })
  expect(await next.spending.used('mine', Date.now())).toMatchObject({ dayMicros: null })
})
