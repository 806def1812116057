import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLogSync } from '../../src/store/connection/log-sync.ts'
import { sqliteVersion } from '../../src/store/connection/version.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { OF_AGENTS } from './agent-contracts.ts'
import { claimOf, storeContract } from './contract.ts'
import { keptContract } from './kept-contract.ts'
import { standbyContract } from './standby-contract.ts'
import { trafficContract } from './traffic-contract.ts'
import { eventOf, NOW_MS as START_MS, webhookOf } from './webhook-contract.ts'

const NOW_MS = 1_700_000_000_000
const ROOT = mkdtempSync(join(tmpdir(), 'prepd-store-'))
const SOURCE = new URL('../../src/store/sqlite.ts', import.meta.url).pathname
/** As many answers as anybody keeps here, each written without waiting for others. */
const AT_ONCE = { rowsMax: 1000, bytesMax: 1_000_000, batchMs: 0 }
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
    const store = openSqlite(${JSON.stringify(path)}, ${NOW_MS})
    ${script}
    console.log('done')
    setInterval(() => {}, 60_000)`
  const child = Bun.spawn([process.execPath, '-e', code], { stdout: 'pipe', stderr: 'pipe' })
  const { value } = await child.stdout.getReader().read()
  if (!value) throw new Error(await new Response(child.stderr).text())
  return child
}

afterAll(() => rmSync(ROOT, { recursive: true }))

const IN_POOL = { openLog: (path: string) => openLogSync(path, () => performance.now()) }

storeContract('SQLite file', () => openSqlite(newPath(), NOW_MS, AT_ONCE, IN_POOL))
storeContract('SQLite file, synced by each commit', () => openSqlite(newPath(), NOW_MS, AT_ONCE))
for (const contract of [keptContract, standbyContract, trafficContract, ...OF_AGENTS])
  contract('a SQLite file', () => openSqlite(newPath(), Date.now(), AT_ONCE, IN_POOL))
storeContract('in-memory SQLite', () => openSqlite(':memory:', NOW_MS, AT_ONCE))

const LOCKED = expect.objectContaining({ name: 'StoreLockedError' })
const NEWER = expect.objectContaining({ name: 'StoreNewerError' })

describe('a SQLite file', () => {
  test('keeps everything for the next process, in a directory for its owner alone', async () => {
    const path = newPath()
    const store = openSqlite(path, NOW_MS)
    await store.nonces.issue('n', NOW_MS + 1000)
    await store.once.claim(claimOf('c', NOW_MS + 1000), NOW_MS)
    await store.proofs.add('acc', 'key', NOW_MS)
    store.close()
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
    expect(statSync(path).mode & 0o777).toBe(0o600)

    const again = openSqlite(path, NOW_MS)
    expect(await again.nonces.burn('n', NOW_MS)).toBe(true)
    expect(await again.once.claim(claimOf('c', NOW_MS + 1000), NOW_MS)).toBe(false)
    expect(await again.proofs.has('acc', 'key')).toBe(true)
    again.close()
  })

  test('leaves no log behind when it is closed', async () => {
    const path = newPath()
    const store = openSqlite(path, NOW_MS)
    await store.once.claim(claimOf('c', NOW_MS + 1000), NOW_MS)
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
    store.close()
    expect(existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0).toBe(false)
  })

  test('answers what is taken of it while it is closed, and is not read afterwards', async () => {
    const store = openSqlite(newPath(), NOW_MS)
    await store.webhooks.add(webhookOf(), 1)
    await store.webhooks.publish(eventOf())
    const taking = store.webhooks.take(START_MS, START_MS + 1, 10)
    store.close()
    expect(await taking).toMatchObject([{ webhook: { id: 'w1' }, key: 'fill 1', body: '{}' }])
  })

  test('ends a check that is under way as it is closed, and refuses all that comes later', async () => {
    const store = openSqlite(newPath(), NOW_MS)
    const checking = store.check()
    store.close()
    expect(await checking).not.toBeNull()
    expect(await store.check()).not.toBeNull()
    const refused = await store.webhooks.list('acc').catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'store_unavailable' })
  })

  test('is refused when a newer prepd wrote it, and is not touched', () => {
    const path = newPath()
    openSqlite(path, NOW_MS).close()
    const newer = 99
    const database = new Database(path)
    database.run(`PRAGMA user_version = ${newer}`)
    database.close()

    expect(() => openSqlite(path, NOW_MS)).toThrow(NEWER)
    expect(() => openSqlite(path, NOW_MS)).toThrow(`store version ${newer}`)
    const after = new Database(path)
    expect(after.query('PRAGMA user_version').get()).toEqual({ user_version: newer })
    after.close()
  })

  test('takes only text and numbers where it says so', () => {
    const path = newPath()
    openSqlite(path, NOW_MS).close()
    const database = new Database(path)
    const tables = database.query<{ name: string; strict: number }, []>('PRAGMA table_list').all()
    const own = tables.filter(({ name }) => !name.startsWith('sqlite_'))
    expect(own.length).toBeGreaterThan(5)
    expect(own.filter(({ strict }) => strict !== 1)).toEqual([])
    database.close()
  })
})

describe('one process per directory', () => {
  test('a second store in the same directory is refused by name, and works once the first is closed', async () => {
    const path = newPath()
    const first = openSqlite(path, NOW_MS)
    expect(() => openSqlite(path, NOW_MS)).toThrow(LOCKED)
    expect(() => openSqlite(path, NOW_MS)).toThrow(join(path, '..'))
    expect(await first.once.claim(claimOf('still mine', NOW_MS + 1000), NOW_MS)).toBe(true)
    first.close()
    openSqlite(path, NOW_MS).close()
  })

  test('another process keeps its directory until it dies, however it dies; what it claimed stays claimed', async () => {
    const path = newPath()
    const claims = `for (const identity of ['a', 'b']) {
      await store.once.claim({ identity, sinceMs: ${NOW_MS}, expiresAtMs: ${NOW_MS + 1000} }, ${NOW_MS})
    }`
    const child = await otherProcess(path, claims)
    try {
      expect(() => openSqlite(path, NOW_MS)).toThrow(LOCKED)
    } finally {
      child.kill('SIGKILL')
      await child.exited
    }
    const store = openSqlite(path, NOW_MS)
    expect(await store.once.claim(claimOf('a', NOW_MS + 1000), NOW_MS)).toBe(false)
    expect(await store.once.claim(claimOf('b', NOW_MS + 1000), NOW_MS)).toBe(false)
    expect(await store.once.claim(claimOf('c', NOW_MS + 1000), NOW_MS)).toBe(true)
    store.close()
  })

  test('a directory stays taken when nothing refers to its store any more', async () => {
    const path = newPath()
    const { once } = openSqlite(path, NOW_MS)
    Bun.gc(true)
    Bun.gc(true)
    expect(() => openSqlite(path, NOW_MS)).toThrow(LOCKED)
    expect(await once.claim(claimOf('a', NOW_MS + 1000), NOW_MS)).toBe(true)
  })

  test('a file that cannot be opened does not keep its directory locked', () => {
    const path = newPath()
    openSqlite(path, NOW_MS).close()
    rmSync(path)
    const database = new Database(path, { create: true })
    database.run('PRAGMA user_version = 99')
    database.close()
    expect(() => openSqlite(path, NOW_MS)).toThrow(NEWER)
    rmSync(path)
    openSqlite(path, NOW_MS).close()
  })

  test('readers may look while it is in use', async () => {
    const path = newPath()
    const store = openSqlite(path, NOW_MS)
    await store.proofs.add('acc', 'key', NOW_MS)
    const reader = new Database(path, { readonly: true })
    expect(reader.query('SELECT account_id FROM proofs').all()).toEqual([{ account_id: 'acc' }])
    await store.proofs.remove('acc', 'key')
    reader.close()
    store.close()
  })
})

test('the version of SQLite is known without a store', () => {
  expect(sqliteVersion()).toMatch(/^3\.\d+\.\d+$/)
})
