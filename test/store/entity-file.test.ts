import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openVenueFile, takeOverWorld } from '../../src/store/entity-file.ts'
import { openStoreFile } from '../../src/store/file.ts'
import { restoreStore } from '../../src/store/restore.ts'
import { openSqlite } from '../../src/store/sqlite.ts'

const NOW_MS = 1_700_000_000_000
const ORDER = { kind: 'order', key: '1', json: '{"n":1}' }

const FOLDER = mkdtempSync(join(tmpdir(), 'prepd-venue-file-'))
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

/** A new data directory with a gateway's store, which may hold a world as versions before this one kept it. */
function newDirectory(...world: readonly (typeof ORDER)[]) {
  const dataDir = mkdtempSync(join(FOLDER, 'data-'))
  const store = join(dataDir, 'prepd.sqlite')
  openSqlite(store, NOW_MS).close()
  using database = new Database(store)
  for (const { kind, key, json } of world)
    database.run('INSERT INTO entities (kind, key, json) VALUES (?, ?, ?)', [kind, key, json])
  return { dataDir, store, venue: join(dataDir, 'venue.sqlite') }
}

/** What a file has of a kind. */
function rowsOf(path: string, kind: string) {
  const file = openVenueFile(path)
  try {
    return [...file.load(kind)]
  } finally {
    file.close()
  }
}

/** How many entities the gateway's store holds. */
function entitiesIn(store: string): number {
  using database = new Database(store, { readonly: true })
  return database.query('SELECT key FROM entities').all().length
}

describe("the venue's file", () => {
  test('loads entities by kind, with their last JSON', () => {
    const file = openVenueFile(':memory:')
    file.commit([ORDER, { ...ORDER, key: '2' }, { kind: 'account', key: '1', json: '{}' }])
    file.commit([
      { ...ORDER, json: '{"n":3}' },
      { ...ORDER, key: '2', json: null },
      { ...ORDER, key: 'never there', json: null },
    ])
    expect([...file.load('order')]).toEqual([{ key: '1', json: '{"n":3}' }])
    expect([...file.load('account')]).toEqual([{ key: '1', json: '{}' }])
    expect([...file.load('position')]).toEqual([])
    expect([...file.kinds()].sort()).toEqual(['account', 'order'])
  })

  test('loads more entities than one page, each once', () => {
    const file = openVenueFile(':memory:')
    file.commit(Array.from({ length: 2000 }, (_, n) => ({ kind: 'fill', key: `${n}`, json: '0' })))
    expect([...file.load('fill')]).toHaveLength(2000)
    expect([...file.load('fill', 3)]).toEqual([...file.load('fill')])
  })

  test('puts long texts into the file before its log is long, and all of them are there', () => {
    const path = join(newDirectory().dataDir, 'long.sqlite')
    const file = openVenueFile(path)
    const rows = Array.from({ length: 40 }, (_, at) => ({
      kind: 'long',
      key: String(at).padStart(2, '0'),
      json: `"${at}${'x'.repeat(100_000)}"`,
    }))
    for (const row of rows) file.commit([row])
    expect(statSync(`${path}-wal`).size).toBeLessThan(1_000_000)
    expect(statSync(path).size).toBeGreaterThan(3_000_000)
    expect([...file.load('long', 5)]).toEqual(rows.map(({ key, json }) => ({ key, json })))
    file.close()
    expect(existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0).toBe(false)
  })

  test("is its owner's alone, and keeps what was committed", () => {
    const { venue } = newDirectory()
    const file = openVenueFile(venue)
    file.commit([ORDER])
    file.close()
    expect(statSync(venue).mode & 0o777).toBe(0o600)
    expect(rowsOf(venue, 'order')).toEqual([{ key: '1', json: ORDER.json }])
  })

  test('of a later version is refused, and not touched', () => {
    const { venue } = newDirectory()
    openVenueFile(venue).close()
    using database = new Database(venue)
    database.run('PRAGMA user_version = 99')
    expect(() => openVenueFile(venue)).toThrow('written by a newer prepd')
    expect(database.query('PRAGMA user_version').get()).toEqual({ user_version: 99 })
  })

  test('that is no database is named', () => {
    const { venue } = newDirectory()
    writeFileSync(venue, 'x'.repeat(9000))
    expect(() => openVenueFile(venue)).toThrow(`${venue} cannot be used`)
  })
})

describe("a world in the gateway's store", () => {
  test('is moved to a file of its own, once', () => {
    const { store, venue } = newDirectory(ORDER, { ...ORDER, key: '2' })
    takeOverWorld(store)
    expect(rowsOf(venue, 'order')).toHaveLength(2)
    expect(entitiesIn(store)).toBe(0)
    takeOverWorld(store)
    expect(rowsOf(venue, 'order')).toHaveLength(2)
  })

  test("does not replace the world of the venue's file", () => {
    const { store, venue } = newDirectory(ORDER)
    const file = openVenueFile(venue)
    file.commit([{ ...ORDER, json: '{"n":2}' }])
    file.close()
    takeOverWorld(store)
    expect(rowsOf(venue, 'order')).toEqual([{ key: '1', json: '{"n":2}' }])
    expect(entitiesIn(store)).toBe(0)
  })

  test('that is none makes no file', () => {
    const { store, venue } = newDirectory()
    takeOverWorld(store)
    expect(existsSync(venue)).toBe(false)
  })

  test('is taken over anew where a copy was never finished', () => {
    const { store, venue } = newDirectory(ORDER)
    writeFileSync(`${venue}.new`, 'half of it')
    takeOverWorld(store)
    expect(rowsOf(venue, 'order')).toEqual([{ key: '1', json: ORDER.json }])
    expect(existsSync(`${venue}.new`)).toBe(false)
  })
})

describe('a backup', () => {
  async function backedUp() {
    const from = newDirectory()
    const file = openVenueFile(from.venue)
    file.commit([ORDER])
    const copy = join(from.dataDir, 'copy')
    await openStoreFile(from.store).backup(copy)
    file.close()
    return { ...from, copy }
  }

  test("holds the venue's world, which is at its place after the restore", async () => {
    const { copy, dataDir } = await backedUp()
    expect(existsSync(`${copy}.venue`)).toBe(false)
    const restored = join(dataDir, 'restored')
    await restoreStore(copy, restored, NOW_MS)
    takeOverWorld(join(restored, 'prepd.sqlite'))
    expect(rowsOf(join(restored, 'venue.sqlite'), 'order')).toEqual([
      { key: '1', json: ORDER.json },
    ])
  })

  test("is not restored over another venue's file", async () => {
    const { copy, dataDir } = await backedUp()
    const other = join(dataDir, 'other')
    mkdirSync(other)
    openVenueFile(join(other, 'venue.sqlite')).close()
    await expect(restoreStore(copy, other, NOW_MS)).rejects.toThrow('holds a store already')
  })

  test('leaves nothing where the venue has a damaged file', async () => {
    const { store, venue, dataDir } = newDirectory()
    writeFileSync(venue, 'x'.repeat(9000))
    const copy = join(dataDir, 'copy')
    await expect(openStoreFile(store).backup(copy)).rejects.toThrow(venue)
    expect([existsSync(copy), existsSync(`${copy}.venue`)]).toEqual([false, false])
    await expect(openStoreFile(store).look()).rejects.toThrow(venue)
  })
})
