import type { Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'
import { systemErrorCode } from '../../core/loop/guarded.ts'
import { assertSound, named, openRaw, readFactsAtRest, type StoreFacts } from './file-facts.ts'
import { KNOWN_VERSION, migrate, migrationNames, readUserVersion } from './migrations.ts'
import { sync } from './new-file.ts'
import { replaceWorld } from './world.ts'

/** A migrated file. */
export type Upgrade = {
  readonly from: number
  readonly to: number
  /** The names of the migrations that were applied. */
  readonly changes: readonly string[]
  /** The path of the copy from before the migration. */
  readonly backup: string
}

/** Whether opening a store's file will migrate it. */
export function isUpgradeDue(path: string): boolean {
  if (!existsSync(path)) return false
  return named(path, () => {
    using database = openRaw(path)
    const version = readUserVersion(database)
    return version > 0 && version < KNOWN_VERSION
  })
}

/**
 * Migrates a file to the latest version, after copying it. The copy replaces an earlier copy of the same version.
 * Returns null if the file is empty or needs no migration. A failed migration leaves the file unchanged. Throws
 * StoreNewerError.
 */
export function upgrade(database: Database, path: string): Upgrade | null {
  const from = readUserVersion(database)
  if (from === 0 || from >= KNOWN_VERSION) {
    migrate(database, path)
    return null
  }
  const backup = `${path}.version-${from}`
  rmSync(`${backup}.new`, { force: true })
  copyInto(database, `${backup}.new`)
  renameSync(`${backup}.new`, backup)
  migrate(database, path)
  return { from, to: KNOWN_VERSION, changes: migrationNames(from), backup }
}

/**
 * Copies a consistent snapshot of a store into a new file, mode 0600, and verifies the copy. The world in the venue's
 * file is copied first, into the same file. Throws an Error if the name exists, even as a dangling link. An incomplete
 * copy is removed.
 */
export function copyInto(source: Database, to: string, venuePath?: string): StoreFacts {
  createPrivateFile(to)
  const worldCopy = `${to}.venue`
  try {
    if (venuePath !== undefined) copyDatabase(venuePath, worldCopy)
    source.run('VACUUM INTO ?', [to])
    if (venuePath !== undefined) mergeWorld(worldCopy, to)
    sync(to)
    return assertSound(to, readFactsAtRest(to))
  } catch (error) {
    rmSync(to, { force: true })
    throw error
  } finally {
    if (venuePath !== undefined) rmSync(worldCopy, { force: true })
  }
}

/** Copies a consistent snapshot of a database and replaces an existing file. Throws an Error that names the file. */
export function copyDatabase(from: string, to: string): void {
  rmSync(to, { force: true })
  createPrivateFile(to)
  named(from, () => {
    using source = openRaw(from)
    source.run('VACUUM INTO ?', [to])
  })
}

function mergeWorld(from: string, to: string): void {
  using copy = openRaw(to)
  replaceWorld(from, copy)
}

/** Creates an empty file that only its owner can read. */
function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    const code = systemErrorCode(error) || 'unknown'
    if (code === 'EEXIST') throw new Error(`${path} is there already`, { cause: error })
    throw new Error(`${path} cannot be made: ${code}`, { cause: error })
  }
}
