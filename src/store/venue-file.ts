import { Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'
import type { EntityStore } from '../core/ports.ts'
import { closeDatabase } from './connection/connection.ts'
import { figureOf, openRaw } from './connection/facts.ts'
import { StoreNewerError, versionOf } from './connection/migrations.ts'
import { COMPANIONS, sync } from './connection/new-file.ts'
import { lateStatements } from './connection/statements.ts'
import { StoreUnusableError, watchTrouble } from './connection/trouble.ts'
import { replaceWorld, venuePathOf } from './connection/world.ts'
import { entityTable } from './entities.ts'

/** The entities of the embedded venue, in a file of their own. Throws Failure `store_unavailable` where SQLite refuses. */
export type VenueFile = EntityStore & {
  /** The code of SQLite for a damaged file, once one was met; null until then. */
  readonly damage: () => string | null
  readonly close: () => void
}

const VERSION = 1
const SCHEMA = `CREATE TABLE IF NOT EXISTS entities (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID`

/**
 * Opens the file at a path, or memory for ':memory:'. A commit is with the kernel when it returns: it outlives this
 * process being killed. Throws StoreNewerError for a file of a later version, StoreUnusableError when it cannot be used.
 */
export function openVenueFile(path: string): VenueFile {
  const database = inFile(path, () => connect(path))
  const { guard, damage } = watchTrouble()
  return {
    ...entityTable(
      lateStatements(() => database),
      guard,
    ),
    damage,
    close: () => closeDatabase(database),
  }
}

/**
 * Moves the world that the gateway's store has from an earlier version, or from a backup, to the venue's file. A world
 * that is there already stays. Throws StoreUnusableError.
 */
export function takeOverWorld(storePath: string): void {
  if (!existsSync(storePath)) return
  const path = venuePathOf(storePath)
  inFile(path, () => {
    using store = openRaw(storePath)
    if (figureOf(store, 'SELECT EXISTS (SELECT 1 FROM entities) AS some', 'some') === 0) return
    if (!existsSync(path)) copyWorld(storePath, path)
    store.run('DELETE FROM entities')
  })
}

/** The file comes to its place whole: until then the world is where it was. */
function copyWorld(storePath: string, path: string): void {
  const aside = `${path}.new`
  for (const stale of [aside, ...COMPANIONS.flatMap((end) => [aside + end, path + end])])
    rmSync(stale, { force: true })
  const database = connect(aside)
  try {
    replaceWorld(storePath, database)
  } finally {
    closeDatabase(database)
  }
  sync(aside)
  renameSync(aside, path)
}

function connect(path: string): Database {
  if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600))
  const database = new Database(path, { create: true, readwrite: true, strict: true })
  try {
    const version = versionOf(database)
    if (version > VERSION) throw new StoreNewerError(path, version, VERSION)
    database.run('PRAGMA busy_timeout = 250')
    database.run('PRAGMA journal_mode = WAL')
    database.run('PRAGMA synchronous = NORMAL')
    database.run('PRAGMA journal_size_limit = 16777216')
    database.run(SCHEMA)
    if (version !== VERSION) database.run(`PRAGMA user_version = ${VERSION}`)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function inFile<Value>(path: string, work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    if (error instanceof StoreNewerError) throw error
    throw new StoreUnusableError(path, error)
  }
}
