import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { KNOWN_VERSION, migrateTo } from '../../src/store/connection/migrations.ts'
import { openStoreFile } from '../../src/store/file.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { openVoucherStore } from '../../src/store/voucher/sqlite.ts'
import { openTarget } from '../target.ts'

const FOLDER = mkdtempSync(join(tmpdir(), 'prepd-upgrade-'))
afterAll(() => rmSync(FOLDER, { recursive: true }))

/** A store as a version wrote it, with one proof. */
function fileOf(version: number): string {
  const path = join(FOLDER, crypto.randomUUID(), 'prepd.sqlite')
  mkdirSync(dirname(path), { mode: 0o700 })
  using database = new Database(path, { create: true })
  migrateTo(database, version)
  database.run("INSERT INTO proofs VALUES ('0xa', 'key', 1)")
  return path
}

function versionOf(path: string): unknown {
  using database = new Database(path)
  return Object(database.query('PRAGMA user_version').get()).user_version
}

const EARLIER = Array.from({ length: KNOWN_VERSION - 1 }, (_, at) => at + 1)

describe.each(EARLIER)('a store of version %i', (version) => {
  test('is copied as it was before it is brought over', async () => {
    const path = fileOf(version)
    const upgrades: unknown[] = []
    openSqlite(path, 0, undefined, { onUpgrade: (upgrade) => upgrades.push(upgrade) }).close()
    const backup = `${path}.version-${version}`
    expect(upgrades).toMatchObject([{ from: version, to: KNOWN_VERSION, backup }])
    expect(Object(upgrades[0]).changes).toHaveLength(KNOWN_VERSION - version)
    expect(versionOf(backup)).toBe(version)
    expect(statSync(backup).mode & 0o777).toBe(0o600)
    expect(await openStoreFile(backup).look()).toMatchObject({ damage: null, difference: null })
    using copy = new Database(backup, { readonly: true })
    expect(copy.query('SELECT count(*) AS count FROM proofs').get()).toEqual({ count: 1 })
    openSqlite(path, 0, undefined, { onUpgrade: (upgrade) => upgrades.push(upgrade) }).close()
    expect(upgrades).toHaveLength(1)
  })
})

test('what orders have used of their limits stays used', () => {
  const path = fileOf(12)
  {
    using database = new Database(path)
    for (const symbol of ['PERP_BTC_USDC', 'PERP_ETH_USDC'])
      database.run("INSERT INTO spending VALUES ('a', 5, 'write', ?, 700, 1, NULL)", [symbol])
  }
  openSqlite(path, 0).close()
  using database = new Database(path)
  expect(database.query('SELECT * FROM spending').all()).toMatchObject([
    { ordinal: 0, symbol: 'PERP_BTC_USDC', micros: 700, orders: 1, order_id: null },
    { ordinal: 1, symbol: 'PERP_ETH_USDC', micros: 700, orders: 1, order_id: null },
  ])
})

test('whoever brings it over makes the copy, and a second one takes the place of the first', () => {
  const path = fileOf(2)
  writeFileSync(`${path}.version-2`, 'an earlier copy')
  writeFileSync(`${path}.version-2.new`, 'of a start that broke off')
  openVoucherStore(path).close()
  expect(versionOf(`${path}.version-2`)).toBe(2)
  expect(existsSync(`${path}.version-2.new`)).toBe(false)
})

test('where no copy can be made, the store is left as it was', () => {
  const path = fileOf(6)
  mkdirSync(`${path}.version-6.new`)
  expect(() => openSqlite(path, 0)).toThrow(`${path} cannot be used`)
  expect(versionOf(path)).toBe(6)
})

test('a new store has no copy', () => {
  const path = join(FOLDER, 'new', 'prepd.sqlite')
  openSqlite(path, 0).close()
  expect(readdirSync(dirname(path)).filter((name) => name.includes('version'))).toEqual([])
})

test('a start says in one line what changed, and where the copy is', async () => {
  const path = fileOf(5)
  const target = await openTarget('in process', { DATA_DIR: dirname(path) })
  await target.stop()
  const lines = target
    .log()
    .split('\n')
    .filter((line) => line.includes('store_upgraded'))
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      ...{ level: 'warn', event: 'store_upgraded', from: 5, to: KNOWN_VERSION },
      changes:
        'controls and audit, claims in the order they were made, records of claims, standby cancels, mandates, spending, journal of agents, approvals, spending of orders, webhooks of accounts, traffic, sums of spending, approvals of accounts, signatures of mandates, owners of claims, beginning of a store, encrypted webhook secrets, shares of the journal, askers of approvals',
      backup: `${path}.version-5`,
    },
  ])
})
