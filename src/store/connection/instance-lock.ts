import { Database, SQLiteError } from 'bun:sqlite'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'

/** The file whose lock locks the directory. */
export const LOCK_NAME = 'prepd.lock'

/** A different process serves from this directory. */
export class StoreLockedError extends Error {
  override readonly name = 'StoreLockedError'
  readonly directory: string
  constructor(directory: string, options?: ErrorOptions) {
    super(`another prepd is using ${directory}; one process per data directory`, options)
    this.directory = directory
  }
}

// The garbage collector would close an unreferenced connection, which releases the connection's lock.
const held = new Set<Database>()

/**
 * Locks a directory for this process. Returns the function that unlocks it. Readers (backup, inspection) can still open
 * the store. Throws StoreLockedError.
 */
export function lockDirectory(directory: string): () => void {
  const unlock = lockFile(join(directory, LOCK_NAME))
  if (!unlock) throw new StoreLockedError(directory)
  return unlock
}

/**
 * Creates and locks a file for this process. Returns the function that unlocks it; null if a different process has it.
 * The lock is an exclusive transaction on an empty database, which the kernel releases when the process ends in any
 * way.
 */
export function lockFile(path: string): (() => void) | null {
  closeSync(openSync(path, 'a', 0o600))
  const lock = new Database(path, { readwrite: true })
  try {
    lock.run('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (error instanceof SQLiteError && error.code === 'SQLITE_BUSY') return null
    throw error
  }
  held.add(lock)
  return () => {
    held.delete(lock)
    lock.close()
  }
}
