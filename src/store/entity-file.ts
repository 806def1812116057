import { Database } from 'bun:sqlite'
import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { EntityChange, EntityStore } from '../core/ports.ts'
import { closeDatabase } from './connection/connection.ts'
import {
  attemptOptional,
  type StoreTrouble,
  StoreUnusableError,
  watchTrouble,
} from './connection/errors.ts'
import { openRaw, readFirstNumber } from './connection/file-facts.ts'
import { readUserVersion, StoreNewerError } from './connection/migrations.ts'
import { COMPANION_SUFFIXES, sync } from './connection/new-file.ts'
import { createLazyStatements, type Statements } from './connection/statements.ts'
import { replaceWorld, venueFilePath } from './connection/world.ts'
import { paged } from './paged.ts'

/** Entities in their own file. Throws Failure `store_unavailable` for an error of SQLite. */
type EntityFile = EntityStore & {
  /** SQLite's code of a damage found since the start; null without damage. */
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
 * Opens the embedded venue's file at a path, or memory for ':memory:'. A commit is in the kernel when it returns, so it
 * survives a killed process. Throws StoreNewerError for a later version, StoreUnusableError for an unusable file.
 */
export function openVenueFile(path: string): EntityFile {
  const database = withPathInError(path, () => connect(path))
  const { guard, damage } = watchTrouble()
  return {
    ...entityTable(
      createLazyStatements(() => database),
      guard,
    ),
    damage,
    close: () => closeDatabase(database),
  }
}

const NOTICES_NAME = 'prepd.notices.sqlite'

/** Opens the file of notices to the operator in a data directory. Throws StoreNewerError, StoreUnusableError. */
export function openNoticeFile(dataDir: string | null): EntityFile {
  if (dataDir === null) return openVenueFile(':memory:')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  return openVenueFile(join(dataDir, NOTICES_NAME))
}

/**
 * Moves the world from the gateway's store, where earlier versions and backups keep it, to the venue's file. A world
 * that already exists in the venue's file stays. Throws StoreUnusableError.
 */
export function takeOverWorld(storePath: string): void {
  if (!existsSync(storePath)) return
  const path = venueFilePath(storePath)
  withPathInError(path, () => {
    using store = openRaw(storePath)
    if (readFirstNumber(store, 'SELECT EXISTS (SELECT 1 FROM entities) AS some', 'some') === 0)
      return
    if (!existsSync(path)) copyWorld(storePath, path)
    store.run('DELETE FROM entities')
  })
}

/** Copies the world into a temporary file and renames it into place. Until then the world stays in the store. */
function copyWorld(storePath: string, path: string): void {
  const aside = `${path}.new`
  for (const stale of [aside, ...COMPANION_SUFFIXES.flatMap((end) => [aside + end, path + end])])
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
  // Closing a descriptor of a file that is open in this process would release SQLite's locks on it.
  if (path !== ':memory:' && !existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  const database = new Database(path, { create: true, readwrite: true, strict: true })
  try {
    const version = readUserVersion(database)
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

function withPathInError<Value>(path: string, work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    if (error instanceof StoreNewerError) throw error
    throw new StoreUnusableError(path, error)
  }
}

/**
 * Number of written characters after which the log is checkpointed. SQLite's default is about ten times higher, and
 * each checkpoint would take ten times longer.
 */
const CHECKPOINT_CHARS = 400_000

/** Entities by kind and key. A commit is one transaction. */
function entityTable(database: Statements, guard: StoreTrouble['guard']): EntityStore {
  const page = database.prepare<
    { key: string; json: string },
    [{ kind: string; after: string; rowsMax: number }]
  >(
    `SELECT key, json FROM entities WHERE kind = $kind AND key > $after
     ORDER BY key LIMIT $rowsMax`,
  )
  const put = database.prepare<null, [{ kind: string; key: string; json: string }]>(
    `INSERT INTO entities (kind, key, json) VALUES ($kind, $key, $json)
     ON CONFLICT (kind, key) DO UPDATE SET json = excluded.json`,
  )
  const drop = database.prepare<null, [{ kind: string; key: string }]>(
    'DELETE FROM entities WHERE kind = $kind AND key = $key',
  )
  const kinds = database.prepare<{ kind: string }, []>('SELECT DISTINCT kind FROM entities')
  const commit = database.transaction((changes: readonly EntityChange[]) => {
    for (const { kind, key, json } of changes) {
      if (json === null) drop.run({ kind, key })
      else put.run({ kind, key, json })
    }
  })
  const checkpoint = database.prepare<unknown, []>('PRAGMA wal_checkpoint(PASSIVE)')
  let loggedChars = 0

  function noteLogged(changes: readonly EntityChange[]): void {
    for (const { json } of changes) loggedChars += json?.length ?? 0
    if (loggedChars < CHECKPOINT_CHARS) return
    loggedChars = 0
    attemptOptional(guard, () => checkpoint.all())
  }

  return {
    kinds: () => guard(() => kinds.all()).map(({ kind }) => kind),
    load: (kind, pageRows) =>
      paged((after, rowsMax) => guard(() => page.all({ kind, after, rowsMax })), pageRows),
    commit: (changes) => {
      guard(() => commit(changes))
      noteLogged(changes)
    },
  }
}
