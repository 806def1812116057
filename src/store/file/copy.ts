import type { Database } from 'bun:sqlite'
import { closeSync, openSync, rmSync } from 'node:fs'
import { sync } from '../connection/new-file.ts'
import { assertSound, readFactsAtRest, type StoreFacts } from './facts.ts'

/**
 * Copies a store as it is at one moment into a new file, mode 0600, and reads the copy through. Throws an Error when
 * anything has that name, a link to nothing included; what could not be finished is removed.
 */
export function copyInto(source: Database, to: string): StoreFacts {
  makeOwn(to)
  try {
    source.run('VACUUM INTO ?', [to])
    sync(to)
    return assertSound(to, readFactsAtRest(to))
  } catch (error) {
    rmSync(to, { force: true })
    throw error
  }
}

/** Makes an empty file for its owner alone. */
function makeOwn(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown'
    if (code === 'EEXIST') throw new Error(`${path} is there already`, { cause: error })
    throw new Error(`${path} cannot be made: ${code}`, { cause: error })
  }
}
