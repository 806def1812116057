import { Database } from 'bun:sqlite'
import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { migrate, versionOf } from './migrations.ts'

/** How long a connection waits for another writer, and whether a commit is on the disk or with the kernel. */
export type Durability = {
  readonly busyTimeoutMs: number
  readonly synchronous: 'NORMAL' | 'FULL'
}

/**
 * A connection to a store's file, its tables brought up to date; or to memory for ':memory:'. The log that all
 * connections share keeps each commit's own promise. Throws StoreNewerError.
 */
export function openConnection(path: string, durability: Durability): Database {
  if (path !== ':memory:') makeFile(path)
  const database = new Database(path, { create: true, readwrite: true, strict: true })
  try {
    database.run(`PRAGMA busy_timeout = ${durability.busyTimeoutMs}`)
    database.run('PRAGMA journal_size_limit = 16777216')
    prepare(database, path)
    database.run(`PRAGMA synchronous = ${durability.synchronous}`)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Gives the file its log and its tables. Nothing in a new one is a promise yet, so the disk is waited for once, at the
 * end: that it has a log is then on the disk, and all else is in the log, which the first commit that waits takes along.
 */
function prepare(database: Database, path: string): void {
  const version = versionOf(database)
  if (version === 0) database.run('PRAGMA synchronous = OFF')
  database.run('PRAGMA journal_mode = WAL')
  migrate(database, path, version)
  if (version === 0 && path !== ':memory:') sync(path)
}

function sync(path: string): void {
  const file = openSync(path, 'r+')
  fsyncSync(file)
  closeSync(file)
}

// Made here rather than by SQLite, so that nobody else can read it; its log inherits the mode.
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, 'a', 0o600))
}
