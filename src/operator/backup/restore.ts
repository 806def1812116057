import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { BackupManifest } from '../../contract/operator/backup.ts'
import { BACKUP_MARK_FILE } from '../../contract/operator/process.ts'
import { STORE_NAME } from '../../store/connection/world.ts'
import { restoreStore } from '../../store/restore.ts'
import { readArchive } from './archive.ts'
import { runRestoreDrill, writeMarkFile } from './make.ts'
import { inOrder } from './retention.ts'
import type { BackupTarget } from './target.ts'

/** A backup to restore into a data directory, and the private key that decrypts the backup. */
type Opened = {
  readonly bytes: ReadableStream<Uint8Array>
  /** The age private key: `AGE-SECRET-KEY-1…`. */
  readonly identity: string
  readonly dataDir: string
  readonly nowMs: number
}

/**
 * Restores an encrypted backup with all its files into a data directory that has no store. Throws an Error as
 * `restoreStore` does, and for a damaged backup or a wrong identity.
 */
export function restoreBackup({ dataDir, nowMs, ...opened }: Opened) {
  return inScratch(dataDir, async (scratch) => {
    const manifest = await readArchive(opened.bytes, opened.identity, scratch)
    const others = manifest.parts.flatMap(({ name }) => (name === STORE_NAME ? [] : [name]))
    const own = join(dataDir, BACKUP_MARK_FILE)
    // Adds the mark file, so that later backups continue at the same target.
    if (!existsSync(own)) others.push(BACKUP_MARK_FILE)
    writeMarkFile(scratch, BACKUP_MARK_FILE, manifest.madeAtMs)
    const paths = others.map((name) => join(scratch, name))
    const facts = await restoreStore(join(scratch, STORE_NAME), dataDir, nowMs, {
      others: paths,
      madeAtMs: manifest.madeAtMs,
    })
    utimesSync(own, manifest.madeAtMs / 1000, manifest.madeAtMs / 1000)
    return { ...facts, manifest }
  })
}

/** Restores an encrypted backup into a scratch folder next to the data directory, and compares row counts per table. */
export function drillBackup({ dataDir, nowMs, ...opened }: Opened): Promise<BackupManifest> {
  return inScratch(dataDir, async (scratch) => {
    const copy = join(scratch, 'copy')
    mkdirSync(copy, { mode: 0o700 })
    const manifest = await readArchive(opened.bytes, opened.identity, copy)
    await runRestoreDrill(copy, join(scratch, 'data'), manifest, nowMs)
    return manifest
  })
}

async function inScratch<Value>(
  dataDir: string,
  work: (scratch: string) => Promise<Value>,
): Promise<Value> {
  const beside = dirname(resolve(dataDir))
  mkdirSync(beside, { recursive: true })
  const scratch = mkdtempSync(join(beside, '.prepd-restore-'))
  try {
    return await work(scratch)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/**
 * The backup that an operator names with `latest`, a name at the target, or `s3://BUCKET/NAME`. Throws an Error if it
 * does not exist.
 */
export async function findBackup(place: BackupTarget, wanted: string): Promise<string> {
  const kept = inOrder(await place.list())
  const name = wanted === 'latest' ? kept.at(-1) : kept.find((each) => isNamed(place, each, wanted))
  if (name === undefined)
    throw new Error(`there is no backup ${wanted} where PREPD_BACKUP keeps them`)
  return name
}

function isNamed(place: BackupTarget, name: string, wanted: string): boolean {
  return name === wanted || place.shown(name) === wanted
}
