import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { APPROVAL } from '../../src/contract/approval.ts'
import { DAY_MS } from '../../src/contract/durations.ts'
import { spendingTable } from '../../src/store/claims/spending.ts'
import { claimTable } from '../../src/store/claims/table.ts'
import commits from '../../src/store/commits.sql' with { type: 'text' }
import { NO_MARK } from '../../src/store/connection/commit-mark.ts'
import { openConnection } from '../../src/store/connection/connection.ts'
import { createGroupCommit } from '../../src/store/connection/group-commit.ts'
import { SYNCED_BY_COMMIT } from '../../src/store/connection/log-sync.ts'
import { createLazyStatements } from '../../src/store/connection/statements.ts'
import { openStoreFile } from '../../src/store/file.ts'
import operator from '../../src/store/operator.sql' with { type: 'text' }
import { restoreStore } from '../../src/store/restore.ts'
import schema from '../../src/store/schema.sql' with { type: 'text' }
import { openSqlite } from '../../src/store/sqlite.ts'
import holds from '../../src/store/voucher/holds.sql' with { type: 'text' }
import vouchers from '../../src/store/voucher/schema.sql' with { type: 'text' }
import { runs } from '../runs.ts'
import { claimOf } from './contract.ts'

const NOW_MS = 1_700_000_000_000
const END_MS = NOW_MS + 360_000
const FOLDER = mkdtempSync(join(tmpdir(), 'prepd-claims-'))
let directories = 0

function newPath(): string {
  directories += 1
  return join(FOLDER, `data-${directories}`, 'prepd.sqlite')
}

afterAll(() => rmSync(FOLDER, { recursive: true }))

/** A file as the version before wrote it: claims by identity, 41 commits, and one claim that has expired. */
function oldFile(): string {
  const path = newPath()
  mkdirSync(dirname(path))
  const database = new Database(path, { create: true })
  for (const statements of [schema, vouchers, commits, holds, operator]) database.run(statements)
  database.run('UPDATE commits SET sequence = 41')
  database.run('INSERT INTO claims (identity, expires_at_ms) VALUES (?, ?), (?, ?)', [
    ...['sent', END_MS],
    ...['long ago', NOW_MS - 1],
  ])
  database.run('PRAGMA user_version = 6')
  database.close()
  return path
}

describe('a file of the version before', () => {
  test('keeps its claims, and the number of its commits', async () => {
    const path = oldFile()
    await Bun.write(join(path, '..', 'prepd.mark'), '0000000000000041\n')
    const store = openSqlite(path, NOW_MS)
    expect(await store.once.claim(claimOf('sent', END_MS), NOW_MS)).toBe(false)
    expect(await store.once.claim(claimOf('long ago', END_MS), NOW_MS)).toBe(true)
    expect(await store.once.list(9)).toMatchObject({ count: 2 })
    store.close()
    expect(await openStoreFile(path).look()).toMatchObject({ sequence: 43, damage: null })
  })

  test('can be a backup: what was signed before it was restored is not sent', async () => {
    const path = oldFile()
    const dataDir = join(FOLDER, 'restored')
    expect(await restoreStore(path, dataDir, NOW_MS)).toMatchObject({ version: 6, sequence: 41 })
    const store = openSqlite(join(dataDir, 'prepd.sqlite'), NOW_MS)
    const claim = (identity: string, sinceMs: number) =>
      store.once.claim({ identity, sinceMs, expiresAtMs: END_MS }, NOW_MS)
    expect(await claim('new', NOW_MS)).toBe(false)
    expect(await claim('new', NOW_MS + 300_000)).toBe(false)
    expect(await claim('new', NOW_MS + 300_001)).toBe(true)
    expect(await claim('sent', NOW_MS + 1)).toBe(false)
    store.close()
  })

  test('a settled record is the last one that was settled, and ends with its claim', async () => {
    const path = newPath()
    const before = openSqlite(path, NOW_MS)
    await before.once.claim({ ...claimOf('a', END_MS), record: 'sent' }, NOW_MS)
    await before.once.settle('a', 'accepted')
    await before.once.settle('a', 'filled')
    before.close()
    const store = openSqlite(path, NOW_MS)
    expect(await store.once.find('a')).toEqual({ expiresAtMs: END_MS, record: 'filled' })
    expect(await store.sweep(END_MS, 10)).toBe(1)
    expect(await store.once.find('a')).toBeNull()
    store.close()
  })
})

