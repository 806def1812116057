import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openConnection } from '../../src/store/connection/connection.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { claimOf } from './contract.ts'

const NOW_MS = 1_700_000_000_000
const ROOT = mkdtempSync(join(tmpdir(), 'prepd-durable-'))
let directories = 0

function newPath(): string {
  directories += 1
  return join(ROOT, `data-${directories}`, 'prepd.sqlite')
}

afterAll(() => rmSync(ROOT, { recursive: true }))

const markOf = (path: string) => join(path, '..', 'prepd.mark')
const signedAt = (identity: string, sinceMs: number) => ({
  identity,
  sinceMs,
  expiresAtMs: sinceMs + 360_000,
})

/** How many durable commits the file knows of, by another connection. */
function commitsOf(path: string): number {
  const reader = new Database(path, { readonly: true })
  const numbers = reader
    .query<{ sequence: number }, []>(
      'SELECT sequence FROM commits UNION ALL SELECT sequence FROM claims',
    )
    .all()
  reader.close()
  return Math.max(...numbers.map(({ sequence }) => sequence))
}

/** A store that was copied, then claimed 'sent', and was put back to the copy. */
async function putBack(path: string, sentAtMs = NOW_MS + 50): Promise<void> {
  const before = openSqlite(path, NOW_MS)
  await before.once.claim(claimOf('earlier', NOW_MS + 9000), NOW_MS)
  await before.nonces.issue('issued', NOW_MS + 120_000)
  before.close()
  copyFileSync(path, `${path}.copy`)
  const store = openSqlite(path, NOW_MS)
  expect(await store.once.claim(signedAt('sent', sentAtMs), NOW_MS + 60)).toBe(true)
  expect(await store.nonces.burn('issued', NOW_MS)).toBe(true)
  store.close()
  copyFileSync(`${path}.copy`, path)
}

describe('claims and burnt nonces', () => {
  test('asked for in one turn share one commit, and each gets its own answer', async () => {
    const path = newPath()
    const store = openSqlite(path, NOW_MS)
    const before = commitsOf(path)
    const claims = Array.from({ length: 50 }, (_, n) =>
      store.once.claim(claimOf(`id-${n % 25}`, NOW_MS + 1000), NOW_MS),
    )
    const answers = await Promise.all(claims)
    expect(answers.slice(0, 25)).toEqual(Array(25).fill(true))
    expect(answers.slice(25)).toEqual(Array(25).fill(false))
    expect(commitsOf(path)).toBe(before + 1)
    expect(Number(readFileSync(markOf(path), 'utf8').split('\n')[0])).toBe(before + 1)
    store.close()
  })

  test('asked for while the store is closed are kept before it is', async () => {
    const path = newPath()
    const store = openSqlite(path, NOW_MS)
    const claimed = store.once.claim(claimOf('late', NOW_MS + 1000), NOW_MS)
    store.close()
    expect(await claimed).toBe(true)
    const again = openSqlite(path, NOW_MS)
    expect(await again.once.claim(claimOf('late', NOW_MS + 1000), NOW_MS)).toBe(false)
    again.close()
  })

  test('are refused to everyone in a commit that failed, and none of them happened', async () => {
    const path = newPath()
    const store = openSqlite(path, NOW_MS)
    const blocker = new Database(path)
    blocker.run('BEGIN IMMEDIATE')
    const claims = ['a', 'b'].map((id) => store.once.claim(claimOf(id, NOW_MS + 1000), NOW_MS))
    const results = await Promise.allSettled(claims)
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    blocker.close()
    expect(await store.once.claim(claimOf('a', NOW_MS + 1000), NOW_MS)).toBe(true)
    store.close()
  })

  test('are written by a connection that waits for the disk', () => {
    const database = openConnection(newPath(), { busyTimeoutMs: 1, synchronous: 'FULL' })
    expect(database.query('PRAGMA synchronous').get()).toEqual({ synchronous: 2 })
    database.close()
  })
})

