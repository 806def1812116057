import type { Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'
import { codeOf } from '../../core/loop/guarded.ts'
import { assertSound, named, openRaw, readFactsAtRest, type StoreFacts } from './facts.ts'
import { KNOWN_VERSION, migrate, migrationNames, versionOf } from './migrations.ts'
import { sync } from './new-file.ts'
import { replaceWorld } from './world.ts'

/** A file that was brought over from an earlier version. */
export type Upgrade = {
  readonly from: number
  readonly to: number
  /** The names of the migrations that were applied. */
  readonly changes: readonly string[]
  /** The file as it was before. */
  readonly backup: string
}

/** Whether opening the file of a store will bring it over from an earlier version. */
export function isUpgradeDue(path: string): boolean {
  if (!existsSync(path)) return false
  return named(path, () => {
    using database = openRaw(path)
    const version = versionOf(database)
    return version > 0 && version < KNOWN_VERSION
  })
}

/**
 * Brings a file up to the last version. Null when it is of that version or has no table yet; otherwise it is copied first,
 * in place of an earlier copy of the same version, and is left as it was when that fails. Throws StoreNewerError.
 */
export function upgrade(database: Database, path: string): Upgrade | null {
  const from = versionOf(database)
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
 * Copies a store as it is at one moment into a new file, mode 0600, and reads the copy through. The world of a venue's
 * file is copied before it, into the same file. Throws an Error when anything has that name, a link to nothing
 * included; what could not be finished is removed.
 */
export function copyInto(source: Database, to: string, venuePath?: string): StoreFacts {
  makeOwn(to)
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

/** Copies a database as it is at one moment, in place of what has that name. Throws an Error that names the file. */
export function copyDatabase(from: string, to: string): void {
  rmSync(to, { force: true })
  makeOwn(to)
  named(from, () => {
    using source = openRaw(from)
    source.run('VACUUM INTO ?', [to])
  })
}

function mergeWorld(from: string, to: string): void {
  using copy = openRaw(to)
  replaceWorld(from, copy)
}

/** Makes an empty file for its owner alone. */
function makeOwn(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    const code = codeOf(error) || 'unknown'
    if (code === 'EEXIST') throw new Error(`${path} is there already`, { cause: error })
    throw new Error(`${path} cannot be made: ${code}`, { cause: error })
  }
}
