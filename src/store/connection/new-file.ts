import { Database } from 'bun:sqlite'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { migrate } from './migrations.ts'

/** SQLite's companion files of a database. */
export const COMPANION_SUFFIXES = ['-journal', '-wal', '-shm']

/**
 * Creates a missing or empty store's file, readable only by its owner. The complete file is synced and renamed into
 * place, after leftover companion files are removed. The name is on disk after a sync of the directory.
 */
export function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if (!isEmptyFile(path)) return
  const aside = `${path}.new`
  for (const stale of [aside, ...COMPANION_SUFFIXES.map((end) => path + end)])
    rmSync(stale, { force: true })
  const file = openSync(aside, 'wx', 0o600)
  try {
    writeFileSync(file, emptyStore())
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(aside, path)
}

/** Whether a file is missing or has no bytes. */
export function isEmptyFile(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0
}

/**
 * Waits until a file's data is on disk. With `r` the path may be a directory, whose names are then on disk. The file
 * must not be a database that this process has open: closing a descriptor of a file releases all locks that the process
 * has on it.
 */
export function sync(path: string, flags: 'r' | 'r+' = 'r+'): void {
  const file = openSync(path, flags)
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/**
 * The position of the bytes in the header that select the write-ahead log (https://www.sqlite.org/fileformat2.html,
 * 1.3.3).
 */
const FORMAT_AT = { first: 18, end: 20 } as const
const WITH_LOG = 2

/** The bytes of a migrated store without rows. */
function emptyStore(): Uint8Array {
  using database = new Database(':memory:')
  migrate(database, ':memory:')
  const bytes = database.serialize()
  bytes.fill(WITH_LOG, FORMAT_AT.first, FORMAT_AT.end)
  return bytes
}
