import { Failure } from '../../core/failure.ts'
import type { LogSync } from './log-sync.ts'

/** A committed transaction that is not known to be on disk. */
export type CommittedGroup = {
  /** The number of the group's steps. */
  readonly size: number
  readonly confirm: () => void
  /** Refuses the steps and takes back their changes. Called for the newest group first. */
  readonly fail: (error: Failure) => void
}

/** Committed groups that wait for the disk. */
export type SyncQueue = {
  /** Confirms the group once a sync has covered it, or fails it. */
  readonly push: (group: CommittedGroup) => void
  /** Whether a sync failed after the last call of `reset`. */
  readonly hasFailed: () => boolean
  /** Allows syncs again after `emptyLog`, which moves every commit out of the log, or throws. */
  readonly reset: (emptyLog: () => void) => void
  /** Confirms or fails every waiting group before it returns. */
  readonly close: () => void
}

/** A disk this fast takes less time than a change of threads, so a single caller's commit is synced in place. */
const IN_PLACE_MAX_MS = 1

/**
 * Confirms groups in the order of their commits. While a sync runs, the event loop continues and more groups commit;
 * one sync then covers all of them. Syncs never overlap: with two at a time, the kernel could report the failed write
 * of one group to the sync of a different group.
 *
 * After a failed sync the kernel may have dropped pages of the log, and a later sync would succeed without them.
 * Therefore a failure refuses every group that waits, and `reset` must precede the next sync.
 */
export function createSyncQueue(log: LogSync): SyncQueue {
  let syncing: readonly CommittedGroup[] = []
  let committed: readonly CommittedGroup[] = []
  let failed = false

  function begin(): void {
    syncing = [...syncing, ...committed]
    committed = []
  }

  /** Confirms the groups of a sync, or fails them and the groups committed since. */
  function settle(error: unknown): void {
    if (error) begin()
    const groups = syncing
    syncing = []
    failed ||= Boolean(error)
    if (error) failAll(groups, error)
    else for (const { confirm } of groups) confirm()
  }

  function syncInPlace(): void {
    begin()
    settle(blockingError(log))
  }

  function syncInPool(): void {
    begin()
    log.start((error) => {
      settle(error)
      if (committed.length > 0) syncInPool()
    })
  }

  return {
    push: (group) => {
      committed = [...committed, group]
      if (syncing.length > 0) return
      if (group.size === 1 && (log.tookMs() ?? IN_PLACE_MAX_MS) < IN_PLACE_MAX_MS) syncInPlace()
      else syncInPool()
    },
    hasFailed: () => failed,
    reset: (emptyLog) => {
      emptyLog()
      log.reset()
      failed = false
    },
    close: () => {
      if (syncing.length + committed.length > 0) syncInPlace()
      log.close()
    },
  }
}

function failAll(groups: readonly CommittedGroup[], cause: unknown): void {
  const failure = new Failure('store_unavailable', undefined, { cause })
  for (const { fail } of groups.toReversed()) fail(failure)
}

/** Syncs the log on the event loop. Returns the error; null after a success. */
function blockingError(log: LogSync): unknown {
  try {
    log.block()
    return null
  } catch (error) {
    return error
  }
}
