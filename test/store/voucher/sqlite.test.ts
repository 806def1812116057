import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openVoucherDatabase } from '../../../src/store/connection/connection.ts'
import mainSchema from '../../../src/store/schema.sql' with { type: 'text' }
import { openSqlite } from '../../../src/store/sqlite.ts'
import type { VoucherFile, VoucherRow } from '../../../src/store/voucher/port.ts'
import { queuedVouchers } from '../../../src/store/voucher/queue.ts'
import voucherSchema from '../../../src/store/voucher/schema.sql' with { type: 'text' }
import { openVoucherStore } from '../../../src/store/voucher/sqlite.ts'
import { booksContract } from './books-contract.ts'
import { hash, MAX, row } from './rows.ts'

const ROOT = mkdtempSync(join(tmpdir(), 'prepd-vouchers-'))
let files = 0
let path: string
let store: VoucherFile

booksContract('a SQLite file', async () => {
  files += 1
  return queuedVouchers(openVoucherStore(join(ROOT, `books-${files}`, 'prepd.sqlite')))
})

beforeEach(() => {
  files += 1
  path = join(ROOT, `data-${files}`, 'prepd.sqlite')
  store = openVoucherStore(path)
})
afterEach(() => store.close())
afterAll(() => rmSync(ROOT, { recursive: true }))

describe('a row', () => {
  test('comes back as it was written, by its key and by its transaction', () => {
    store.put(row())
    expect(store.byKey(hash('1'))).toEqual(row())
    expect(store.byTransaction(901, hash('2'))).toEqual([row()])
    expect(store.byKey(hash('9'))).toBeNull()
    expect(store.byTransaction(902, hash('2'))).toEqual([])
  })

  test('takes the place of the one with its key, never of another deposit in its place', () => {
    store.put(row())
    const next = row({ generation: 2, digest: hash('5') })
    store.put(next)
    expect(store.list(9)).toEqual([next])
    expect(() => store.put(row({ depositKey: hash('7') }))).toThrow('UNIQUE')
    expect(store.list(9)).toEqual([next])
  })

  test('is sealed only while it has the digest that was signed', () => {
    store.put(row())
    store.putSignature(hash('1'), hash('5'), '0xother', 2000)
    expect(store.byKey(hash('1'))?.signature).toBeNull()
    store.putSignature(hash('1'), hash('4'), '0xsigned', 2000)
    expect(store.byKey(hash('1'))).toEqual(row({ signature: '0xsigned', updatedAtMs: 2000 }))
  })

  test('is held and released, and stays readable', () => {
    store.put(row())
    store.hold(hash('1'), 'facts changed', 2000)
    expect(store.byKey(hash('1'))).toEqual(row({ hold: 'facts changed', updatedAtMs: 2000 }))
    expect(store.count()).toEqual({ rows: 1, held: 1 })
    store.release(hash('1'), false, 3000)
    expect(store.byKey(hash('1'))).toEqual(row({ updatedAtMs: 3000 }))
    store.release(hash('1'), true, 4000)
    expect(store.byKey(hash('1'))).toEqual(row({ released: true, updatedAtMs: 4000 }))
    expect(store.count()).toEqual({ rows: 1, held: 0 })
    store.hold(hash('1'), 'facts changed', 5000)
    expect(store.byKey(hash('1'))).toMatchObject({ hold: 'facts changed', released: false })
  })

  test('outlives the process', () => {
    store.put(row())
    store.close()
    store = openVoucherStore(path)
    expect(store.list(9)).toEqual([row()])
  })
})

