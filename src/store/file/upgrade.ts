import type { Database } from 'bun:sqlite'
import { renameSync, rmSync } from 'node:fs'
import { KNOWN_VERSION, migrate, migrationNames, versionOf } from '../migrations.ts'
import { copyInto } from './copy.ts'

/** A file that was brought over from an earlier version. */
export type Upgrade = {
  readonly from: number
  readonly to: number
  /** The names of the migrations that were applied. */
  readonly changes: readonly string[]
  /** The file as it was before. */
  readonly backup: string
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
