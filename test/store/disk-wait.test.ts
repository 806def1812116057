import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { yieldToEventLoop } from '../../src/core/loop/guarded.ts'
import type { Store } from '../../src/core/ports.ts'
import { type LogSync, openLogSync } from '../../src/store/connection/log-sync.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { randomOf } from '../faults/random.ts'
import { claimOf } from './contract.ts'

const NOW_MS = 1_700_000_000_000
const ROOT = mkdtempSync(join(tmpdir(), 'prepd-disk-wait-'))
afterAll(() => rmSync(ROOT, { recursive: true }))
const UNAVAILABLE = { code: 'store_unavailable' }
let directories = 0

function newPath(): string {
  directories += 1
  return join(ROOT, `data-${directories}`, 'prepd.sqlite')
}

const claimIn = (store: Store, identity: string) =>
  store.once.claim(claimOf(identity, NOW_MS + 300_000), NOW_MS)

/** The identities that another process finds in a file. */
function identitiesIn(path: string): readonly string[] {
  using reader = new Database(path)
  const rows = reader.query<{ identity: string }, []>('SELECT identity FROM claims').all()
  return rows.map(({ identity }) => identity)
}

const LOCKS = '/proc/locks'
/** Where SQLite's shared lock begins (https://www.sqlite.org/lockingv3.html). */
const SHARED_AT = 0x40000002

/** The number of shared locks that this process holds on a database. */
function sharedLocks(path: string): number {
  const held = `READ +${process.pid} [0-9a-f]+:[0-9a-f]+:${statSync(path).ino} ${SHARED_AT} `
  return [...readFileSync(LOCKS, 'utf8').matchAll(new RegExp(held, 'g'))].length
}

function markedCommits(path: string): number {
  return Number(readFileSync(join(path, '..', 'prepd.mark'), 'latin1').split('\n')[0])
}

/** A store on a disk whose syncs in the thread pool end when the test says so. */
function storeOnHeldDisk(path = newPath(), tookMs: number | null = null) {
  const held: ((error: Error | null) => void)[] = []
  const counts = { started: 0, inPlace: 0 }
  const openLog = (of: string): LogSync => {
    const log = openLogSync(of, () => 0)
    return {
      ...log,
      tookMs: () => tookMs,
      start: (done) => {
        counts.started += 1
        log.start((error) => held.push((fault) => done(error ?? fault)))
      },
      block: () => {
        counts.inPlace += 1
        log.block()
      },
    }
  }
  const store = openSqlite(path, NOW_MS, undefined, { openLog })
  /** Ends the oldest held sync, once the disk has done it. */
  async function end(fault: Error | null = null): Promise<void> {
    while (held.length === 0) await yieldToEventLoop()
    held.shift()?.(fault)
  }
  return { store, path, counts, end }
}

