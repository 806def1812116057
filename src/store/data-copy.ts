import { Database } from 'bun:sqlite'
import { copyFileSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { BACKUP_LIMITS, DRILL_MARK_FILE } from '../contract/operator/backup.ts'
import { BACKUP_MARK_FILE } from '../contract/operator/process.ts'
import { assertSound, findDamage, named, readFactsAtRest } from './connection/file-facts.ts'
import { LOCK_NAME } from './connection/instance-lock.ts'
import { COMPANION_SUFFIXES } from './connection/new-file.ts'
import { copyDatabase } from './connection/upgrade.ts'
import { STORE_NAME, VENUE_NAME } from './connection/world.ts'
import { openStoreFile } from './file.ts'

/** The result of copying a data directory. `left` names skipped entries: too large, or not a file. */
export type DataCopy = { readonly names: readonly string[]; readonly left: readonly string[] }

/** Files that a copy leaves out: locks and marks belong to one process, and the store's copy contains the venue's world. */
const PROCESS_FILES = new Set([
  LOCK_NAME,
  'prepd.mark',
  BACKUP_MARK_FILE,
  DRILL_MARK_FILE,
  VENUE_NAME,
])
const UPGRADE_COPY = /\.version-\d+(?:\.new)?$/
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

/**
 * Copies a data directory into an empty folder while prepd runs: snapshots of the store (with the embedded venue's
 * world) and of the other databases, and further files. Throws an Error that names the file that cannot be copied.
 */
export async function copyData(dataDir: string, to: string): Promise<DataCopy> {
  await openStoreFile(join(dataDir, STORE_NAME)).backup(join(to, STORE_NAME))
  const others = readdirSync(dataDir).filter((name) => name !== STORE_NAME && !isProcessFile(name))
  const names = others.filter((name) => copied(join(dataDir, name), join(to, name)))
  const left = others.filter((name) => !names.includes(name) && name !== 'backup.new')
  return { names: [STORE_NAME, ...names.sort()], left: left.sort() }
}

function isProcessFile(name: string): boolean {
  const isCompanion = COMPANION_SUFFIXES.some((end) => name.endsWith(end))
  return PROCESS_FILES.has(name) || isCompanion || UPGRADE_COPY.test(name)
}

function copied(from: string, to: string): boolean {
  const { size, isFile } = readFileFacts(from)
  if (!isFile || !FILE_NAME.test(from.slice(from.lastIndexOf('/') + 1))) return false
  if (isDatabase(from)) copyDatabase(from, to)
  else if (size > BACKUP_LIMITS.fileMaxBytes) return false
  else copyFileSync(from, to)
  return true
}

function readFileFacts(path: string): { readonly size: number; readonly isFile: boolean } {
  const facts = lstatSync(path)
  return { size: facts.size, isFile: facts.isFile() }
}

/** Whether a file's name is the name of an SQLite database. */
export function isDatabase(path: string): boolean {
  return path.endsWith('.sqlite')
}

/**
 * Row counts per table of a database without writers, after all its pages were read. Throws an Error that names a
 * damaged one.
 */
export function countTableRows(path: string): Readonly<Record<string, number>> {
  if (path.endsWith(`/${STORE_NAME}`)) assertSound(path, readFactsAtRest(path))
  else {
    const damage = findDamage(path)
    if (damage !== null) throw new Error(`${path} is damaged: ${damage}`)
  }
  return named(path, () => {
    using database = new Database(path, { readonly: true, strict: true })
    const tables = database
      .query<{ name: string }, []>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
      )
      .all()
    return Object.fromEntries(tables.map(({ name }) => [name, countRows(database, name)]))
  })
}

function countRows(database: Database, table: string): number {
  const quoted = `"${table.replaceAll('"', '""')}"`
  const row = database.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${quoted}`).get()
  return row?.rows ?? 0
}