test('what can be redeemed is summed exactly, by token and chain, from a second on, but for one deposit', () => {
  const at = (digit: string, part: Partial<VoucherRow>) =>
    store.put(row({ depositKey: hash(digit), txHash: hash(digit), ...part }))
  at('a', { redeemableUntil: 1000, amount: 7n })
  at('b', { redeemableUntil: 1001, amount: MAX })
  at('c', { redeemableUntil: 2000, amount: 1n, validUntil: 1 })
  at('d', { redeemableUntil: 2000, amount: 100n, token: '0xother' })
  at('e', { redeemableUntil: 2000, amount: 100n, destinationChainId: 903 })
  const paid = { destinationChainId: 902, token: '0xpaid' }
  expect(store.redeemableSince(paid, 1001)).toBe(MAX + 1n)
  expect(store.redeemableSince(paid, 1000)).toBe(MAX + 8n)
  expect(store.redeemableSince(paid, 1000, hash('b'))).toBe(8n)
  expect(store.redeemableSince({ ...paid, destinationChainId: 904 }, 0)).toBe(0n)
})

// Slow: the store waits two seconds for another who writes.
test('a row that cannot be kept is store_unavailable, and nothing of it stays', () => {
  const other = new Database(path)
  other.run('BEGIN IMMEDIATE')
  try {
    expect(() => store.atomically(() => store.put(row()))).toThrow(
      expect.objectContaining({ code: 'store_unavailable' }),
    )
  } finally {
    other.run('ROLLBACK')
    other.close()
  }
  expect(store.byKey(hash('1'))).toBeNull()
  store.atomically(() => store.put(row()))
  expect(store.byKey(hash('1'))).not.toBeNull()
})

test('steps that fail leave nothing', () => {
  const steps = () => {
    store.put(row())
    store.record({ atMs: 1, event: 'issued', row: row() })
    throw new Error('half way')
  }
  expect(() => store.atomically(steps)).toThrow('half way')
  expect([store.list(9), store.audit(9)]).toEqual([[], []])
})

describe('the audit', () => {
  test('keeps its lines, whoever would change them', () => {
    store.record({ atMs: 1, event: 'issued', row: row() })
    const database = openVoucherDatabase(path)
    expect(() => database.run('DELETE FROM voucher_audit')).toThrow('only ever added to')
    expect(() => database.run('UPDATE voucher_audit SET at_ms = 2')).toThrow('only ever added to')
    database.close()
    expect(store.audit(9)).toEqual([
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

  test('is the switch of the pause, for every process', () => {
    const other = openVoucherStore(path)
    expect(other.isPaused()).toBe(false)
    store.record({ atMs: 1, event: 'paused' })
    store.record({ atMs: 2, event: 'issued', row: row() })
    expect([store.isPaused(), other.isPaused()]).toEqual([true, true])
    other.record({ atMs: 3, event: 'resumed' })
    expect([store.isPaused(), other.isPaused()]).toEqual([false, false])
    expect(store.audit(9).map(({ event }) => event)).toEqual(['resumed', 'issued', 'paused'])
    expect(store.audit(9, hash('1'))).toHaveLength(1)
    expect(store.audit(1)).toHaveLength(1)
    other.close()
  })
})

test('a store is adopted by what it issued, or by the operator, and by nothing else', () => {
  for (const event of ['paused', 'resumed', 'held', 'released'] as const)
    store.record({ atMs: 1, event })
  expect(store.isAdopted()).toBe(false)
  const other = openVoucherStore(join(ROOT, 'other', 'prepd.sqlite'))
  other.record({ atMs: 1, event: 'issued', row: row() })
  store.record({ atMs: 1, event: 'adopted' })
  expect([store.isAdopted(), other.isAdopted()]).toEqual([true, true])
  other.close()
})

test('the rows of an earlier prepd go on: held if they were frozen, redeemable until they surely are not', () => {
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
  expect(moved.byKey('a')).toMatchObject({ redeemableUntil: 2000, payableUntil: null, hold: null })
  expect(moved.byKey('b')).toMatchObject({ redeemableUntil: 605_800, hold: 'facts changed' })
  expect(moved.isAdopted()).toBe(true)
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
    store.put(row())
    const main = openSqlite(path, 0)
    await main.nonces.issue('n', 5)
    store.put(row({ generation: 2 }))
    main.close()
    expect(store.byKey(hash('1'))?.generation).toBe(2)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
  })
})
