import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '../../src/store/sqlite.ts'
import { sqliteVersion } from '../../src/store/version.ts'
import { storeContract } from './contract.ts'

const NOW_MS = 1_700_000_000_000
const ROOT = mkdtempSync(join(tmpdir(), 'prepd-store-'))
const SOURCE = new URL('../../src/store/sqlite.ts', import.meta.url).pathname
let directories = 0

/** The path of a store in a directory of its own, not made yet. */
function newPath(): string {
  directories += 1
  return join(ROOT, `data-${directories}`, 'prepd.sqlite')
}

/** Starts another process that opens the store at a path, runs `script` on it, says `done` and stays. */
async function otherProcess(path: string, script: string) {
  const code = `
    import { openSqlite } from ${JSON.stringify(SOURCE)}
    const store = openSqlite(${JSON.stringify(path)})
    ${script}
    console.log('done')
    setInterval(() => {}, 60_000)`
  const child = Bun.spawn([process.execPath, '-e', code], { stdout: 'pipe', stderr: 'pipe' })
  const { value } = await child.stdout.getReader().read()
  if (!value) throw new Error(await new Response(child.stderr).text())
  return child
}

afterAll(() => rmSync(ROOT, { recursive: true }))

storeContract('SQLite file', () => openSqlite(newPath()))
storeContract('in-memory SQLite', () => openSqlite(':memory:'))

const LOCKED = expect.objectContaining({ name: 'StoreLockedError' })
const NEWER = expect.objectContaining({ name: 'StoreNewerError' })

describe('a SQLite file', () => {
  test('keeps everything for the next process, in a directory for its owner alone', () => {
    const path = newPath()
    const store = openSqlite(path)
    store.nonces.issue('n', NOW_MS + 1000)
    store.once.claim('c', NOW_MS + 1000, NOW_MS)
    store.proofs.add('acc', 'key', NOW_MS)
    store.close()
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
    expect(statSync(path).mode & 0o777).toBe(0o600)

    const again = openSqlite(path)
    expect(again.nonces.burn('n', NOW_MS)).toBe(true)
    expect(again.once.claim('c', NOW_MS + 1000, NOW_MS)).toBe(false)
    expect(again.proofs.has('acc', 'key')).toBe(true)
    again.close()
  })

  test('leaves no log behind when it is closed', () => {
    const path = newPath()
    const store = openSqlite(path)
    store.once.claim('c', NOW_MS + 1000, NOW_MS)
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
    store.close()
    expect(existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0).toBe(false)
  })

  test('is refused when a newer prepd wrote it, and is not touched', () => {
    const path = newPath()
    openSqlite(path).close()
    const newer = 99
    const database = new Database(path)
    database.run(`PRAGMA user_version = ${newer}`)
    database.close()

    expect(() => openSqlite(path)).toThrow(NEWER)
    expect(() => openSqlite(path)).toThrow(`store version ${newer}`)
    const after = new Database(path)
    expect(after.query('PRAGMA user_version').get()).toEqual({ user_version: newer })
    after.close()
  })

  test('takes only text and numbers where it says so', () => {
    const path = newPath()
    openSqlite(path).close()
    const database = new Database(path)
    const tables = database.query<{ name: string; strict: number }, []>('PRAGMA table_list').all()
    const own = tables.filter(({ name }) => !name.startsWith('sqlite_'))
    expect(own.length).toBeGreaterThan(5)
    expect(own.filter(({ strict }) => strict !== 1)).toEqual([])
    database.close()
  })
})