test('a claim that was settled is swept as one row, and not before its end', async () => {
  const store = openSqlite(newPath(), NOW_MS)
  for (const identity of ['a', 'b']) {
    await store.once.claim({ ...claimOf(identity, END_MS), record: 'sent' }, NOW_MS)
    await store.once.settle(identity, 'accepted')
  }
  expect(await store.sweep(END_MS - 1, 10)).toBe(0)
  expect(await store.sweep(END_MS, 10)).toBe(2)
  expect(await store.sweep(END_MS, 10)).toBe(0)
  store.close()
})

test('a claim that was given back is swept at once, and takes no later claim of its identity with it', async () => {
  const path = newPath()
  const store = openSqlite(path, NOW_MS)
  for (const identity of ['a', 'b', 'again']) {
    await store.once.claim(claimOf(identity, END_MS), NOW_MS)
    await store.once.release(identity)
  }
  await store.once.claim(claimOf('again', END_MS), NOW_MS)
  expect(await store.sweep(NOW_MS, 10)).toBe(3)
  expect(await store.once.claim(claimOf('again', END_MS), NOW_MS)).toBe(false)
  expect(await store.sweep(END_MS, 10)).toBe(1)
  store.close()
})

describe('over a restart', () => {
  test('a claim that was given back is free, and one that was made again is not', async () => {
    const path = newPath()
    const before = openSqlite(path, NOW_MS)
    for (const identity of ['free', 'again']) {
      await before.once.claim(claimOf(identity, END_MS), NOW_MS)
      await before.once.release(identity)
    }
    await before.once.claim(claimOf('again', END_MS), NOW_MS)
    expect(before.stats.claims()).toBe(1)
    before.close()
    const store = openSqlite(path, NOW_MS)
    expect(await store.once.find('free')).toBeNull()
    expect(await store.once.find('again')).toEqual({ expiresAtMs: END_MS, record: null })
    expect(await store.once.claim(claimOf('again', END_MS), NOW_MS)).toBe(false)
    expect(await store.once.claim(claimOf('free', END_MS), NOW_MS)).toBe(true)
    expect(await store.once.claim(claimOf('free', END_MS), NOW_MS)).toBe(false)
    store.close()
  })

  test('claims that were swept take no commit with them', async () => {
    const path = newPath()
    const before = openSqlite(path, NOW_MS)
    for (const identity of ['a', 'b']) {
      await before.once.claim(claimOf(identity, NOW_MS + 10), NOW_MS)
    }
    expect(await before.sweep(NOW_MS + 10, 100)).toBe(2)
    before.close()
    const store = openSqlite(path, NOW_MS + 1000)
    expect(await store.once.claim(claimOf('a', END_MS), NOW_MS + 1000)).toBe(true)
    expect(await store.once.list(9)).toMatchObject({ count: 1 })
    store.close()
  })
})

test('a claim writes one page, whatever was claimed before', async () => {
  const path = newPath()
  const store = openSqlite(path, NOW_MS)
  const claim = () => store.once.claim(claimOf(crypto.randomUUID(), END_MS), NOW_MS)
  for (let count = 0; count < 20; count += 1) await claim()
  const FRAME_BYTES = 4096 + 24
  const before = store.stats.walBytes() ?? 0
  for (let count = 0; count < 10; count += 1) await claim()
  expect((store.stats.walBytes() ?? 0) - before).toBe(10 * FRAME_BYTES)
  store.close()
})

