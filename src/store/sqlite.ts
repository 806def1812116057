import type { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { LIMITS } from '../contract/limits.ts'
import { nextTurn } from '../core/loop/guarded.ts'
import type { Store, StoredWindow } from '../core/ports.ts'
import { journalTable } from './agent-journal.ts'
import { approvalTable } from './approvals.ts'
import { spendingTable } from './claims/spending.ts'
import { claimTable } from './claims/table.ts'
import { type CommitMark, NO_MARK, openMark } from './connection/commit-mark.ts'
import { closeDatabase, type Durability, openConnection } from './connection/connection.ts'
import {
  type StoreTrouble,
  StoreUnusableError,
  storeErrorCode,
  watchTrouble,
} from './connection/errors.ts'
import { createGroupCommit, type GroupCommit } from './connection/group-commit.ts'
import { LOCK_NAME, lockDirectory, StoreLockedError } from './connection/instance-lock.ts'
import { type LogSync, SYNCED_BY_COMMIT } from './connection/log-sync.ts'
import { StoreNewerError } from './connection/migrations.ts'
import { isEmptyFile, sync } from './connection/new-file.ts'
import {
  createLazyStatements,
  createLazyValue,
  type LazyValue,
  type Statements,
  type TableAccess,
} from './connection/statements.ts'
import type { Upgrade } from './connection/upgrade.ts'
import { controlTable } from './controls.ts'
import { nonceTable, proofTable } from './identities.ts'
import { mandateTable } from './mandates.ts'
import { paged } from './paged.ts'
import { type ResponseBounds, responseTable } from './responses.ts'
import { standbyTable } from './standbys.ts'
import { readStats } from './stats.ts'
import { trafficTable } from './traffic.ts'
import { webhookTable } from './webhooks.ts'

const RESPONSE_BOUNDS: ResponseBounds = {
  rowsMax: 20_000,
  bytesMax: 256 * 1024 * 1024,
  batchMs: 1000,
}

/** The store in a file. */
type SqliteStore = Store & {
  /**
   * Waits until every commit of the file so far, from any connection, is on disk. Throws Failure `store_unavailable` if
   * the disk fails.
   */
  readonly awaitDisk: () => Promise<void>
}

/**
 * Short, because waiting blocks the event loop. Another process locks the file only while it checkpoints the log, for
 * example when a command that reads the store closes it.
 */
const BUSY_TIMEOUT_MS = 250

type Opening = {
  /** Called after an upgrade of the file's tables. */
  readonly onUpgrade?: (upgrade: Upgrade) => void
  /** Called after a new file was made. */
  readonly onNew?: (path: string) => void
  /** Opens the syncs of the file's write-ahead log. Without it SQLite waits for the disk in each commit. */
  readonly openLog?: (path: string) => LogSync
}

type Opened = {
  /** NORMAL: a commit is with the kernel when it returns, so it survives a kill of this process. */
  readonly database: Database
  /** Restores normal durability at the end of the turn that opens a new file; null for an existing file. */
  readonly first: NodeJS.Immediate | null
  /** The connection of durable commits, which also survive a power failure. Opened by the first commit. */
  readonly synced: LazyValue<Database>
  readonly log: LogSync
  readonly mark: CommitMark
  readonly unlock: () => void
}

/**
 * Opens the store at a path, or in memory for ':memory:'; `nowMs` is the current time. Creates the directory, readable
 * only by its owner, and locks it until `close` or the end of the process. Throws
 * - StoreLockedError if a different process has the directory,
 * - StoreNewerError if a later version wrote the file,
 * - StoreUnusableError if the file cannot be created or read.
 */
export function openSqlite(
  path: string,
  nowMs: number,
  bounds: ResponseBounds = RESPONSE_BOUNDS,
  opening: Opening = {},
): SqliteStore {
  if (path !== ':memory:') return openFile(path, nowMs, bounds, opening)
  const database = openOwn(path, 'NORMAL')
  const opened = {
    database,
    first: null,
    synced: createLazyValue(() => database),
    log: SYNCED_BY_COMMIT,
    mark: NO_MARK,
    unlock: () => undefined,
  }
  return createStore(opened, nowMs, bounds)
}

function openFile(
  path: string,
  nowMs: number,
  bounds: ResponseBounds,
  { onUpgrade, onNew = () => undefined, openLog }: Opening,
): SqliteStore {
  const directory = dirname(path)
  withPathInError(directory, () => mkdirSync(directory, { recursive: true, mode: 0o700 }))
  const unlock = withPathInError(join(directory, LOCK_NAME), () => lockDirectory(directory))
  try {
    return withPathInError(path, () => {
      const isNew = isEmptyFile(path)
      // A durable commit in the log is worthless without the database. A new database is synced when it is made.
      if (!isNew) sync(path)
      const log = openLog?.(path)
      const database = openOwn(path, isNew ? 'OFF' : 'NORMAL', onUpgrade)
      const first = isNew ? nextTurn('store', () => restoreDurability(database)) : null
      const synced = createLazyValue(() => openOwn(path, log ? 'NORMAL' : 'FULL'))
      if (isNew) onNew(path)
      const mark = openMark(join(directory, 'prepd.mark'))
      const opened = { database, first, synced, log: log ?? SYNCED_BY_COMMIT, mark, unlock }
      return createStore(opened, nowMs, bounds)
    })
  } catch (error) {
    unlock()
    throw error
  }
}

/** Opens a file or folder. Throws StoreUnusableError with its path, or a more specific error of the store unchanged. */
function withPathInError<Value>(path: string, open: () => Value): Value {
  try {
    return open()
  } catch (error) {
    if (error instanceof StoreLockedError || error instanceof StoreNewerError) throw error
    throw new StoreUnusableError(path, error)
  }
}

// Restores normal durability of a new file. Its first writes need no sync, because they precede every answer to a
// caller.
function restoreDurability(database: Database): void {
  database.run('PRAGMA synchronous = NORMAL')
}

function openOwn(
  path: string,
  synchronous: Durability['synchronous'],
  onUpgrade?: (upgrade: Upgrade) => void,
): Database {
  return openConnection(path, { busyTimeoutMs: BUSY_TIMEOUT_MS, synchronous }, onUpgrade)
}

function createStore(opened: Opened, nowMs: number, bounds: ResponseBounds): SqliteStore {
  const { mark, log } = opened
  const { guard, damage, close: closeGuard } = watchTrouble()
  const database = createLazyStatements(() => opened.database)
  const synced = createLazyStatements(opened.synced)
  const responses = responseTable(database, bounds, guard)
  const isNew = opened.first !== null
  const group = createGroupCommit(synced, mark, { nowMs, guard, isNew, reader: database, log })
  const parts = { database, synced, durably: group.durably, guard }
  const spending = spendingTable(parts, group.lostAtMs)
  const claims = claimTable({ ...parts, group, spending, heldMax: LIMITS.claimsHeldMax })
  const { sweep: sweepStandbys, ...standbys } = standbyTable(parts)
  const { sweep: sweepJournal, ...agentJournal } = journalTable(parts)
  const { sweep: sweepApprovals, ...approvals } = approvalTable(parts)
  const { sweep: sweepWebhooks, ...webhooks } = webhookTable(parts)
  const ofAgents = [sweepStandbys, sweepJournal, sweepApprovals, sweepWebhooks]
  const sweeps = [expirySweep(database), claims.sweep, ...ofAgents]
  let open = true
  return {
    nonces: nonceTable(parts),
    once: claims,
    windows: windowTable(parts),
    proofs: proofTable(parts),
    responses,
    controls: controlTable(parts),
    standbys,
    mandates: mandateTable(parts),
    spending,
    approvals,
    webhooks,
    agentJournal,
    traffic: trafficTable(parts),
    stats: readStats(opened.database, log),
    check: () => check(group, damage),
    awaitDisk: () => group.durably(() => undefined),
    sweep: async (atMs, rowsMax) =>
      guard(() => sweeps.reduce((gone, sweep) => gone + sweep(atMs, rowsMax), 0)) +
      responses.sweep(atMs, rowsMax),
    close: () => {
      if (!open) return
      open = false
      responses.close()
      group.close()
      closeGuard()
      close(opened)
    },
  }
}

/** Why the store takes no writes: damage of the file, an unconfirmed loss, or a failed commit. Null if it takes writes. */
async function check(group: GroupCommit, damage: StoreTrouble['damage']): Promise<string | null> {
  try {
    await group.durably(() => null)
    return damage() ?? group.missing()
  } catch (error) {
    return storeErrorCode(error)
  }
}

function close({ database, first, synced, mark, unlock }: Opened): void {
  if (first) clearImmediate(first)
  synced.made()?.close()
  closeDatabase(database)
  mark.close()
  unlock()
}

const EXPIRING = [
  { table: 'nonces', key: 'nonce', until: 'expires_at_ms' },
  { table: 'windows', key: 'key', until: 'at_ms' },
] as const

/** Deletes expired rows of every small table, oldest first, at most `rowsMax` per table. */
function expirySweep(database: Statements): (nowMs: number, rowsMax: number) => number {
  const statements = EXPIRING.map(({ table, key, until }) =>
    database.prepare<null, [{ nowMs: number; rowsMax: number }]>(
      `DELETE FROM ${table} WHERE ${key} IN
         (SELECT ${key} FROM ${table} WHERE ${until} <= $nowMs ORDER BY ${until} LIMIT $rowsMax)`,
    ),
  )
  return (nowMs, rowsMax) =>
    statements.reduce((gone, statement) => gone + statement.run({ nowMs, rowsMax }).changes, 0)
}

/** Rate windows. A save is one transaction. */
function windowTable({ database, guard }: TableAccess): Store['windows'] {
  const page = database.prepare<StoredWindow, [{ nowMs: number; after: string; rowsMax: number }]>(
    `SELECT key, at_ms AS atMs FROM windows WHERE key > $after AND at_ms > $nowMs
     ORDER BY key LIMIT $rowsMax`,
  )
  const put = database.prepare<null, [{ key: string; atMs: number }]>(
    `INSERT INTO windows (key, at_ms) VALUES ($key, $atMs)
     ON CONFLICT (key) DO UPDATE SET at_ms = excluded.at_ms`,
  )
  const save = database.transaction((windows: readonly StoredWindow[]) => {
    for (const { key, atMs } of windows) put.run({ key, atMs })
  })
  return {
    load: (nowMs) => paged((after, rowsMax) => guard(() => page.all({ nowMs, after, rowsMax }))),
    save: (windows) => guard(() => save(windows)),
  }
}
