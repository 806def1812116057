import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openConnection } from '../../src/store/connection/connection.ts'
import { migrate } from '../../src/store/connection/migrations.ts'
import { makeFile } from '../../src/store/connection/new-file.ts'

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'prepd-new-file-'))
}

/** Everything that a file says of its tables. */
function shapeOf(database: Database): unknown {
  const tables = database.query('SELECT type, name, tbl_name, sql FROM sqlite_schema').all()
  const rows = database.query('SELECT * FROM commits').all()
  return { tables, rows, version: database.query('PRAGMA user_version').get() }
}

function migrated(): unknown {
  using database = new Database(':memory:')
  migrate(database, ':memory:')
  return shapeOf(database)
}

test('a new file has the tables that the migrations make, is sound, and is written with a log', () => {
  const path = join(newFolder(), 'data', 'prepd.sqlite')
  using database = openConnection(path, { busyTimeoutMs: 1, synchronous: 'NORMAL' })
  expect(shapeOf(database)).toEqual(migrated())
  expect(database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  expect(database.query('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a file that is there is left as it is, and nothing is written aside', () => {
  const folder = newFolder()
  const path = join(folder, 'prepd.sqlite')
  writeFileSync(path, 'something else')
  makeFile(path)
  expect(statSync(path).size).toBe('something else'.length)
  expect(readdirSync(folder)).toEqual(['prepd.sqlite'])
})

test('a new file takes nothing from the log of one that is gone, nor from a start that broke off', () => {
  const folder = newFolder()
  const path = join(folder, 'prepd.sqlite')
  for (const end of ['-wal', '-shm', '-journal', '.new']) writeFileSync(path + end, 'of another')
  makeFile(path)
  expect(readdirSync(folder)).toEqual(['prepd.sqlite'])
  using database = openConnection(path, { busyTimeoutMs: 1, synchronous: 'NORMAL' })
  expect(shapeOf(database)).toEqual(migrated())
})

test('an empty file, which an earlier start left, gets its tables', () => {
  const path = join(newFolder(), 'prepd.sqlite')
  writeFileSync(path, '')
  using database = openConnection(path, { busyTimeoutMs: 1, synchronous: 'NORMAL' })
  expect(shapeOf(database)).toEqual(migrated())
})
