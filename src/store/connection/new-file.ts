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
import { madeStore } from './made-store.ts'

// build/compile.ts replaces this name by what build/empty-store.ts answers.
declare const PREPD_STORE: string | undefined

/** What SQLite keeps beside a file. */
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

/** A store's file without a row: out of the build, since making its tables takes milliseconds. */
function emptyStore(): Uint8Array {
  if (typeof PREPD_STORE !== 'string') return madeStore()
  return Bun.zstdDecompressSync(Uint8Array.fromBase64(PREPD_STORE))
}
