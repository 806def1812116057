import { SQLiteError } from 'bun:sqlite'
import { Failure } from '../../core/failure.ts'

/** The file cannot be opened as a store; the message names it, the cause and the setting. */
export class StoreUnusableError extends Error {
  override readonly name = 'StoreUnusableError'
  constructor(path: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : 'unknown cause'
    super(`${path} cannot be used: ${reason}. PREPD_DATA_DIR names its folder.`, { cause })
  }
}

/** Failures of a store's file while it is open. */
export type Trouble = {
  /**
   * Answers what the work answers. Throws Failure `store_unavailable` where SQLite refuses, and what it did is undone, or
   * where the store was closed: calls that were under way at a stop end so.
   */
  readonly guard: <Value>(work: () => Value) => Value
  /** Refuses all work from now on. */
  readonly close: () => void
  /** The code of SQLite for a damaged file, once one was met; until the next start. */
  readonly damage: () => string | null
}

const DAMAGED = /^SQLITE_(?:CORRUPT|NOTADB)/

export function watchTrouble(): Trouble {
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

/** The cause of a failed store for logs and pages: SQLite's code, or how PostgreSQL failed. */
export function codeOf(error: unknown): string {
  const cause = error instanceof Failure ? error.cause : error
  if (cause instanceof SQLiteError) return cause.code ?? cause.name
  return cause instanceof Error && 'fault' in cause ? `postgres ${cause.fault}` : 'unknown'
}

/** Does what may as well not be done where the store is in trouble. */
export function attempt(guard: Trouble['guard'], work: () => unknown): void {
  try {
    guard(work)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
  }
}
