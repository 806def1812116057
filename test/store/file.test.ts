import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStoreFile, restoreStore } from '../../src/store/file.ts'
import { openSqlite } from '../../src/store/sqlite.ts'

const FOLDER = mkdtempSync(join(tmpdir(), 'prepd-file-'))
afterAll(() => rmSync(FOLDER, { recursive: true }))

let count = 0
function place(): { readonly dataDir: string; readonly store: string; readonly copy: string } {
  count += 1
  const dataDir = join(FOLDER, `data-${count}`)
  return { dataDir, store: join(dataDir, 'prepd.sqlite'), copy: join(FOLDER, `copy-${count}`) }
}

const claim = (identity: string, sinceMs = 1) => ({ identity, sinceMs, expiresAtMs: 1e12 })

describe('a backup', () => {
  test('is made while the store is written, holds all that was answered before, and is private', async () => {
    const { store: path, copy } = place()
    const store = openSqlite(path, 0)
    for (let at = 0; at < 50; at += 1) await store.once.claim(claim(`before-${at}`), 1)
    const writing = Array.from({ length: 50 }, (_, at) => store.once.claim(claim(`while-${at}`), 1))
    const facts = await openStoreFile(path).backup(copy)
    await Promise.all(writing)
    expect(facts).toMatchObject({ damage: null })
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    store.close()
    const kept = new Database(copy)
    const rows = kept.query<{ identity: string }, []>('SELECT identity FROM claims').all()
    kept.close()
    const names = rows.map(({ identity }) => identity)
    expect(names.filter((name) => name.startsWith('before')).length).toBe(50)
  })

  test('is never written over anything', async () => {
    const { store: path, copy } = place()
    openSqlite(path, 0).close()
    writeFileSync(copy, 'mine')
    await expect(openStoreFile(path).backup(copy)).rejects.toThrow('is there already')
    expect(await Bun.file(copy).text()).toBe('mine')
  })

  test('needs a store', () => {
    expect(() => openStoreFile(place().store)).toThrow('there is no store')
  })
})

describe('a restored store', () => {
  test('knows that it may have lost claims: what was signed before is not sent again', async () => {
    const { store: path, copy } = place()
    const store = openSqlite(path, 0)
    await store.once.claim(claim('known'), 1)
    await openStoreFile(path).backup(copy)
    await store.once.claim(claim('after the backup'), 1)
    store.close()
    const { dataDir, store: other } = place()
    await restoreStore(copy, dataDir, 5000)
    const restored = openSqlite(other, 5000)
    expect(await restored.once.claim(claim('after the backup', 4999), 5000)).toBe(false)
    expect(await restored.once.claim(claim('signed since', 5001), 5001)).toBe(true)
    restored.close()
  })

  test('replaces none, and is put where no prepd runs', async () => {
    const { dataDir, store: path, copy } = place()
    const store = openSqlite(path, 0)
    await openStoreFile(path).backup(copy)
    await expect(restoreStore(copy, dataDir, 1)).rejects.toThrow('another prepd')
    store.close()
    await expect(restoreStore(copy, dataDir, 1)).rejects.toThrow('holds a store already')
    openSqlite(path, 0).close()
  })

  test('is not made of a file of a later prepd, of a damaged one, or of none', async () => {
    const { store: path, copy } = place()
    openSqlite(path, 0).close()
    await openStoreFile(path).backup(copy)
    const newer = new Database(copy)
    newer.run('PRAGMA user_version = 999')
    newer.close()
    const { dataDir, store: other } = place()
    await expect(restoreStore(copy, dataDir, 1)).rejects.toThrow('newer prepd')
    writeFileSync(copy, 'no database at all, but text')
    await expect(restoreStore(copy, dataDir, 1)).rejects.toThrow()
    await expect(restoreStore(`${copy}-nowhere`, dataDir, 1)).rejects.toThrow()
    expect(existsSync(other)).toBe(false)
  })

  test('has its vouchers paused where there are any', async () => {
    const { store: path, copy } = place()
    openSqlite(path, 0).close()
    const database = new Database(path)
    const columns = database
      .query<{ name: string; notnull: number; type: string }, []>(
        'SELECT name, type, "notnull" FROM pragma_table_info(\'vouchers\')',
      )
      .all()
    const values = columns.map(({ type }) => (type === 'INTEGER' ? '1' : "'1'"))
    database.run(`INSERT INTO vouchers (${columns.map(({ name }) => name)}) VALUES (${values})`)
    database.close()
    await openStoreFile(path).backup(copy)
    const { dataDir, store: other } = place()
    expect(await restoreStore(copy, dataDir, 1)).toMatchObject({ vouchersPaused: true })
    const { openVoucherStore } = await import('../../src/store/voucher/sqlite.ts')
    const vouchers = openVoucherStore(other)
    expect(vouchers.isPaused()).toBe(true)
    vouchers.close()
  })
})

describe('a store at rest', () => {
  test('is written anew without its gaps, and not while a prepd runs', async () => {
    const { store: path } = place()
    const store = openSqlite(path, 0)
    const bytes = new Uint8Array(100_000)
    const keys = Array.from({ length: 20 }, (_, at) => `key-${at}`)
    await Promise.all(keys.map((key) => store.responses.put(key, { bytes, fetchedAtMs: 1 }, 2)))
    await store.responses.clear()
    await expect(openStoreFile(path).vacuum()).rejects.toThrow('another prepd')
    store.close()
    const { beforeBytes, afterBytes } = await openStoreFile(path).vacuum()
    expect(afterBytes).toBeLessThan(beforeBytes / 5)
  })
})
