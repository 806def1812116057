import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStoreFile } from '../../src/store/file.ts'
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

  test('is not written through a link, nor through one to nothing', async () => {
    const { store: path, copy } = place()
    openSqlite(path, 0).close()
    symlinkSync(`${copy}-target`, copy)
    await expect(openStoreFile(path).backup(copy)).rejects.toThrow(`${copy} is there already`)
    expect(existsSync(`${copy}-target`)).toBe(false)
    expect(lstatSync(copy).isSymbolicLink()).toBe(true)
  })

  test('of a damaged store names its file, and leaves none behind', async () => {
    const { store: path, copy } = place()
    openSqlite(path, 0).close()
    writeFileSync(path, 'no database at all, but text')
    await expect(openStoreFile(path).backup(copy)).rejects.toThrow(
      `${path} is damaged: file is not a database`,
    )
    expect(existsSync(copy)).toBe(false)
    await expect(openStoreFile(path).backup(`${copy}/below/nothing`)).rejects.toThrow('ENOENT')
  })

  test('needs a store', () => {
    expect(() => openStoreFile(place().store)).toThrow('there is no store')
  })
})

describe('a store at rest', () => {
  test('is written anew without its gaps, and not while a prepd runs', async () => {
    const { store: path } = place()
    const store = openSqlite(path, 0)
    const bytes = new Uint8Array(100_000)
    const keys = Array.from({ length: 20 }, (_, at) => `key-${at}`)
    const puts = keys.map((key) => store.responses.put(key, { bytes, fetchedAtMs: 1 }, 2))
    // What waits to be written together is written for a list.
    await Promise.all([...puts, store.responses.list('', 1)])
    await store.responses.clear()
    await expect(openStoreFile(path).vacuum()).rejects.toThrow('another prepd')
    store.close()
    const { beforeBytes, afterBytes } = await openStoreFile(path).vacuum()
    expect(afterBytes).toBeLessThan(beforeBytes / 5)
  })
})
