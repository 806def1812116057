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

/** The files that SQLite keeps beside a database. */
export const COMPANIONS = ['-journal', '-wal', '-shm']

/**
 * Makes a store's file where there is none, for its owner alone. It is written aside and comes to its place whole,
 * without what another file of that name has left beside it. The disk has it soon: nobody waits for that before `sync`.
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

/** Waits until what was written to a file is on the disk. */
export function sync(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Where a file says how it is written, and that this is with a log (https://www.sqlite.org/fileformat2.html, 1.3.3). */
const FORMAT_AT = { first: 18, end: 20 } as const
const WITH_LOG = 2

/** A store's file without a row, as the migrations make it. */
function emptyStore(): Uint8Array {
  using database = new Database(':memory:')
  migrate(database, ':memory:')
  const bytes = database.serialize()
  bytes.fill(WITH_LOG, FORMAT_AT.first, FORMAT_AT.end)
  return bytes
}
