import type { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Store } from '../core/ports.ts'
import { type CommitMark, NO_MARK, openMark } from './commit-mark.ts'
import { openConnection } from './connection.ts'
import { entityTable } from './entities.ts'
import { createGroupCommit } from './group-commit.ts'
import { claimTable, nonceTable, proofTable } from './identities.ts'
import { lockDirectory } from './instance-lock.ts'
import { type ResponseBounds, responseTable } from './responses.ts'
import { windowTable } from './windows.ts'

const RESPONSE_BOUNDS: ResponseBounds = { rowsMax: 20_000, bytesMax: 256 * 1024 * 1024 }

/** Short, because waiting blocks the loop; nobody but a reader's checkpoint is ever waited for. */
const BUSY_TIMEOUT_MS = 250

type Opened = {
  /** NORMAL: a commit is with the kernel when it returns, and outlives this process being killed at any point. */
  readonly database: Database
  /** FULL: a commit is on the disk when it returns, and outlives the power as well. */
  readonly synced: Database
  readonly mark: CommitMark
  readonly unlock: () => void
}

/**
 * Opens the store at a path, or in memory for ':memory:'; `nowMs` is the time it is. The directory is created for its
 * owner alone and belongs to this process until `close` (or its death). Throws StoreLockedError when another process
 * has it, StoreNewerError when the file is from a later version.
 */
export function openSqlite(
  path: string,
  nowMs: number,
  bounds: ResponseBounds = RESPONSE_BOUNDS,
): Store {
  if (path === ':memory:') {
    const database = openOwn(path, 'NORMAL')
    const opened = { database, synced: database, mark: NO_MARK, unlock: () => undefined }
    return storeOf(opened, nowMs, bounds)
  }
  const directory = dirname(path)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const unlock = lockDirectory(directory)
  try {
    const database = openOwn(path, 'NORMAL')
    const synced = openOwn(path, 'FULL')
    const mark = openMark(join(directory, 'prepd.mark'))
    return storeOf({ database, synced, mark, unlock }, nowMs, bounds)
  } catch (error) {
    unlock()
    throw error
  }
}

function openOwn(path: string, synchronous: 'NORMAL' | 'FULL'): Database {
  return openConnection(path, { busyTimeoutMs: BUSY_TIMEOUT_MS, synchronous })
}

function storeOf(
  { database, synced, mark, unlock }: Opened,
  nowMs: number,
  bounds: ResponseBounds,
): Store {
  const responses = responseTable(database, bounds)
  const sweepRows = expirySweep(database)
  const group = createGroupCommit(synced, mark, nowMs)
  let open = true
  return {
    nonces: nonceTable(synced, group),
    once: claimTable(synced, group),
    windows: windowTable(database),
    proofs: proofTable(database),
    responses,
    entities: entityTable(database),
    sweep: (atMs, rowsMax) => sweepRows(atMs, rowsMax) + responses.sweep(atMs, rowsMax),
    close: () => {
      if (!open) return
      open = false
      group.close()
      database.run('PRAGMA wal_checkpoint(TRUNCATE)')
      synced.close()
      database.close()
      mark.close()
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
