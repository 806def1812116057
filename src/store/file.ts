import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { sync } from './connection/new-file.ts'
import {
  assertSound,
  named,
  openRaw,
  readFacts,
  readFactsAtRest,
  type StoreFacts,
} from './file/facts.ts'
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
    backup: async (to) => {
      makeOwn(to)
      try {
        return copyInto(path, to)
      } catch (error) {
        rmSync(to, { force: true })
        throw error
      }
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

/** Makes an empty file for its owner alone. Throws when anything has that name, a link to nothing included. */
function makeOwn(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown'
    if (code === 'EEXIST') throw new Error(`${path} is there already`, { cause: error })
    throw new Error(`${path} cannot be made: ${code}`, { cause: error })
  }
}

function copyInto(path: string, to: string): StoreFacts {
  named(path, () => {
    using source = openRaw(path)
    source.run('VACUUM INTO ?', [to])
  })
  sync(to)
  return assertSound(to, readFactsAtRest(to))
}
