import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  lchownSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { LOSS_CONTROL, type Loss } from '../core/loss.ts'
import { openMark } from './connection/commit-mark.ts'
import {
  assertSound,
  hasTable,
  openRaw,
  readFactsAtRest,
  readFirstNumber,
  type StoreFacts,
} from './connection/file-facts.ts'
import { LOCK_NAME, lockDirectory } from './connection/instance-lock.ts'
import { StoreNewerError } from './connection/migrations.ts'
import { COMPANION_SUFFIXES, sync } from './connection/new-file.ts'
import { STORE_NAME, venueFilePath } from './connection/world.ts'

const MARK_NAME = 'prepd.mark'

type Restoring = {
  /** Files to place next to the store; they must not exist. */
  readonly others?: readonly string[]
  /** The time at which the backup was made; default: the file's modification time. */
  readonly madeAtMs?: number
}

/**
 * Restores a backup and the further files `others` into a data directory that has no store. Claims made after the
 * backup are unknown, so the store is marked as having lost commits: writes that were signed before now are not sent.
 * Later vouchers count as lost, and vouchers pause until the operator adopts the store. Only the directory's owner can read
 * the directory. If root runs the restore, the files get the same owner. Throws StoreLockedError, StoreNewerError, and
 * Error that names the file if a store exists or the backup is damaged.
 */
export async function restoreStore(
  from: string,
  dataDir: string,
  nowMs: number,
  {
    others = [],
    madeAtMs = statSync(from, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }: Restoring = {},
): Promise<StoreFacts & { readonly vouchersPaused: boolean }> {
  const facts = backupFacts(from)
  const { owner, made } = ensureDataDirectory(dataDir)
  const unlock = lockDirectory(dataDir)
  const path = join(dataDir, STORE_NAME)
  const aside = `${path}.new`
  try {
    for (const each of [path, venueFilePath(path)])
      if (existsSync(each))
        throw new Error(`${dataDir} holds a store already: restore into another`)
    for (const end of ['.new', ...COMPANION_SUFFIXES]) rmSync(path + end, { force: true })
    copyFileSync(from, aside, constants.COPYFILE_EXCL)
    chmodSync(aside, 0o600)
    const vouchersPaused = pauseVouchers(aside, nowMs)
    noteLoss(aside, { fromMs: Math.floor(madeAtMs), atMs: nowMs })
    markLost(join(dataDir, MARK_NAME), facts.sequence)
    sync(aside)
    renameSync(aside, path)
    chmodSync(dataDir, 0o700)
    const beside = others.map((other) => copyBeside(other, dataDir))
    const files = [STORE_NAME, MARK_NAME, LOCK_NAME].map((name) => join(dataDir, name))
    changeOwner(owner, [...files, ...beside, ...made])
    return { ...facts, vouchersPaused }
  } catch (error) {
    rmSync(aside, { force: true })
    throw error
  } finally {
    unlock()
  }
}

/** Verifies a backup. Throws an Error with the file and the fault. */
function backupFacts(from: string): StoreFacts {
  const file = statSync(from, { throwIfNoEntry: false })
  if (!file) throw new Error(`there is no file at ${from}`)
  if (!file.isFile()) throw new Error(`${from} is not a file`)
  if (file.size === 0) throw new Error(`${from} is empty: it is no backup`)
  for (const end of ['-wal', '-journal'])
    if (statSync(from + end, { throwIfNoEntry: false })?.size)
      throw new Error(`${from} is not whole without ${from}${end}: let backup make a copy of it`)
  const facts = assertSound(from, readFactsAtRest(from))
  if (facts.version > facts.known) throw new StoreNewerError(from, facts.version)
  if (facts.version < 1) throw new Error(`${from} is no store of prepd`)
  if (facts.difference !== null)
    throw new Error(`${from} is not exactly a store of prepd: ${facts.difference}`)
  return facts
}

/** Copies a file into a directory. Throws if it exists. */
function copyBeside(from: string, dataDir: string): string {
  const to = join(dataDir, basename(from))
  for (const end of COMPANION_SUFFIXES) rmSync(to + end, { force: true })
  copyFileSync(from, to, constants.COPYFILE_EXCL)
  chmodSync(to, 0o600)
  return to
}

type FileOwner = { readonly uid: number; readonly gid: number }

/** Creates a missing directory. Returns the directory, the owner of its files, and the created directories. */
function ensureDataDirectory(dataDir: string): {
  readonly owner: FileOwner
  readonly made: readonly string[]
} {
  const path = resolve(dataDir)
  const first = mkdirSync(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return { owner: statSync(path), made: [] }
  const made: string[] = []
  for (let each = path; each.length >= first.length; each = dirname(each)) made.push(each)
  return { owner: statSync(dirname(first)), made }
}

// Only root changes owners. Links are not followed.
function changeOwner({ uid, gid }: FileOwner, paths: readonly string[]): void {
  if (process.getuid?.() !== 0) return
  for (const path of paths) lchownSync(path, uid, gid)
}

/**
 * Writes a mark with one commit more than the store has, so that the next start finds a loss. Does not follow a link in
 * place of the mark.
 */
function markLost(path: string, sequence: number): void {
  rmSync(path, { force: true })
  const mark = openMark(path)
  mark.write({ commits: sequence + 1, signedMs: 0 })
  mark.close()
}

/** Records in a store that it was restored. The next start adds the time until which writes are unknown. */
function noteLoss(path: string, period: Pick<Loss, 'fromMs' | 'atMs'>): void {
  using database = openRaw(path)
  if (!hasTable(database, 'controls')) return
  const loss: Loss = { kind: 'restored', ...period, unknownUntilMs: 0 }
  const { kind, key } = LOSS_CONTROL
  database.run('INSERT OR REPLACE INTO controls (kind, key, value) VALUES (?, ?, ?)', [
    ...[kind, key, JSON.stringify(loss)],
  ])
}

function pauseVouchers(path: string, nowMs: number): boolean {
  using database = openRaw(path)
  if (!hasTable(database, 'voucher_audit')) return false
  const entries = readFirstNumber(
    database,
    "SELECT count(*) AS rows FROM voucher_audit WHERE event <> 'lost'",
    'rows',
  )
  // Also without an entry, because the first vouchers may be later than the backup.
  database.run("INSERT INTO voucher_audit (at_ms, event) VALUES (?, 'lost')", [nowMs])
  return entries > 0
}
