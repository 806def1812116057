import { Database } from 'bun:sqlite'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import { makeFile } from './new-file.ts'
import { type Upgrade, upgrade } from './upgrade.ts'

/**
 * `busyTimeoutMs` is a connection's maximum wait for a concurrent writer. With `FULL` a commit reaches the disk, else
 * only the kernel.
 */
export type Durability = {
  readonly busyTimeoutMs: number
  readonly synchronous: 'OFF' | 'NORMAL' | 'FULL'
}

/**
 * A connection to a store's file with migrated tables, or to memory for ':memory:'. All connections share the
 * write-ahead log; each has its own `durability`. A file of an earlier version is copied first. Throws StoreNewerError.
 */
export function openConnection(
  path: string,
  durability: Durability,
  onUpgrade: (upgrade: Upgrade) => void = () => undefined,
): Database {
  if (path !== ':memory:') makeFile(path)
  const database = new Database(path, { create: true, readwrite: true, strict: true })
  try {
    database.run(`PRAGMA busy_timeout = ${durability.busyTimeoutMs}`)
    database.run('PRAGMA journal_mode = WAL')
    database.run(`PRAGMA synchronous = ${durability.synchronous}`)
    database.run('PRAGMA journal_size_limit = 16777216')
    // FAST overwrites deleted content, such as secrets, in pages that are written anyway.
    database.run('PRAGMA secure_delete = FAST')
    const upgraded = upgrade(database, path)
    if (upgraded) onUpgrade(upgraded)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Closes a connection and checkpoints its log. On a full disk the log remains, and the next start reads it. */
export function closeDatabase(database: Database): void {
  try {
    database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    reportUnexpected('store', error, Error)
  }
  database.close()
}

/**
 * The vouchers' own connection to a store's file. FULL: a row must be on disk, not only in the kernel, before a key
 * signs it. The connection waits longer for a writer than the hot path does, since it writes only a few rows per
 * minute. Throws StoreNewerError.
 */
export function openVoucherDatabase(path: string): Database {
  return openConnection(path, { busyTimeoutMs: 2000, synchronous: 'FULL' })
}
