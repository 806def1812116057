import { statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BACKUP_MARK } from '../../spec/operator/process.ts'

/** What a user without privileges may still write to the disk of a path; null where it cannot be told. */
export function freeBytes(path: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  } catch {
    return null
  }
}

/** When a data directory was last backed up, in seconds since the epoch: 0 where it never was, null where it cannot be told. */
export function backupSeconds(dataDir: string): number | null {
  try {
    const mark = statSync(join(dataDir, BACKUP_MARK), { throwIfNoEntry: false })
    return (mark?.mtimeMs ?? 0) / 1000
  } catch {
    return null
  }
}
