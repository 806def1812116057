import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStoreFile } from '../../src/store/file.ts'
import { restoreStore } from '../../src/store/restore.ts'
import { openSqlite } from '../../src/store/sqlite.ts'

const FOLDER = mkdtempSync(join(tmpdir(), 'prepd-restore-'))
afterAll(() => rmSync(FOLDER, { recursive: true }))

let count = 0
function place(): { readonly dataDir: string; readonly store: string; readonly copy: string } {
  count += 1
  const dataDir = join(FOLDER, `data-${count}`)
  return { dataDir, store: join(dataDir, 'prepd.sqlite'), copy: join(FOLDER, `copy-${count}`) }
}

const claim = (identity: string, sinceMs = 1) => ({ identity, sinceMs, expiresAtMs: 1e12 })

function cut(copy: string): void {
  const bytes = new Uint8Array(statSync(copy).size / 2)
  using file = new Database(copy)
  bytes.set(file.serialize().subarray(0, bytes.length))
  writeFileSync(copy, bytes)
}

describe('a restored store', () => {
  test('knows that it may have lost claims: what was signed before, or may have been signed ahead, is not sent again', async () => {
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
    expect(await restored.once.claim(claim('signed since', 305_000), 5001)).toBe(false)
    expect(await restored.once.claim(claim('signed since', 305_001), 5001)).toBe(true)
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

  const changed = (statements: string) => (copy: string) => {
    using database = new Database(copy)
    database.run(statements)
  }
  test.each([
    { of: 'an empty one', change: (copy: string) => writeFileSync(copy, ''), why: 'is empty' },
    {
      of: 'text',
      change: (copy: string) => writeFileSync(copy, 'no database at all, but text'),
      why: 'is damaged: file is not a database',
    },
    { of: 'a part of one', change: (copy: string) => cut(copy), why: 'is damaged: ' },
    { of: 'none', change: (copy: string) => rmSync(copy), why: 'there is no file at ' },
    {
      of: 'a folder',
      change: (copy: string) => {
        rmSync(copy)
        mkdirSync(copy)
      },
      why: 'is not a file',
    },
    {
      of: 'one whose log is beside it',
      change: (copy: string) => writeFileSync(`${copy}-wal`, 'log'),
      why: 'is not whole without',
    },
    {
      of: 'a database without tables',
      change: (copy: string) => {
        rmSync(copy)
        changed('PRAGMA user_version = 0; CREATE TABLE other (id); DROP TABLE other')(copy)
      },
      why: 'is no store of prepd',
    },
    { of: 'a later one', change: changed('PRAGMA user_version = 999'), why: 'newer prepd' },
    {
      of: 'one that says an earlier version',
      change: changed('PRAGMA user_version = 3'),
      why: "is not exactly a store of prepd: table vouchers is not prepd's",
    },
    {
      of: 'one with a trigger that deletes claims',
      change: changed('CREATE TRIGGER t AFTER INSERT ON claims BEGIN DELETE FROM claims; END'),
      why: "trigger t is not prepd's",
    },
    { of: 'one with a view', change: changed('CREATE VIEW v AS SELECT 1'), why: 'view v is not' },
    {
      of: 'one without a trigger',
      change: changed('DROP TRIGGER operator_audit_keeps_rows'),
      why: 'trigger operator_audit_keeps_rows is missing',
    },
    {
      of: 'one whose table has another column',
      change: changed('ALTER TABLE proofs ADD COLUMN more INTEGER'),
      why: "table proofs is not prepd's",
    },
  ])('is not made of $of; the file is named, and nothing is left', async ({ change, why }) => {
    const { store: path, copy } = place()
    openSqlite(path, 0).close()
    await openStoreFile(path).backup(copy)
    change(copy)
    const { dataDir } = place()
    const message = await restoreStore(copy, dataDir, 1).catch((error: Error) => error.message)
    expect(message).toContain(why)
    expect(message).toContain(copy)
    expect(existsSync(dataDir)).toBe(false)
  })

  test('is made of one that ANALYZE was run on, and leaves it as it was', async () => {
    const { store: path, copy } = place()
    openSqlite(path, 0).close()
    await openStoreFile(path).backup(copy)
    changed('ANALYZE')(copy)
    const before = await Bun.file(copy).bytes()
    chmodSync(copy, 0o400)
    const { dataDir, store: other } = place()
    await restoreStore(copy, dataDir, 1)
    expect(await Bun.file(copy).bytes()).toEqual(before)
    expect(statSync(other).mode & 0o777).toBe(0o600)
  })

  test("belongs to the directory's owner alone, whoever restores it", async () => {
    const { store: path, copy } = place()
    openSqlite(path, 0).close()
    await openStoreFile(path).backup(copy)
    const { dataDir } = place()
    mkdirSync(dataDir, { mode: 0o755 })
    // Only root may give a directory away, and only root restores for others.
    if (process.getuid?.() === 0) chownSync(dataDir, 4321, 4322)
    await restoreStore(copy, dataDir, 1)
    const { uid, gid, mode } = statSync(dataDir)
    expect(mode & 0o777).toBe(0o700)
    expect(readdirSync(dataDir).sort()).toEqual(['prepd.lock', 'prepd.mark', 'prepd.sqlite'])
    for (const name of readdirSync(dataDir))
      expect(statSync(join(dataDir, name))).toMatchObject({ uid, gid })
  })

  test('takes nothing from what another store left: its log, or a link in the place of its mark', async () => {
    const { store: path, copy, dataDir: first } = place()
    const store = openSqlite(path, 0)
    await openStoreFile(path).backup(copy)
    await store.once.claim(claim('of the other'), 1)
    const { dataDir, store: other } = place()
    mkdirSync(dataDir)
    copyFileSync(join(first, 'prepd.sqlite-wal'), `${other}-wal`)
    store.close()
    writeFileSync(join(FOLDER, 'passwords'), 'mine')
    symlinkSync(join(FOLDER, 'passwords'), join(dataDir, 'prepd.mark'))
    await restoreStore(copy, dataDir, 1)
    expect(await Bun.file(join(FOLDER, 'passwords')).text()).toBe('mine')
    expect(await openStoreFile(other).look()).toMatchObject({ damage: null, sequence: 0 })
  })

  test('pauses no vouchers where there were none, also when it is restored a second time', async () => {
    const { store: path, copy } = place()
    openSqlite(path, 0).close()
    await openStoreFile(path).backup(copy)
    const first = place()
    expect(await restoreStore(copy, first.dataDir, 1)).toMatchObject({ vouchersPaused: false })
    await openStoreFile(first.store).backup(first.copy)
    const { dataDir } = place()
    expect(await restoreStore(first.copy, dataDir, 2)).toMatchObject({ vouchersPaused: false })
  })

  test('counts its vouchers as lost until the operator adopts them', async () => {
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
    database.run("INSERT INTO voucher_audit (at_ms, event) VALUES (1, 'issued')")
    database.close()
    await openStoreFile(path).backup(copy)
    const { dataDir, store: other } = place()
    expect(await restoreStore(copy, dataDir, 1)).toMatchObject({ vouchersPaused: true })
    const { openVoucherStore } = await import('../../src/store/voucher/sqlite.ts')
    const vouchers = openVoucherStore(other)
    expect([await vouchers.isAdopted(), await vouchers.hasLostSince(1)]).toEqual([false, true])
    await vouchers.record({ atMs: 2, event: 'adopted' })
    expect([await vouchers.isAdopted(), await vouchers.hasLostSince(1)]).toEqual([true, true])
    expect([await vouchers.isPaused(), await vouchers.hasLostSince(2)]).toEqual([false, false])
    vouchers.close()
  })
})
