import { Database } from 'bun:sqlite'
import {
  closeSync,
  existsSync,
  fsync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { migrate } from './migrations.ts'

/** SQLite's companion files of a database. */
export const COMPANIONS = ['-journal', '-wal', '-shm']

/**
 * Creates a missing store's file, readable only by its owner. The complete file is renamed into place, after leftover
 * companion files are removed. The file is durable after `sync`, or when the system next writes it to disk.
 */
export function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if (existsSync(path)) return
  const aside = `${path}.new`
  for (const stale of [aside, ...COMPANIONS.map((end) => path + end)])
    rmSync(stale, { force: true })
  const file = openSync(aside, 'wx', 0o600)
  try {
    writeFileSync(file, emptyStore())
    renameSync(aside, path)
  } catch (error) {
    closeSync(file)
    throw error
  }
  fsync(file, () => closeSync(file))
}

/** Waits until a file's data is on disk. */
export function sync(path: string): void {
  const file = openSync(path, 'r+')
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
