import { Database } from 'bun:sqlite'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Store } from '../core/ports.ts'
import { entityTable } from './entities.ts'
import { claimTable, nonceTable, proofTable } from './identities.ts'
import { lockDirectory } from './instance-lock.ts'
import { migrate } from './migrations.ts'
import { type ResponseBounds, responseTable } from './responses.ts'
import { readStats } from './stats.ts'
import { windowTable } from './windows.ts'

const RESPONSE_BOUNDS: ResponseBounds = { rowsMax: 20_000, bytesMax: 256 * 1024 * 1024 }

/**
 * WAL with NORMAL: a commit has reached the kernel when it returns, so it survives this process being killed at any
 * point (what `once.claim` promises); only a power cut can lose the last commits, never the file. The timeout is
 * short because waiting blocks the loop; nobody but a reader's checkpoint is ever waited for.
 */
const PRAGMAS = [
  'PRAGMA busy_timeout = 250',
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = NORMAL',
  'PRAGMA journal_size_limit = 16777216',
]

/**
 * Opens the store at a path, or in memory for ':memory:'. The directory is created for its owner alone and belongs to
 * this process until `close` (or its death). Throws StoreLockedError when another process has it, StoreNewerError
 * when the file is from a later version.
 */
export function openSqlite(path: string, bounds: ResponseBounds = RESPONSE_BOUNDS): Store {
  if (path === ':memory:')
    return storeOf(openDatabase(path), { path, bounds, unlock: () => undefined })
  const directory = dirname(path)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const unlock = lockDirectory(directory)
  try {
    // Made here rather than by SQLite, so that nobody else can read it; its log inherits the mode.
    closeSync(openSync(path, 'a', 0o600))
    return storeOf(openDatabase(path), { path, bounds, unlock })
  } catch (error) {
    unlock()
    throw error
  }
}

function openDatabase(path: string): Database {
  const database = new Database(path, { create: true, readwrite: true, strict: true })
  try {
    for (const pragma of PRAGMAS) database.run(pragma)
    migrate(database, path)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

type Place = {
  readonly path: string
  readonly bounds: ResponseBounds
  readonly unlock: () => void
}

function storeOf(database: Database, { path, bounds, unlock }: Place): Store {
  const responses = responseTable(database, bounds)
  const sweepRows = expirySweep(database)
  let open = true
  return {
    nonces: nonceTable(database),
    once: claimTable(database),
    windows: windowTable(database),
    proofs: proofTable(database),
    responses,
    entities: entityTable(database),
    stats: readStats(database, path),
    sweep: (nowMs, rowsMax) => sweepRows(nowMs, rowsMax) + responses.sweep(nowMs, rowsMax),
    close: () => {
      if (!open) return
      open = false
      database.run('PRAGMA wal_checkpoint(TRUNCATE)')
      database.close()
      unlock()
    },
  }
}

const EXPIRING = [
  { table: 'nonces', key: 'nonce', until: 'expires_at_ms' },
  { table: 'claims', key: 'identity', until: 'expires_at_ms' },
  { table: 'windows', key: 'key', until: 'at_ms' },
] as const

/** Deletes what is past from every small table, at most `rowsMax` rows of each, the oldest first. */
function expirySweep(database: Database): (nowMs: number, rowsMax: number) => number {
  const statements = EXPIRING.map(({ table, key, until }) =>
    database.prepare<null, [{ nowMs: number; rowsMax: number }]>(
      `DELETE FROM ${table} WHERE ${key} IN
         (SELECT ${key} FROM ${table} WHERE ${until} <= $nowMs ORDER BY ${until} LIMIT $rowsMax)`,
    ),
  )
  return (nowMs, rowsMax) =>
    statements.reduce((gone, statement) => gone + statement.run({ nowMs, rowsMax }).changes, 0)
}