describe('one process per directory', () => {
  test('a second store in the same directory is refused by name, and works once the first is closed', () => {
    const path = newPath()
    const first = openSqlite(path)
    expect(() => openSqlite(path)).toThrow(LOCKED)
    expect(() => openSqlite(path)).toThrow(join(path, '..'))
    expect(first.once.claim('still mine', NOW_MS + 1000, NOW_MS)).toBe(true)
    first.close()
    openSqlite(path).close()
  })

  test('another process keeps its directory until it dies, however it dies; what it claimed stays claimed', async () => {
    const path = newPath()
    const claims = `for (const id of ['a', 'b']) store.once.claim(id, ${NOW_MS + 1000}, ${NOW_MS})`
    const child = await otherProcess(path, claims)
    try {
      expect(() => openSqlite(path)).toThrow(LOCKED)
    } finally {
      child.kill('SIGKILL')
      await child.exited
    }
    const store = openSqlite(path)
    expect(store.once.claim('a', NOW_MS + 1000, NOW_MS)).toBe(false)
    expect(store.once.claim('b', NOW_MS + 1000, NOW_MS)).toBe(false)
    expect(store.once.claim('c', NOW_MS + 1000, NOW_MS)).toBe(true)
    store.close()
  })

  test('a directory stays taken when nothing refers to its store any more', () => {
    const path = newPath()
    const { once } = openSqlite(path)
    Bun.gc(true)
    Bun.gc(true)
    expect(() => openSqlite(path)).toThrow(LOCKED)
    expect(once.claim('a', NOW_MS + 1000, NOW_MS)).toBe(true)
  })

  test('a file that cannot be opened does not keep its directory locked', () => {
    const path = newPath()
    openSqlite(path).close()
    rmSync(path)
    const database = new Database(path, { create: true })
    database.run('PRAGMA user_version = 99')
    database.close()
    expect(() => openSqlite(path)).toThrow(NEWER)
    rmSync(path)
    openSqlite(path).close()
  })

  test('readers may look while it is in use', () => {
    const path = newPath()
    const store = openSqlite(path)
    store.proofs.add('acc', 'key', NOW_MS)
    const reader = new Database(path, { readonly: true })
    expect(reader.query('SELECT account_id FROM proofs').all()).toEqual([{ account_id: 'acc' }])
    store.proofs.remove('acc', 'key')
    reader.close()
    store.close()
  })
})

describe('the answers in the store', () => {
  const answer = (size: number, fetchedAtMs: number) => ({
    bytes: new Uint8Array(size),
    fetchedAtMs,
  })
  const kept = (store: ReturnType<typeof openSqlite>, keys: readonly string[]) =>
    keys.filter((key) => store.responses.get(key) !== null)

  test('give way by age when there are too many', () => {
    const store = openSqlite(':memory:', { rowsMax: 2, bytesMax: 1000 })
    store.responses.put('new', answer(1, NOW_MS + 2), NOW_MS + 9999)
    store.responses.put('old', answer(1, NOW_MS + 1), NOW_MS + 9999)
    store.responses.put('newest', answer(1, NOW_MS + 3), NOW_MS + 9999)
    expect(kept(store, ['old', 'new', 'newest'])).toEqual(['new', 'newest'])
    store.close()
  })

  test('give way by age when they are too large, also after a restart', () => {
    const path = newPath()
    const bounds = { rowsMax: 100, bytesMax: 1000 }
    const before = openSqlite(path, bounds)
    before.responses.put('a', answer(600, NOW_MS), NOW_MS + 9999)
    before.responses.put('a', answer(400, NOW_MS + 1), NOW_MS + 9999)
    before.responses.put('b', answer(600, NOW_MS + 2), NOW_MS + 9999)
    expect(kept(before, ['a', 'b'])).toEqual(['a', 'b'])
    before.close()

    const after = openSqlite(path, bounds)
    after.responses.put('c', answer(1, NOW_MS + 3), NOW_MS + 9999)
    expect(kept(after, ['a', 'b', 'c'])).toEqual(['b', 'c'])
    after.close()
  })

  test('are not emptied for one larger than everything', () => {
    const store = openSqlite(':memory:', { rowsMax: 10, bytesMax: 100 })
    store.responses.put('a', answer(60, NOW_MS), NOW_MS + 9999)
    store.responses.put('huge', answer(101, NOW_MS + 1), NOW_MS + 9999)
    expect(kept(store, ['a', 'huge'])).toEqual(['a'])
    store.close()
  })

  test('are as they were after one that could not be written, and so is the room they take', () => {
    const store = openSqlite(':memory:', { rowsMax: 10, bytesMax: 100 })
    store.responses.put('a', answer(60, NOW_MS), NOW_MS + 9999)
    expect(() => store.responses.put('a', answer(60, 0.5), NOW_MS + 9999)).toThrow()
    expect(store.responses.get('a')?.fetchedAtMs).toBe(NOW_MS)
    store.responses.put('b', answer(60, NOW_MS + 1), NOW_MS + 9999)
    expect(kept(store, ['a', 'b'])).toEqual(['b'])
    store.close()
  })

  test('leave room again once they are swept', () => {
    const store = openSqlite(':memory:', { rowsMax: 2, bytesMax: 1000 })
    store.responses.put('a', answer(1, NOW_MS), NOW_MS + 10)
    store.responses.put('b', answer(1, NOW_MS + 1), NOW_MS + 9999)
    expect(store.sweep(NOW_MS + 10, 10)).toBe(1)
    store.responses.put('c', answer(1, NOW_MS + 2), NOW_MS + 9999)
    expect(kept(store, ['a', 'b', 'c'])).toEqual(['b', 'c'])
    store.close()
  })
})

test('the version of SQLite is known without a store', () => {
  expect(sqliteVersion()).toMatch(/^3\.\d+\.\d+$/)
})
