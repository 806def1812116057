import { constants, Database, SQLiteError } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { LAST_COMMIT } from './group-commit.ts'
import { KNOWN_VERSION, migrateTo, NUMBERED_CLAIMS_VERSION } from './migrations.ts'
import { sqliteVersion } from './version.ts'

/** Facts about a store's file. `damage` is SQLite's finding; null for a sound file. */
export type StoreFacts = {
  readonly sqlite: string
  readonly version: number
  /** The newest version that this build can read. */
  readonly known: number
  readonly damage: string | null
  /** The first table, index, trigger or view that differs from the version's schema; null without a difference. */
  readonly difference: string | null
  readonly sizeBytes: number
  readonly sequence: number
  /** The size of the embedded venue's file next to the store's file; absent without such a file. */
  readonly venueBytes?: number
}

/** Opens a store's file for reading and writing, concurrently with other processes. Throws if it does not exist. */
export function openRaw(path: string): Database {
  const database = new Database(path, { readwrite: true, create: false, strict: true })
  database.run('PRAGMA busy_timeout = 5000')
  return database
}

/**
 * Reads every page of a file that other processes may have open. Throws an Error that names the file if it is not a
 * database.
 */
export function readFacts(path: string): StoreFacts {
  return named(path, () => {
    using database = openRaw(path)
    return collectFacts(database, path)
  })
}

/** Reads the facts of a file that no process writes. Creates no companion files. */
export function readFactsAtRest(path: string): StoreFacts {
  return named(path, () => {
    const location = `${Bun.pathToFileURL(path).href}?immutable=1`
    const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI
    using database = new Database(location, flags)
    return collectFacts(database, path)
  })
}

/** Returns the given facts if they report no damage. Otherwise throws an Error with the path and the damage. */
export function assertSound(path: string, facts: StoreFacts): StoreFacts {
  if (facts.damage !== null) throw new Error(`${path} is damaged: ${facts.damage}`)
  return facts
}

/** Runs work and adds the file's name to SQLite's errors. */
export function named<Value>(path: string, work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error
    const isDamage = /^SQLITE_(?:CORRUPT|NOTADB)/.test(error.code ?? '')
    const message = `${path}${isDamage ? ' is damaged' : ''}: ${error.message}`
    throw new Error(message, { cause: error })
  }
}

export function hasTable(database: Database, name: string): boolean {
  return database.query('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== null
}

/** One number of a query's first row; 0 without a row. */
export function readFirstNumber(database: Database, query: string, column: string): number {
  const row = database.query<Record<string, number>, []>(query).get()
  return row?.[column] ?? 0
}

/**
 * The damage that SQLite finds in a file, which other processes may have open; null for a sound file. Throws as
 * readFacts.
 */
export function findDamage(path: string): string | null {
  return named(path, () => {
    using database = openRaw(path)
    return checkIntegrity(database)
  })
}

function checkIntegrity(database: Database): string | null {
  const check = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').get()
  return check?.integrity_check === 'ok' ? null : (check?.integrity_check ?? 'unreadable')
}

function collectFacts(database: Database, path: string): StoreFacts {
  const version = readFirstNumber(database, 'PRAGMA user_version', 'user_version')
  const damage = checkIntegrity(database)
  const difference = schemaDifference(database, version)
  return {
    sqlite: sqliteVersion(),
    version,
    known: KNOWN_VERSION,
    damage,
    difference,
    sizeBytes: statSync(path).size,
    sequence: difference === null && version <= KNOWN_VERSION ? lastCommit(database, version) : 0,
  }
}

function lastCommit(database: Database, version: number): number {
  if (version >= NUMBERED_CLAIMS_VERSION) return readFirstNumber(database, LAST_COMMIT, 'sequence')
  if (!hasTable(database, 'commits')) return 0
  return readFirstNumber(database, 'SELECT sequence FROM commits', 'sequence')
}

/** SQLite's internal objects: indexes of keys, and the statistics of ANALYZE. */
const SQLITE_INTERNAL = /^sqlite_(?:autoindex_|stat[14]$)/

/**
 * Compares a database with the schema of a version. Returns the first table, index, trigger or view that differs; null
 * without a difference or for an unknown version.
 */
function schemaDifference(database: Database, version: number): string | null {
  using made = new Database(':memory:')
  if (!migrateTo(made, version)) return null
  const expected = readSchema(made)
  const actual = readSchema(database)
  const foreign = [...actual].find(([name, sql]) => expected.get(name) !== sql)
  if (foreign) return `${foreign[0]} is not prepd's`
  const missing = [...expected.keys()].find((name) => !actual.has(name))
  return missing === undefined ? null : `${missing} is missing`
}

/** The creating statement of each object, by kind and name. */
function readSchema(database: Database): ReadonlyMap<string, string | null> {
  const rows = database
    .query<{ type: string; name: string; sql: string | null }, []>(
      'SELECT type, name, sql FROM sqlite_schema',
    )
    .all()
  const own = rows.filter(({ name }) => !SQLITE_INTERNAL.test(name))
  return new Map(own.map(({ type, name, sql }) => [`${type} ${name}`, sql]))
}
