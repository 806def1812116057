import { SQLiteError } from 'bun:sqlite'
import { Failure } from '../../core/failure.ts'
import { systemErrorCode } from '../../core/loop/guarded.ts'

/** The file cannot be opened as a store. The message names the file, the cause and the setting. */
export class StoreUnusableError extends Error {
  override readonly name = 'StoreUnusableError'
  constructor(path: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : 'unknown cause'
    super(`${path} cannot be used: ${reason}. PREPD_DATA_DIR names its folder.`, { cause })
  }
}

/** Failures of a store's file while it is open. */
export type StoreTrouble = {
  /**
   * Returns the result of the work. Throws Failure `store_unavailable`
   * - after an error of SQLite, which rolls the work back,
   * - after the store was closed, for calls that were in progress at a stop.
   */
  readonly guard: <Value>(work: () => Value) => Value
  /** Refuses all work from now on. */
  readonly close: () => void
  /** SQLite's code of a damage found since the start; null without damage. */
  readonly damage: () => string | null
}

const DAMAGED = /^SQLITE_(?:CORRUPT|NOTADB)/

export function watchTrouble(): StoreTrouble {
  let damage: string | null = null
  let isClosed = false

  function guard<Value>(work: () => Value): Value {
    if (isClosed) throw new Failure('store_unavailable')
    try {
      return work()
    } catch (error) {
      if (!(error instanceof SQLiteError)) throw error
      if (DAMAGED.test(error.code ?? '')) damage = error.code ?? null
      throw new Failure('store_unavailable', undefined, { cause: error })
    }
  }

  return {
    guard,
    close: () => {
      isClosed = true
    },
    damage: () => damage,
  }
}

/** The cause of a failed store for logs and pages: SQLite's or the system's code, or PostgreSQL's fault. */
export function storeErrorCode(error: unknown): string {
  const cause = error instanceof Failure ? error.cause : error
  if (cause instanceof SQLiteError) return cause.code ?? cause.name
  if (cause instanceof Error && 'fault' in cause) return `postgres ${cause.fault}`
  return systemErrorCode(cause) || 'unknown'
}

/** Runs a task that may be skipped while the store is failing. */
export function attemptOptional(guard: StoreTrouble['guard'], work: () => unknown): void {
  try {
    guard(work)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
  }
}
