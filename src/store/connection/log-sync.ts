import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  openSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { guarded } from '../../core/loop/guarded.ts'
import { sync } from './new-file.ts'

/** Syncs of a store's write-ahead log. A sync covers every commit that returned before it began. */
export type LogSync = {
  /** Waits for the disk in the thread pool. The callback gets the error, or null. One call at a time. */
  readonly start: (done: (error: unknown) => void) => void
  /** Waits for the disk on the event loop, also while a call of `start` runs. Throws the system's error. */
  readonly block: () => void
  /** Duration of the last sync in milliseconds; null before the first. */
  readonly tookMs: () => number | null
  /** Closes the log after a failed sync. The next sync opens the same file again. */
  readonly reset: () => void
  /** Closes the log. If a call of `start` still runs, the log is closed after that call. */
  readonly close: () => void
}

/** For a connection whose commits are on disk when they return, or whose data is in memory. */
export const SYNCED_BY_COMMIT: LogSync = {
  start: (done) => done(null),
  block: () => undefined,
  tookMs: () => null,
  reset: () => undefined,
  close: () => undefined,
}

/** The log is a different file than at the first sync, so commits may go to a deleted file. */
class LogReplacedError extends Error {
  override readonly name = 'LogReplacedError'
  readonly code = 'LOG_REPLACED'
  constructor(log: string) {
    super(`${log} was replaced while the store was open`)
  }
}

/**
 * The kernel reports a failed write once per open file. Syncs of the thread pool and syncs of the event loop therefore
 * use separate descriptors, so that neither gets the other's error.
 */
type OpenLog = { readonly pool: number; readonly loop: number }

/**
 * Syncs the write-ahead log of the database at a path, which stays open in this process. The first sync opens the log
 * and syncs the directory, so that the names of a new database and its log are on disk.
 *
 * SQLite keeps one log file as long as a connection is open, and truncates or overwrites it in place. Closing a
 * descriptor of the log is safe; a descriptor of the database itself would release SQLite's locks.
 */
export function openLogSync(path: string, monotonicMs: () => number): LogSync {
  const log = `${path}-wal`
  let opened: OpenLog | null = null
  let identity: Stats | null = null
  let isRunning = false
  let lastMs: number | null = null

  /** The open log. Throws the system's error, or LogReplacedError. */
  function current(): OpenLog {
    if (opened === null) {
      opened = { pool: openSync(log, 'r'), loop: openSync(log, 'r') }
      identity ??= fstatSync(opened.loop)
      sync(dirname(path), 'r')
    }
    const found = statSync(log)
    if (found.ino !== identity?.ino || found.dev !== identity.dev) throw new LogReplacedError(log)
    return opened
  }

  function reset(): void {
    if (opened === null) return
    closeSync(opened.loop)
    if (!isRunning) closeSync(opened.pool)
    opened = null
  }

  function start(done: (error: unknown) => void): void {
    const fromMs = monotonicMs()
    const { pool } = current()
    const ended = (error: unknown) => {
      isRunning = false
      lastMs = monotonicMs() - fromMs
      if (opened?.pool !== pool) closeSync(pool)
      done(error)
    }
    isRunning = true
    fdatasync(pool, guarded('store', ended))
  }

  return {
    start: (done) => {
      try {
        start(done)
      } catch (error) {
        done(error)
      }
    },
    block: () => {
      const fromMs = monotonicMs()
      fdatasyncSync(current().loop)
      lastMs = monotonicMs() - fromMs
    },
    tookMs: () => lastMs,
    reset,
    close: reset,
  }
}