test('beyond the most that are held none is made, until one has gone', async () => {
  const database = openConnection(':memory:', { busyTimeoutMs: 1, synchronous: 'FULL' })
  const guard = <Value>(work: () => Value) => work()
  const statements = createLazyStatements(() => database)
  const group = createGroupCommit(statements, NO_MARK, {
    ...{ nowMs: NOW_MS, guard },
    ...{ isNew: false, reader: statements, log: SYNCED_BY_COMMIT },
  })
  const tables = { database: statements, synced: statements, guard }
  const spending = spendingTable({ ...tables, durably: group.durably })
  const claims = claimTable({ ...tables, group, spending, heldMax: 2 })
  const claim = (identity: string) => claims.claim(claimOf(identity, NOW_MS + 10), NOW_MS)
  expect([await claim('a'), await claim('b')]).toEqual([true, true])
  await expect(claim('c')).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(claims.sweep(NOW_MS + 10, 1)).toBe(1)
  expect(await claim('c')).toBe(true)
})

test('ids of orders, which are held for a day, leave half of what is held to the writes of others', async () => {
  const database = openConnection(':memory:', { busyTimeoutMs: 1, synchronous: 'FULL' })
  const guard = <Value>(work: () => Value) => work()
  const statements = createLazyStatements(() => database)
  const group = createGroupCommit(statements, NO_MARK, {
    ...{ nowMs: NOW_MS, guard },
    ...{ isNew: false, reader: statements, log: SYNCED_BY_COMMIT },
  })
  const tables = { database: statements, synced: statements, guard }
  const spending = spendingTable({ ...tables, durably: group.durably })
  const claims = claimTable({ ...tables, group, spending, heldMax: 8 })
  const ofApproval = NOW_MS + APPROVAL.keptMs
  const ofOrder = NOW_MS + DAY_MS - 1000
  const claim = (name: string, endMs: number, ids: readonly string[] = []) => {
    const reservation = { scope: 'mine', identity: name, atMs: NOW_MS, uses: [] }
    const use = {
      reservation,
      ids: ids.map((id) => claimOf(id, ofOrder)),
      unseenSinceMs: 0,
    }
    return claims.claim(claimOf(name, endMs), NOW_MS, { ...use, refusal: () => null })
  }
  expect(await claim('a', ofApproval, ['1', '2', '3'])).toBe(true)
  const full = { code: 'store_unavailable' }
  await expect(claim('b', ofApproval, ['4'])).rejects.toMatchObject(full)
  // An order of an agent's tools is its own id.
  await expect(claim('c', ofOrder)).rejects.toMatchObject(full)
  expect(await claim('d', ofApproval)).toBe(true)
})

type Step = { readonly act: 'claim' | 'release' | 'sweep' | 'restart'; readonly name: string }

// Slow: random sequences are each played on a file of their own, which is closed and opened again.
test('whatever is claimed, given back, swept and started again, each identity is held by one until its end', async () => {
  const step = fc.record({
    act: fc.constantFrom<Step['act'][]>('claim', 'claim', 'claim', 'release', 'sweep', 'restart'),
    name: fc.constantFrom('a', 'b', 'c'),
  })
  const LIFE_MS = 12_000
  const STEP_MS = 3_000
  const live = async (steps: readonly Step[]) => {
    const path = newPath()
    const ends = new Map<string, number>()
    let store = openSqlite(path, NOW_MS)
    let nowMs = NOW_MS
    for (const { act, name } of steps) {
      nowMs += STEP_MS
      if (act === 'claim') {
        const isFree = (ends.get(name) ?? 0) <= nowMs
        const expiresAtMs = nowMs + LIFE_MS
        expect(await store.once.claim(claimOf(name, expiresAtMs), nowMs)).toBe(isFree)
        if (isFree) ends.set(name, expiresAtMs)
      } else if (act === 'release') {
        await store.once.release(name)
        ends.delete(name)
      } else if (act === 'sweep') await store.sweep(nowMs, 2)
      else {
        store.close()
        store = openSqlite(path, nowMs)
      }
    }
    store.close()
  }
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 25 }), live), { numRuns: runs(40) })
})
