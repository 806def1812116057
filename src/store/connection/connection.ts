import { Database } from 'bun:sqlite'
import { expected } from '../../core/loop/guarded.ts'
import { makeFile, sync } from './new-file.ts'
import { type Upgrade, upgrade } from './upgrade.ts'

/** How long a connection waits for another writer, and whether a commit is on the disk or with the kernel. */
export type Durability = {
  readonly busyTimeoutMs: number
  readonly synchronous: 'OFF' | 'NORMAL' | 'FULL'
}

/**
 * A connection to a store's file, its tables brought up to date; or to memory for ':memory:'. The log that all
 * connections share keeps each commit's own promise. A file of an earlier version is copied before. Throws
 * StoreNewerError.
 */
export function openConnection(
  path: string,
  durability: Durability,
  onUpgrade: (upgrade: Upgrade) => void = () => undefined,
): Database {
  if (path !== ':memory:') makeFile(path)
  // A commit that is on the disk is nothing without the file whose log it is in.
  if (path !== ':memory:' && durability.synchronous === 'FULL') sync(path)
  const database = new Database(path, { create: true, readwrite: true, strict: true })
  try {
    database.run(`PRAGMA busy_timeout = ${durability.busyTimeoutMs}`)
    database.run('PRAGMA journal_mode = WAL')
    database.run(`PRAGMA synchronous = ${durability.synchronous}`)
    database.run('PRAGMA journal_size_limit = 16777216')
    // Bytes of deleted and replaced rows, such as secrets, are overwritten in pages that are written anyway.
    database.run('PRAGMA secure_delete = FAST')
    const upgraded = upgrade(database, path)
    if (upgraded) onUpgrade(upgraded)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Closes a connection, and puts its log into the file; a disk without room keeps the log, which the next start reads. */
export function closeDatabase(database: Database): void {
  try {
    database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    expected('store', error, Error)
  }
  database.close()
}

/**
 * The vouchers' own connection to a store's file. FULL: what is written must be on the disk, not only with the
 * kernel, before a key signs it. It waits longer for a writer than the hot path may, since it writes a few rows a
 * minute. Throws StoreNewerError.
 */
export function openVoucherDatabase(path: string): Database {
  return openConnection(path, { busyTimeoutMs: 2000, synchronous: 'FULL' })
}
