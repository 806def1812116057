import { Database } from 'bun:sqlite'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { migrate } from '../migrations.ts'

/**
 * FULL, unlike the rest of the file: what is written must be on the disk, not only with the kernel, before a key signs
 * it. The connection is therefore its own; the log it shares keeps each commit's own promise. It waits longer for a
 * writer than the hot path may, since it writes a few rows a minute.
 */
const PRAGMAS = [
  'PRAGMA busy_timeout = 2000',
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
]

/** The vouchers' own connection to a store's file. Throws StoreNewerError. */
export function openVoucherDatabase(path: string): Database {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    closeSync(openSync(path, 'a', 0o600))
  }
  const database = new Database(path, { create: true, readwrite: true, strict: true })
  try {
    for (const pragma of PRAGMAS) database.run(pragma)
    migrate(database, path)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