describe('a store that lost commits', () => {
  const LATER_MS = NOW_MS + 1000

  test('refuses what was signed before it noticed, takes what is signed after, and forgets nonces', async () => {
    const path = newPath()
    await putBack(path)
    const store = openSqlite(path, LATER_MS)
    const claim = (identity: string, atMs: number) =>
      store.once.claim(signedAt(identity, atMs), LATER_MS + 5)
    expect(await claim('sent', NOW_MS + 50)).toBe(false)
    expect(await claim('never sent', LATER_MS)).toBe(false)
    expect(await claim('new', LATER_MS + 1)).toBe(true)
    expect(await store.nonces.burn('issued', LATER_MS)).toBe(false)
    await store.nonces.issue('fresh', LATER_MS + 120_000)
    expect(await store.nonces.burn('fresh', LATER_MS + 5)).toBe(true)
    store.close()
  })

  test('sends nothing twice that was signed ahead of the time, and takes what is signed after it', async () => {
    const path = newPath()
    const aheadMs = NOW_MS + 250_000
    await putBack(path, aheadMs)
    for (const nowMs of [LATER_MS, LATER_MS + 1000]) {
      const store = openSqlite(path, nowMs)
      expect(await store.once.claim(signedAt('sent', aheadMs), nowMs)).toBe(false)
      expect(await store.once.claim(signedAt(`new-${nowMs}`, aheadMs + 1), nowMs)).toBe(true)
      store.close()
    }
  })

  test('takes any timestamp for lost that may be sent, where its mark does not say which was', async () => {
    const path = newPath()
    await putBack(path)
    truncateSync(markOf(path), 17)
    const store = openSqlite(path, LATER_MS)
    const claim = (atMs: number) => store.once.claim(signedAt(`at-${atMs}`, atMs), LATER_MS)
    expect(await claim(LATER_MS + 300_000)).toBe(false)
    expect(await claim(LATER_MS + 300_001)).toBe(true)
    store.close()
  })

  test('remembers the moment over the next starts', async () => {
    const path = newPath()
    await putBack(path)
    openSqlite(path, LATER_MS).close()
    const store = openSqlite(path, LATER_MS + 1000)
    expect(await store.once.claim(signedAt('sent', NOW_MS + 50), LATER_MS)).toBe(false)
    expect(await store.once.claim(signedAt('new', LATER_MS + 1), LATER_MS + 1000)).toBe(true)
    store.close()
  })

  test('is also one that was removed beside its mark', async () => {
    const path = newPath()
    await putBack(path)
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
    const store = openSqlite(path, LATER_MS)
    expect(await store.once.claim(signedAt('sent', NOW_MS + 50), LATER_MS)).toBe(false)
    store.close()
  })

  test('is also one whose log lost its tail', async () => {
    const path = newPath()
    const SOURCE = new URL('../../src/store/sqlite.ts', import.meta.url).pathname
    const script = `
      import { openSqlite } from ${JSON.stringify(SOURCE)}
      const store = openSqlite(${JSON.stringify(path)}, ${NOW_MS})
      for (const identity of ['a', 'b', 'sent']) {
        await store.once.claim({ identity, sinceMs: ${NOW_MS}, expiresAtMs: ${NOW_MS + 360_000} }, ${NOW_MS})
      }
      process.kill(process.pid, 'SIGKILL')`
    await Bun.spawn([process.execPath, '-e', script]).exited
    const { size } = statSync(`${path}-wal`)
    truncateSync(`${path}-wal`, size - 100)
    const store = openSqlite(path, LATER_MS)
    expect(await store.once.claim(signedAt('sent', NOW_MS), LATER_MS)).toBe(false)
    expect(await store.once.claim(signedAt('new', LATER_MS + 1), LATER_MS)).toBe(true)
    store.close()
  })
})

describe('a store that lost nothing', () => {
  test.each([
    ['has no mark yet', (path: string) => rmSync(markOf(path))],
    ['has a mark that cannot be read', (path: string) => writeFileSync(markOf(path), '\0\0\0')],
    ['is ahead of its mark', (path: string) => writeFileSync(markOf(path), '0000000000000000\n')],
    ['is as it was left', () => undefined],
  ])('%s, and takes what was signed before', async (_, change) => {
    const path = newPath()
    const before = openSqlite(path, NOW_MS)
    await before.once.claim(claimOf('a', NOW_MS + 1000), NOW_MS)
    before.close()
    change(path)
    const store = openSqlite(path, NOW_MS + 1000)
    expect(await store.once.claim(signedAt('b', NOW_MS + 1), NOW_MS + 1000)).toBe(true)
    expect(statSync(markOf(path)).mode & 0o777).toBe(0o600)
    store.close()
  })
})
