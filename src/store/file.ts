import { Database } from 'bun:sqlite'
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openMark } from './commit-mark.ts'
import { LAST_COMMIT } from './group-commit.ts'
import { lockDirectory } from './instance-lock.ts'
import { KNOWN_VERSION, NUMBERED_CLAIMS_VERSION, StoreNewerError } from './migrations.ts'
import { sqliteVersion } from './version.ts'

/** What a store's file says of itself. `damage` is what SQLite found wrong; null when it is sound. */
export type StoreFacts = {
  readonly sqlite: string
  readonly version: number
  /** The newest version that this prepd can read. */
  readonly known: number
  readonly damage: string | null
  readonly sizeBytes: number
  readonly sequence: number
}

/** A store's file beside the prepd that may have it open. */
export type StoreFile = {
  /** Reads every page. Throws what SQLite throws when it is no database. */
  readonly look: () => Promise<StoreFacts>
  /** Copies it as it is at one moment into a new file, mode 0600, and reads the copy through. Throws when it is there. */
  readonly backup: (to: string) => Promise<StoreFacts>
  /** Writes it anew without its gaps; answers its size before and after. Throws StoreLockedError while prepd runs. */
  readonly vacuum: () => Promise<{ readonly beforeBytes: number; readonly afterBytes: number }>
}

/** The file at a path, which must be there. Throws when it is not. */
export function openStoreFile(path: string): StoreFile {
  if (!existsSync(path)) throw new Error(`there is no store at ${path}`)
  return {
    look: async () => factsOf(path),
    backup: async (to) => {
      if (existsSync(to)) throw new Error(`${to} is there already`)
      using source = openRaw(path)
      source.run('VACUUM INTO ?', [to])
      chmodSync(to, 0o600)
      return sound(to)
    },
    vacuum: async () => {
      const unlock = lockDirectory(dirname(path))
      try {
        const beforeBytes = statSync(path).size
        using database = openRaw(path)
        database.run('VACUUM')
        database.run('PRAGMA wal_checkpoint(TRUNCATE)')
        return { beforeBytes, afterBytes: statSync(path).size }
      } finally {
        unlock()
      }
    },
  }
}

/**
 * Puts a backup into a data directory without a store. What was claimed after it was made is not known: the store is
 * marked as one that lost commits, so writes signed before now are not sent, and vouchers are paused where there are any.
 * Throws StoreLockedError, StoreNewerError, and Error when there is a store or the backup is damaged.
 */
export async function restoreStore(
  from: string,
  dataDir: string,
  nowMs: number,
): Promise<StoreFacts & { readonly vouchersPaused: boolean }> {
  const facts = sound(from)
  if (facts.version > facts.known) throw new StoreNewerError(from, facts.version)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const unlock = lockDirectory(dataDir)
  const path = join(dataDir, 'prepd.sqlite')
  try {
    if (existsSync(path)) throw new Error(`${dataDir} holds a store already: restore into another`)
    copyFileSync(from, path)
    chmodSync(path, 0o600)
    const vouchersPaused = pauseVouchers(path, nowMs)
    const mark = openMark(join(dataDir, 'prepd.mark'))
    mark.write(facts.sequence + 1)
    mark.close()
    return { ...facts, vouchersPaused }
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('holds a store')))
      rmSync(path, { force: true })
    throw error
  } finally {
    unlock()
  }
}

function openRaw(path: string): Database {
  const database = new Database(path, { readwrite: true, create: false, strict: true })
  database.run('PRAGMA busy_timeout = 5000')
  return database
}

function sound(path: string): StoreFacts {
  const facts = factsOf(path)
  if (facts.damage !== null) throw new Error(`${path} is damaged: ${facts.damage}`)
  return facts
}

function factsOf(path: string): StoreFacts {
  using database = openRaw(path)
  const version = figureOf(database, 'PRAGMA user_version', 'user_version')
  const check = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').get()
  const damage = check?.integrity_check === 'ok' ? null : (check?.integrity_check ?? 'unreadable')
  return {
    sqlite: sqliteVersion(),
    version,
    known: KNOWN_VERSION,
    damage,
    sizeBytes: statSync(path).size,
    sequence: lastCommit(database, version),
  }
}

function lastCommit(database: Database, version: number): number {
  if (version >= NUMBERED_CLAIMS_VERSION) return figureOf(database, LAST_COMMIT, 'sequence')
  if (!hasTable(database, 'commits')) return 0
  return figureOf(database, 'SELECT sequence FROM commits', 'sequence')
}

function pauseVouchers(path: string, nowMs: number): boolean {
  using database = openRaw(path)
  if (!hasTable(database, 'vouchers')) return false
  if (figureOf(database, 'SELECT count(*) AS rows FROM vouchers', 'rows') === 0) return false
  database.run("INSERT INTO voucher_audit (at_ms, event) VALUES (?, 'paused')", [nowMs])
  return true
}

function hasTable(database: Database, name: string): boolean {
  return database.query('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== null
}

function figureOf(database: Database, query: string, column: string): number {
  const row = database.query<Record<string, number>, []>(query).get()
  return row?.[column] ?? 0
}