/** Whether a promise has settled after the loop has run a turn. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const note = () => {
    settled = true
  }
  promise.then(note, note)
  for (let count = 0; count < 3; count += 1) await yieldToEventLoop()
  return settled
}

describe('while the disk syncs', () => {
  test('a claim is not answered, reads go on, and later commits share the next sync', async () => {
    const { store, path, counts, end } = storeOnHeldDisk()
    const first = claimIn(store, 'first')
    expect(await isSettled(first)).toBe(false)
    expect(identitiesIn(path)).toEqual(['first'])
    expect(markedCommits(path)).toBe(0)
    expect(await store.proofs.has('account', 'key')).toBe(false)
    const second = claimIn(store, 'second')
    expect(await isSettled(second)).toBe(false)
    const third = claimIn(store, 'third')
    expect(await isSettled(third)).toBe(false)
    expect(counts).toEqual({ started: 1, inPlace: 0 })
    await end()
    expect(await first).toBe(true)
    expect(markedCommits(path)).toBe(1)
    expect(await isSettled(second)).toBe(false)
    await end()
    expect(await Promise.all([second, third])).toEqual([true, true])
    expect(counts.started).toBe(2)
    expect(markedCommits(path)).toBe(3)
    store.close()
  })

  test('a second claim of the same identity is refused by the first, which is not answered yet', async () => {
    const { store, end } = storeOnHeldDisk()
    const first = claimIn(store, 'same')
    expect(await isSettled(first)).toBe(false)
    const second = claimIn(store, 'same')
    expect(await isSettled(second)).toBe(false)
    await end()
    await end()
    expect(await Promise.all([first, second])).toEqual([true, false])
    store.close()
  })

  test('a store that closes answers every claim before, and a late failure changes no answer', async () => {
    const { store, path, counts, end } = storeOnHeldDisk()
    const flying = claimIn(store, 'flying')
    expect(await isSettled(flying)).toBe(false)
    const committed = claimIn(store, 'committed')
    expect(await isSettled(committed)).toBe(false)
    const waiting = claimIn(store, 'waiting')
    store.close()
    expect(counts.inPlace).toBe(1)
    expect(await Promise.all([flying, committed, waiting])).toEqual([true, true, true])
    await end(new Error('too late'))
    expect(identitiesIn(path)).toEqual(['flying', 'committed', 'waiting'])
    expect(markedCommits(path)).toBe(3)
  })
})

describe('a commit of one caller', () => {
  test.each([
    ['waits in place on a disk that took less than a millisecond', 0.9, 1],
    ['waits in the thread pool on a slower disk', 1, 1],
    ['waits in the thread pool on a disk of unknown speed', null, 1],
    ['waits in the thread pool together with others', 0.9, 2],
  ])('%s', async (_, tookMs, callers) => {
    const { store, counts, end } = storeOnHeldDisk(newPath(), tookMs)
    const claims = Array.from({ length: callers }, (__, at) => claimIn(store, `id-${at}`))
    const inPlace = tookMs === 0.9 && callers === 1
    if (!inPlace) await end()
    expect(await Promise.all(claims)).toEqual(claims.map(() => true))
    expect(counts).toEqual({ started: inPlace ? 0 : 1, inPlace: inPlace ? 1 : 0 })
    store.close()
  })
})

describe('a failed sync', () => {
  const FAULT = Object.assign(new Error('the disk failed'), { code: 'EIO' })

  test('refuses its claims and those committed since, and no earlier or later one', async () => {
    const { store, path, end } = storeOnHeldDisk()
    const before = claimIn(store, 'before')
    await end()
    expect(await before).toBe(true)
    const claims = [claimIn(store, 'a')]
    await yieldToEventLoop()
    claims.push(claimIn(store, 'b'))
    await yieldToEventLoop()
    await yieldToEventLoop()
    await end(FAULT)
    const results = await Promise.allSettled(claims)
    for (const result of results)
      expect(result).toMatchObject({ status: 'rejected', reason: UNAVAILABLE })
    expect(markedCommits(path)).toBe(1)
    const after = [claimIn(store, 'a'), claimIn(store, 'before')]
    await end()
    expect(await Promise.all(after)).toEqual([true, false])
    store.close()
    const again = openSqlite(path, NOW_MS)
    expect(await claimIn(again, 'a')).toBe(false)
    again.close()
  })

  test('of one commit in place refuses it, and says why', async () => {
    const path = newPath()
    let fault: Error | null = FAULT
    const openLog = (of: string): LogSync => ({
      ...openLogSync(of, () => 0),
      tookMs: () => 0,
      block: () => {
        if (fault) throw fault
      },
    })
    const store = openSqlite(path, NOW_MS, undefined, { openLog })
    await expect(claimIn(store, 'a')).rejects.toMatchObject(UNAVAILABLE)
    expect(await store.check()).toBe('EIO')
    fault = null
    expect(await claimIn(store, 'a')).toBe(true)
    expect(await store.check()).toBe(null)
    store.close()
  })

  test('is followed by no success until the log, which may lack pages on the disk, is emptied', async () => {
    const { store, path, end } = storeOnHeldDisk()
    const lost = claimIn(store, 'lost')
    await end(FAULT)
    await expect(lost).rejects.toMatchObject(UNAVAILABLE)
    const reader = new Database(path)
    reader.run('BEGIN')
    reader.query('SELECT count(*) FROM claims').get()
    await expect(claimIn(store, 'a')).rejects.toMatchObject(UNAVAILABLE)
    reader.run('COMMIT')
    reader.close()
    const logged = statSync(`${path}-wal`).size
    const next = claimIn(store, 'a')
    await end()
    expect(await next).toBe(true)
    expect(statSync(`${path}-wal`).size).toBeLessThan(logged)
    store.close()
  })
})

describe('the write-ahead log of an open store', () => {
  const opening = { openLog: (path: string) => openLogSync(path, () => 0) }

  test('that someone has replaced takes no claim, because nobody would read it after a restart', async () => {
    const path = newPath()
    const store = openSqlite(path, NOW_MS, undefined, opening)
    expect(await claimIn(store, 'a')).toBe(true)
    renameSync(`${path}-wal`, `${path}-moved`)
    await expect(claimIn(store, 'b')).rejects.toMatchObject(UNAVAILABLE)
    copyFileSync(`${path}-moved`, `${path}-wal`)
    await expect(claimIn(store, 'c')).rejects.toMatchObject(UNAVAILABLE)
    expect(await store.check()).toBe('LOG_REPLACED')
    store.close()
  })

  // Without this lock, a program such as the shell of SQLite deletes the log when it closes the store.
  test.skipIf(!existsSync(LOCKS))(
    'is kept by a lock on the store, also after a claim',
    async () => {
      const path = newPath()
      const store = openSqlite(path, NOW_MS, undefined, opening)
      expect(sharedLocks(path)).toBe(1)
      expect(await claimIn(store, 'a')).toBe(true)
      expect(sharedLocks(path)).toBe(1)
      store.close()
    },
  )
})

// Slow: 1,200 commits, because SQLite must checkpoint between some commits and their syncs.
// The copies come from the kernel, so they do not show whether SQLite synced a checkpoint.
test('files copied at the beginning of a sync have every claim that is answered after it, also after checkpoints', async () => {
  const random = randomOf(48)
  const path = newPath()
  const answered = new Set<string>()
  let copies = 0
  let check = () => undefined as unknown

  /** Copies the files as the kernel has them when a sync begins. */
  function copyAtSync(): string {
    copies += 1
    const copy = join(ROOT, `cut-${copies}.sqlite`)
    for (const end of ['', '-wal']) copyFileSync(path + end, copy + end)
    return copy
  }

  const openLog = (): LogSync => ({
    tookMs: () => null,
    block: () => undefined,
    reset: () => undefined,
    close: () => undefined,
    start: (done) => {
      const copy = random() < 0.03 ? copyAtSync() : null
      void yieldToEventLoop().then(() => {
        check()
        check = () => {
          if (copy === null) return
          const found = new Set(identitiesIn(copy))
          expect([...answered].filter((identity) => !found.has(identity))).toEqual([])
        }
        done(null)
      })
    },
  })
  const store = openSqlite(path, NOW_MS, undefined, { openLog })
  const record = 'x'.repeat(6000)
  async function claimMany(client: number): Promise<void> {
    for (let count = 0; count < 300; count += 1) {
      const identity = `${client}-${count}`
      const claim = { ...claimOf(identity, NOW_MS + 300_000), record }
      if (await store.once.claim(claim, NOW_MS)) answered.add(identity)
      if (random() < 0.5) await yieldToEventLoop()
    }
  }
  await Promise.all([0, 1, 2, 3].map(claimMany))
  expect(answered.size).toBe(1200)
  expect(copies).toBeGreaterThan(5)
  check()
  const checkpointed = statSync(path).size
  expect(checkpointed).toBeGreaterThan(1_000_000)
  store.close()
})
