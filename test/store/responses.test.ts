import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '../../src/store/sqlite.ts'

const NOW_MS = 1_700_000_000_000
/** As many answers as anybody keeps here, each written without waiting for others. */
const AT_ONCE = { rowsMax: 1000, bytesMax: 1_000_000, batchMs: 0 }
const ROOT = mkdtempSync(join(tmpdir(), 'prepd-responses-'))
let directories = 0

/** The path of a store in a directory of its own, not made yet. */
function newPath(): string {
  directories += 1
  return join(ROOT, `data-${directories}`, 'prepd.sqlite')
}

afterAll(() => rmSync(ROOT, { recursive: true }))

describe('the answers in the store', () => {
  const answer = (size: number, fetchedAtMs: number) => ({
    bytes: new Uint8Array(size),
    fetchedAtMs,
  })
  const kept = (store: ReturnType<typeof openSqlite>, keys: readonly string[]) =>
    Array.fromAsync(keys, async (key) => ((await store.responses.get(key)) ? [key] : [])).then(
      (found) => found.flat(),
    )

  test('give way by age when there are too many', async () => {
    const store = openSqlite(':memory:', NOW_MS, { rowsMax: 2, bytesMax: 1000, batchMs: 0 })
    await store.responses.put('new', answer(1, NOW_MS + 2), NOW_MS + 9999)
    await store.responses.put('old', answer(1, NOW_MS + 1), NOW_MS + 9999)
    await store.responses.put('newest', answer(1, NOW_MS + 3), NOW_MS + 9999)
    expect(await kept(store, ['old', 'new', 'newest'])).toEqual(['new', 'newest'])
    store.close()
  })

  test('give way by age when they are too large, also after a restart', async () => {
    const path = newPath()
    const bounds = { rowsMax: 100, bytesMax: 1000, batchMs: 0 }
    const before = openSqlite(path, NOW_MS, bounds)
    await before.responses.put('a', answer(600, NOW_MS), NOW_MS + 9999)
    await before.responses.put('a', answer(400, NOW_MS + 1), NOW_MS + 9999)
    await before.responses.put('b', answer(600, NOW_MS + 2), NOW_MS + 9999)
    expect(await kept(before, ['a', 'b'])).toEqual(['a', 'b'])
    before.close()

    const after = openSqlite(path, NOW_MS, bounds)
    await after.responses.put('c', answer(1, NOW_MS + 3), NOW_MS + 9999)
    expect(await kept(after, ['a', 'b', 'c'])).toEqual(['b', 'c'])
    after.close()
  })

  test('are not emptied for one larger than everything', async () => {
    const store = openSqlite(':memory:', NOW_MS, { rowsMax: 10, bytesMax: 100, batchMs: 0 })
    await store.responses.put('a', answer(60, NOW_MS), NOW_MS + 9999)
    await store.responses.put('huge', answer(101, NOW_MS + 1), NOW_MS + 9999)
    expect(await kept(store, ['a', 'huge'])).toEqual(['a'])
    store.close()
  })

  test('are as they were after one that could not be written, and so is the room they take', async () => {
    const store = openSqlite(':memory:', NOW_MS, { rowsMax: 10, bytesMax: 100, batchMs: 0 })
    await store.responses.put('a', answer(60, NOW_MS), NOW_MS + 9999)
    await expect(store.responses.put('a', answer(60, 0.5), NOW_MS + 9999)).rejects.toThrow()
    expect((await store.responses.get('a'))?.fetchedAtMs).toBe(NOW_MS)
    await store.responses.put('b', answer(60, NOW_MS + 1), NOW_MS + 9999)
    expect(await kept(store, ['a', 'b'])).toEqual(['b'])
    store.close()
  })

  test('that wait for others are read and listed already, and are written together', async () => {
    const path = newPath()
    const store = openSqlite(path, NOW_MS, { ...AT_ONCE, batchMs: 3_600_000 })
    const puts = ['a', 'b', 'a'].map((key, at) =>
      store.responses.put(key, answer(10 + at, NOW_MS + at), NOW_MS + 9999),
    )
    expect((await store.responses.get('a'))?.bytes.byteLength).toBe(12)
    const reader = new Database(path, { readonly: true })
    const rows = () => reader.query('SELECT key FROM responses ORDER BY key').values().flat()
    expect(rows()).toEqual([])
    expect((await store.responses.list('', 10)).count).toBe(2)
    await Promise.all(puts)
    expect(rows()).toEqual(['a', 'b'])
    void store.responses.put('c', answer(1, NOW_MS), NOW_MS + 9999)
    await store.responses.clear()
    expect(await kept(store, ['a', 'b', 'c'])).toEqual([])
    void store.responses.put('d', answer(1, NOW_MS), NOW_MS + 9999)
    reader.close()
    store.close()
    const next = openSqlite(path, NOW_MS, AT_ONCE)
    expect(await kept(next, ['a', 'b', 'c', 'd'])).toEqual(['d'])
    next.close()
  })

  test('are written without waiting longer once there are many, or large ones', async () => {
    const bounds = { rowsMax: 1000, bytesMax: 2 * 1024 * 1024, batchMs: 3_600_000 }
    const store = openSqlite(':memory:', NOW_MS, bounds)
    const puts = Array.from({ length: 256 }, (_, at) =>
      store.responses.put(`k${at}`, answer(1, NOW_MS), NOW_MS + 9999),
    )
    await Promise.all(puts)
    expect((await store.responses.list('', 1000)).count).toBe(256)
    await store.responses.put('large', answer(1024 * 1024, NOW_MS + 1), NOW_MS + 9999)
    expect((await store.responses.get('large'))?.fetchedAtMs).toBe(NOW_MS + 1)
    store.close()
  })

  test('that come after the store was closed are not kept, and fail nobody', async () => {
    const store = openSqlite(newPath(), NOW_MS, AT_ONCE)
    await store.responses.put('a', answer(1, NOW_MS), NOW_MS + 9999)
    store.close()
    await store.responses.put('late', answer(1, NOW_MS + 1), NOW_MS + 9999)
  })

  test('leave room again once they are swept', async () => {
    const store = openSqlite(':memory:', NOW_MS, { rowsMax: 2, bytesMax: 1000, batchMs: 0 })
    await store.responses.put('a', answer(1, NOW_MS), NOW_MS + 10)
    await store.responses.put('b', answer(1, NOW_MS + 1), NOW_MS + 9999)
    expect(await store.sweep(NOW_MS + 10, 10)).toBe(1)
    await store.responses.put('c', answer(1, NOW_MS + 2), NOW_MS + 9999)
    expect(await kept(store, ['a', 'b', 'c'])).toEqual(['b', 'c'])
    store.close()
  })
})
