import { Database, SQLiteError } from 'bun:sqlite'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'

/** The file whose lock is the directory's. */
export const LOCK_NAME = 'prepd.lock'

/** Another process serves from this directory. */
export class StoreLockedError extends Error {
  override readonly name = 'StoreLockedError'
  readonly directory: string
  constructor(directory: string, options?: ErrorOptions) {
    super(`another prepd is using ${directory}; one process per data directory`, options)
    this.directory = directory
  }
}

// A connection nobody refers to is closed by the garbage collector, and its lock with it.
const held = new Set<Database>()

/**
 * Takes a directory for this process, and answers how to give it back. The store itself stays open to readers (backup,
 * inspection). Throws StoreLockedError.
 */
export function lockDirectory(directory: string): () => void {
  const unlock = lockFile(join(directory, LOCK_NAME))
  if (!unlock) throw new StoreLockedError(directory)
  return unlock
}

/**
 * Takes a file, which it makes, for this process, and answers how to give it back; null where another process has it. The
 * lock is an open exclusive transaction on an empty database: the kernel drops it with the process, however that ends.
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
