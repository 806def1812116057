import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openVoucherDatabase } from '../../../src/store/connection/connection.ts'
import { storeErrorCode } from '../../../src/store/connection/errors.ts'
import mainSchema from '../../../src/store/schema.sql' with { type: 'text' }
import { openSqlite } from '../../../src/store/sqlite.ts'
import type { VoucherStore } from '../../../src/store/voucher/port.ts'
import voucherSchema from '../../../src/store/voucher/schema.sql' with { type: 'text' }
import { openVoucherStore } from '../../../src/store/voucher/sqlite.ts'
import { booksContract } from './books-contract.ts'
import { hash, row } from './rows.ts'

const ROOT = mkdtempSync(join(tmpdir(), 'prepd-vouchers-'))
let files = 0
let path: string
let store: VoucherStore

booksContract('a SQLite file', async () => {
  files += 1
  return openVoucherStore(join(ROOT, `books-${files}`, 'prepd.sqlite'))
})

beforeEach(() => {
  files += 1
  path = join(ROOT, `data-${files}`, 'prepd.sqlite')
  store = openVoucherStore(path)
})
afterEach(() => store.close())
afterAll(() => rmSync(ROOT, { recursive: true }))

test('a row outlives the process', async () => {
  await store.put(row())
  store.close()
  store = openVoucherStore(path)
  expect(await store.list(9)).toEqual([row()])
})

// Slow: the store waits two seconds for another who writes.
test('a row that cannot be kept is store_unavailable, and nothing of it stays', async () => {
  const put = () => store.atomically((books) => books.put(row()))
  const other = new Database(path)
  other.run('BEGIN IMMEDIATE')
  try {
    await expect(put()).rejects.toThrow(expect.objectContaining({ code: 'store_unavailable' }))
  } finally {
    other.run('ROLLBACK')
    other.close()
  }
  expect(await store.byKey(hash('1'))).toBeNull()
  await put()
  expect(await store.byKey(hash('1'))).not.toBeNull()
})

// SQLite ends the whole transaction itself where the disk is full; here a trigger does.
test.each(['ABORT', 'ROLLBACK'])(
  'a row refused amid a transaction (%s) is store_unavailable and undoes all of it',
  async (act) => {
    const other = openVoucherDatabase(path)
    other.run(
      `CREATE TRIGGER refused BEFORE INSERT ON vouchers WHEN new.token = '0xrefused'
     BEGIN SELECT RAISE(${act}, 'refused'); END`,
    )
    other.close()
    const issue = (token: string) =>
      store.atomically(async (books) => {
        await books.record({ atMs: 1, event: 'issued', row: row() })
        await books.put(row({ token }))
      })
    const refused = await issue('0xrefused').catch((error) => error)
    expect(refused).toMatchObject({ code: 'store_unavailable' })
    expect(storeErrorCode(refused)).toBe('SQLITE_CONSTRAINT_TRIGGER')
    expect([await store.audit(9), await store.list(9)]).toEqual([[], []])
    await issue('0xtoken')
    expect([await store.audit(9), await store.list(9)].map(({ length }) => length)).toEqual([1, 1])
  },
)

describe('the audit', () => {
  test('keeps its lines, whoever would change them', async () => {
    await store.record({ atMs: 1, event: 'issued', row: row() })
    const database = openVoucherDatabase(path)
    expect(() => database.run('DELETE FROM voucher_audit')).toThrow('only ever added to')
    expect(() => database.run('UPDATE voucher_audit SET at_ms = 2')).toThrow('only ever added to')
    database.close()
    expect(await store.audit(9)).toEqual([
      {
        id: 1,
        atMs: 1,
        event: 'issued',
        depositKey: hash('1'),
        generation: 1,
        digest: hash('4'),
        signer: '0xsigner',
      },
    ])
  })

  test('is the switch of the pause, for every process', async () => {
    const other = openVoucherStore(path)
    expect(await other.isPaused()).toBe(false)
    await store.record({ atMs: 1, event: 'paused' })
    await store.record({ atMs: 2, event: 'issued', row: row() })
    expect([await store.isPaused(), await other.isPaused()]).toEqual([true, true])
    await other.record({ atMs: 3, event: 'resumed' })
    expect([await store.isPaused(), await other.isPaused()]).toEqual([false, false])
    expect((await store.audit(9)).map(({ event }) => event)).toEqual([
      'resumed',
      'issued',
      'paused',
    ])
    expect(await store.audit(9, hash('1'))).toHaveLength(1)
    expect(await store.audit(1)).toHaveLength(1)
    other.close()
  })
})

test('a store is adopted by what it issued, or by the operator, and by nothing else', async () => {
  for (const event of ['paused', 'resumed', 'held', 'released'] as const)
    await store.record({ atMs: 1, event })
  expect(await store.isAdopted()).toBe(false)
  const other = openVoucherStore(join(ROOT, 'other', 'prepd.sqlite'))
  await other.record({ atMs: 1, event: 'issued', row: row() })
  await store.record({ atMs: 1, event: 'adopted' })
  expect([await store.isAdopted(), await other.isAdopted()]).toEqual([true, true])
  other.close()
})

test('the rows of an earlier prepd go on: held if they were frozen, redeemable until they surely are not', async () => {
  const old = join(ROOT, 'old.sqlite')
  const database = new Database(old, { create: true })
  for (const statements of [mainSchema, voucherSchema]) database.run(statements)
  database.run('PRAGMA user_version = 3')
  const columns = 'deposit_key, tx_hash, generation, valid_until, updated_at, frozen'
  const others = `source_chain_id, source_vault, deposit_id, log_index, tx_deposits, block_number, block_hash, depositor,
    source_token, source_amount, recipient, destination_chain_id, redeemer, token, amount, digest, signer, created_at`
  for (const values of [`'a', 'a', 1, 2000, 1000000, 0`, `'b', 'b', 2, 2000, 1000000, 1`]) {
    database.run(
      `INSERT INTO vouchers (${columns}, ${others}) VALUES (${values},
       901, 'v', '1', 0, 1, '5', 'h', 'd', 's', '9', 'r', 902, 'c', 't', '9', 'g', 'k', 1)`,
    )
  }
  database.run(`INSERT INTO voucher_audit (at_ms, event) VALUES (1, 'issued')`)
  database.close()
  const moved = openVoucherStore(old)
  expect(await moved.byKey('a')).toMatchObject({
    redeemableUntil: 2000,
    payableUntil: null,
    hold: null,
  })
  expect(await moved.byKey('b')).toMatchObject({ redeemableUntil: 605_800, hold: 'facts changed' })
  expect(await moved.isAdopted()).toBe(true)
  moved.close()
})

describe('the file', () => {
  test('is written through to the disk with every commit', () => {
    const database = openVoucherDatabase(path)
    const pragma = (name: string) => database.query(`PRAGMA ${name}`).get()
    expect(pragma('synchronous')).toEqual({ synchronous: 2 })
    expect(pragma('journal_mode')).toEqual({ journal_mode: 'wal' })
    database.close()
  })

  test('is the store’s own, which may be open meanwhile', async () => {
    await store.put(row())
    const main = openSqlite(path, 0)
    await main.nonces.issue('n', 5)
    await store.put(row({ generation: 2 }))
    main.close()
    expect((await store.byKey(hash('1')))?.generation).toBe(2)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
  })
})
