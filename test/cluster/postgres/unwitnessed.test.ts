// Slow: databases are copied and put back.
import { expect } from 'bun:test'
import { join } from 'node:path'
import type { DatabaseRegistry } from '../../../src/core/engines/database.ts'
import { EngineAway } from '../../../src/core/engines/health.ts'
import { parseLoss } from '../../../src/core/loss.ts'
import type { Log } from '../../../src/core/ports.ts'
import { openMark } from '../../../src/store/connection/commit-mark.ts'
import { temporaryFolder } from '../../surface/spawned.ts'
import { until } from '../processes.ts'
import { claim, copied } from './copies.ts'
import { useEngines } from './engines.ts'
import { claimOf, openAt, SILENT } from './instance.ts'

const { describe, ends, newRegistry, server, test, valkey } = useEngines(
  'a database that nothing knows',
)

/** An instance with a data directory, or with one that is made anew each time. */
async function open(url: string, data?: string) {
  const folder = temporaryFolder()
  ends.push(() => folder[Symbol.dispose]())
  const markOf = () => openMark(join(data ?? folder.path, 'mark'))
  const reasons: unknown[] = []
  const error: Log['error'] = (event, fields) => {
    if (event === 'engine_fenced' || event === 'engine_away') reasons.push(fields?.['reason'])
  }
  const log = { ...SILENT, error }
  const store = await openAt(url, { registry: await newRegistry(), markOf, log })
  ends.push(store.close)
  const loss = async () =>
    (await store.controls.load()).map(({ value }) => parseLoss(value)?.kind ?? null)
  return { ...store, loss, reasons }
}

/** A database with a claim that was made after it was copied, and is put back with nobody there and Valkey empty. */
async function putBack(data?: string) {
  const url = await server().readyDatabase()
  const first = await open(url, data)
  expect(await claim(first, claimOf('before the copy'))).toBe(true)
  const back = await copied(server(), url)
  const lost = claimOf('lost')
  expect(await claim(first, lost)).toBe(true)
  first.close()
  await back()
  await valkey().cli('flushall')
  return { url, lost }
}

describe('a database that is put back while every instance is stopped and Valkey is empty', () => {
  test('sends nothing twice from instances with new data directories, which wait for others, and cancels go', async () => {
    const { url, lost } = await putBack()
    const next = await open(url)
    expect(next.reasons).toEqual([expect.stringContaining('go first, for five seconds')])
    expect(await claim(next, lost)).toBe(false)
    expect(await claim(next, claimOf('new'))).toBe(false)
    expect(await claim(next, { ...claimOf('cancel'), isRepeatable: true })).toBe(true)
    expect(await next.loss()).toEqual(['unwitnessed'])
    const third = await open(url)
    expect(await claim(third, lost)).toBe(false)
    expect(await third.loss()).toEqual(['unwitnessed'])
  })

  test('is known to be behind by an instance with its data directory, which takes new writes at once', async () => {
    const data = temporaryFolder()
    ends.push(() => data[Symbol.dispose]())
    const { url, lost } = await putBack(data.path)
    const next = await open(url, data.path)
    expect(await claim(next, lost)).toBe(false)
    expect(await next.loss()).toEqual(['behind'])
  })
})

test('a database whose server has not started anew is whole, although nothing else knows it', async () => {
  const url = await server().readyDatabase()
  const beganMs = Date.now()
  const first = await open(url)
  expect(await claim(first, claimOf('one'))).toBe(true)
  await until(async () => (await valkey().cli('hget', 'prepd:database', 'claims')) === '1')
  first.close()
  await valkey().cli('flushall')
  const next = await open(url)
  const signed = { ...claimOf('two'), sinceMs: beganMs + 5000 }
  expect(await claim(next, signed)).toBe(true)
  expect(await claim(next, claimOf('one'))).toBe(false)
  expect(await next.loss()).toEqual([])
})

test('a new database takes what is signed after its beginning, and needs no operator', async () => {
  const signedMs = Date.now() - 1000
  const first = await open(await server().readyDatabase())
  const before = { ...claimOf('before'), sinceMs: signedMs }
  expect(await claim(first, { ...before, isSigned: true })).toBe(false)
  expect(await claim(first, { ...before, identity: 'no signature' })).toBe(true)
  expect(await claim(first, { ...claimOf('after'), isSigned: true })).toBe(true)
  expect(await first.loss()).toEqual([])
})

describe('two servers that were promoted to one timeline', () => {
  const state = {
    ...{ deployment: 'd', cluster: 'c', timeline: 2, claims: 7, vouchers: 1, signedMs: 5 },
    ...{
      isAdmitted: true,
      isJoining: true,
      isContinued: true,
      isSynchronous: false,
      witness: '',
      isLeased: false,
    },
  }
  const silence = async (ms: number) => {
    const [seconds = ''] = (await valkey().cli('time')).split('\n')
    await valkey().cli('hset', 'prepd:database', 'seen', `${Number(seconds) * 1000 - ms}`)
  }

  test('are told apart: the second is refused while the first is written to', async () => {
    const registry = await newRegistry()
    const first = { ...state, branch: 'one' }
    const judging = { ...first, isAdmitted: false }
    for (const _ of [1, 2])
      expect(await registry.exchange(judging)).toMatchObject({ refused: null, isKnown: false })
    expect(await registry.exchange(first)).toMatchObject({ refused: null, isKnown: false })
    expect(await registry.exchange(first)).toMatchObject({ refused: null, isKnown: true })
    const second = { ...state, branch: 'two' }
    expect(await registry.exchange(second)).toEqual({ refused: 'branch' })
    await silence(6000)
    const fresh = { refused: null, marks: { claims: 7, vouchers: 1, signedMs: 5 } }
    expect(await registry.exchange({ ...second, isContinued: false })).toMatchObject(fresh)
    await silence(6000)
    const third = { ...state, branch: 'three' }
    const taken = { refused: null, marks: { claims: 8, vouchers: 1, signedMs: 5 } }
    expect(await registry.exchange({ ...third, claims: 3 })).toMatchObject(taken)
    expect(await registry.exchange({ ...third, claims: 3 })).toMatchObject(taken)
    expect(await registry.exchange(first)).toEqual({ refused: 'branch' })
  })

  test('are told apart by an instance that Valkey has left', async () => {
    const [url, other] = [await server().readyDatabase(), await server().readyDatabase()]
    const registry = await newRegistry()
    let isAway = false
    const cut: DatabaseRegistry = {
      ...registry,
      exchange: (known) =>
        isAway ? Promise.reject(new EngineAway('unreachable')) : registry.exchange(known),
    }
    const store = await openAt(url, { registry: cut })
    ends.push(store.close)
    expect(await store.once.claim(claimOf('one'), Date.now())).toBe(true)
    isAway = true
    const name = (at: string) => new URL(at).pathname.slice(1)
    // The other has the same records on a branch of its own.
    await server().ask(`UPDATE prepd_lineage SET branch = 'other'`, name(url))
    await server().ask(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name(url)}'`,
      name(other),
    )
    const refused = async () => store.health.reason()?.includes('promoted at the same time')
    for (let looks = 0; looks < 500 && !(await refused()); looks += 1) await Bun.sleep(20)
    expect(store.health.reason()).toContain('promoted at the same time')
  })
})
