import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { named, openRaw, readFacts, type StoreFacts } from './file/facts.ts'
import { copyInto } from './file/upgrade.ts'
import { lockDirectory } from './instance-lock.ts'

/** A store's file beside the prepd that may have it open. */
export type StoreFile = {
  /** Reads every page. Throws an Error that names the file when it is no database. */
  readonly look: () => Promise<StoreFacts>
  /**
   * Copies it as it is at one moment into a new file, mode 0600, and reads the copy through. Throws when anything is
   * there, a link to nothing included; what it could not finish is removed.
   */
  readonly backup: (to: string) => Promise<StoreFacts>
  /** Writes it anew without its gaps; answers its size before and after. Throws StoreLockedError while prepd runs. */
  readonly vacuum: () => Promise<{ readonly beforeBytes: number; readonly afterBytes: number }>
}

/** The file at a path, which must be there. Throws when it is not. */
export function openStoreFile(path: string): StoreFile {
  if (!existsSync(path)) throw new Error(`there is no store at ${path}`)
  return {
    look: async () => readFacts(path),
    backup: async (to) =>
      named(path, () => {
        using source = openRaw(path)
        return copyInto(source, to)
      }),
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
