import { existsSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import {
  BACKUP_LIMITS,
  type BackupManifest,
  type BackupReport,
  DRILL_MARK_FILE,
} from '../../contract/operator/backup.ts'
import { BACKUP_MARK_FILE } from '../../contract/operator/process.ts'
import { STORE_NAME } from '../../store/connection/world.ts'
import { copyData, countTableRows } from '../../store/data-copy.ts'
import { restoreStore } from '../../store/restore.ts'
import { assertRows, describeParts, readArchive, UnsoundError, writeArchive } from './archive.ts'
import type { BackupConfig } from './config.ts'
import { backupName, backupTimeMs, expiredBackups, inOrder } from './retention.ts'
import type { BackupTarget } from './target.ts'

type BackupOptions = {
  readonly config: BackupConfig
  readonly place: BackupTarget
  readonly dataDir: string
  readonly nowMs: number
  readonly service: string
  readonly version: string
  /**
   * Whether the first backup of this data directory may go to a target that has backups of a different data directory.
   */
  readonly isFirst: boolean
}

/** The scratch folder. It is in the data directory, so that it has the same disk and the same owner. */
const SCRATCH_FOLDER = 'backup.new'

/**
 * Makes a backup of a data directory while prepd runs: copies, encrypts and stores it, then downloads, decrypts and
 * compares it. Once a month it also restores the backup into a scratch folder. Removes expired backups last. Throws an
 * Error with the reason, for example if the target has backups of another directory.
 */
export async function makeBackup(parts: BackupOptions): Promise<BackupReport> {
  const { config, place, dataDir, nowMs } = parts
  const scratch = join(dataDir, SCRATCH_FOLDER)
  const folder = (name: string) => {
    mkdirSync(join(scratch, name), { recursive: true, mode: 0o700 })
    return join(scratch, name)
  }
  rmSync(scratch, { recursive: true, force: true })
  try {
    const { manifest, left } = await described(parts, folder('copy'))
    // A temporary key lets the check below decrypt this backup without the operator's private key. The temporary key is
    // never stored.
    const identity = await generateX25519Identity()
    const readers = [...config.recipients, await identityToRecipient(identity)]
    const name = backupName(nowMs)
    const file = join(scratch, name)
    await writeArchive(folder('copy'), manifest, readers, file)
    const sizeBytes = statSync(file).size
    if (existsSync(join(dataDir, BACKUP_MARK_FILE))) await assertTargetMounted(parts)
    else await begin(parts)
    await place.put(name, file)
    await assertArrived(place, { name, sizeBytes }, identity, folder('check'))
    const drilled = isDrillDue(dataDir, nowMs)
    if (drilled) await runRestoreDrill(folder('check'), join(scratch, 'drill'), manifest, nowMs)
    for (const each of drilled ? [BACKUP_MARK_FILE, DRILL_MARK_FILE] : [BACKUP_MARK_FILE])
      writeMarkFile(dataDir, each, nowMs)
    const removed = await prune(config, place)
    return {
      backup: place.shown(name),
      sizeBytes,
      rows: totalRows(manifest),
      left,
      removed,
      drilled,
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function described({ dataDir, nowMs, service, version }: BackupOptions, copy: string) {
  const { names, left } = await copyData(dataDir, copy)
  const parts = await describeParts(copy, names)
  const manifest: BackupManifest = { service, version, madeAtMs: nowMs, parts }
  return { manifest, left: [...left] }
}

/** A restore writes to these tables (the lost period, and paused vouchers), so their row counts differ. */
const CHANGED_BY_RESTORE = new Set(['voucher_audit', 'controls'])

/**
 * Restores a decrypted backup into a folder, and compares row counts per table. Throws an Error that names the first
 * difference.
 */
export async function runRestoreDrill(
  opened: string,
  into: string,
  { parts }: BackupManifest,
  nowMs: number,
): Promise<void> {
  await restoreStore(join(opened, STORE_NAME), into, nowMs)
  const part = parts.find(({ name }) => name === STORE_NAME)
  if (part) assertRows(part, countTableRows(join(into, STORE_NAME)), CHANGED_BY_RESTORE)
}

function isDrillDue(dataDir: string, nowMs: number): boolean {
  const last = statSync(join(dataDir, DRILL_MARK_FILE), { throwIfNoEntry: false })
  return !last || nowMs - last.mtimeMs >= BACKUP_LIMITS.drillEveryMs
}

/**
 * Starts the backups of a data directory. Throws an Error if the target already has backups. A new directory that
 * replaces a lost one would otherwise make its empty store the latest backup, and the old backups would expire.
 */
async function begin({ place, dataDir, isFirst }: BackupOptions): Promise<void> {
  const [other] = isFirst ? [] : inOrder(await place.list())
  if (other !== undefined)
    throw new Error(
      `${place.shown(other)} is not of this data directory: restore a backup, name another place in PREPD_BACKUP, or begin beside it with backups make --first`,
    )
  writeMarkFile(dataDir, BACKUP_MARK_FILE, 0)
}

/**
 * Reads the stored backup back and verifies it. Marks a damaged file and throws an Error with its fault. A file that
 * cannot be read at the moment may be sound, so it stays as it is.
 */
async function assertArrived(
  place: BackupTarget,
  { name, sizeBytes }: { readonly name: string; readonly sizeBytes: number },
  identity: string,
  folder: string,
): Promise<void> {
  let arrivedBytes = 0
  const transform = (bytes: Uint8Array, to: TransformStreamDefaultController<Uint8Array>) => {
    arrivedBytes += bytes.length
    to.enqueue(bytes)
  }
  const counted = new TransformStream<Uint8Array, Uint8Array>({ transform })
  try {
    await readArchive((await place.read(name)).pipeThrough(counted), identity, folder)
  } catch (error) {
    if (!(error instanceof UnsoundError)) throw unreadBackupError(place.shown(name), error)
    await place.reject(name)
    const isShort = arrivedBytes < sizeBytes
    const reason = isShort ? `${arrivedBytes} of ${sizeBytes} bytes arrived` : error.message
    const message = `${place.shown(name)} is marked as damaged, since ${reason}`
    throw new Error(message, { cause: error })
  }
}

function unreadBackupError(shown: string, error: unknown): Error {
  const reason = error instanceof Error ? error.message : 'no reason is known'
  return new Error(`${shown} is stored, but was not read back: ${reason}`, { cause: error })
}

/** Throws an Error if the target lacks all earlier backups, for example because its disk is not mounted. */
async function assertTargetMounted({ place, dataDir, isFirst }: BackupOptions): Promise<void> {
  const hasMade = statSync(join(dataDir, BACKUP_MARK_FILE)).mtimeMs > 0
  if (isFirst || !hasMade || inOrder(await place.list()).length > 0) return
  throw new Error(
    `${place.shown('')} holds none of the backups that were made before: mount its disk, or begin anew with backups make --first`,
  )
}

/** Writes a mark file whose time the running server reads. The time 0 means that no backup exists yet. */
export function writeMarkFile(dataDir: string, name: string, atMs: number): void {
  const path = join(dataDir, name)
  rmSync(path, { force: true })
  writeFileSync(path, `${new Date(atMs).toISOString()}\n`, { mode: 0o600, flag: 'wx' })
  utimesSync(path, atMs / 1000, atMs / 1000)
}

/** Removes expired backups and old interrupted copies. Returns the number of removed backups. */
async function prune({ keep }: BackupConfig, place: BackupTarget): Promise<number> {
  const expired = expiredBackups(await place.list(), keep)
  for (const name of expired) await place.remove(name)
  return expired.filter((name) => backupTimeMs(name) !== null).length
}

function totalRows({ parts }: BackupManifest): number {
  return parts.flatMap(({ rows = {} }) => Object.values(rows)).reduce((sum, rows) => sum + rows, 0)
}
