import { LIMITS } from '../../contract/limits.ts'
import type { Claim } from '../../core/claim.ts'
import { Failure } from '../../core/failure.ts'
import { nextTurn } from '../../core/loop/guarded.ts'
import { LOSS_CONTROL, type Loss, lossText, parseLoss } from '../../core/loss.ts'
import type { CommitMark } from './commit-mark.ts'
import { attemptOptional, type StoreTrouble } from './errors.ts'
import type { LogSync } from './log-sync.ts'
import type { Statements } from './statements.ts'
import { type CommittedGroup, createSyncQueue } from './sync-queue.ts'

/** The transaction of a group. */
export type Commit = {
  /** The number of the commit: one more than the last. */
  readonly sequence: number
  /** Set by a step whose row stores the commit's number. If no step sets it, the number is stored separately. */
  isCounted: boolean
  /** The highest timestamp of a claim so far, in milliseconds since the epoch. */
  signedMs: number
}

type Durable<Value> = [step: (commit: Commit) => Value, undo?: (value: Value) => void]

/** Commits that are on disk, not only in the kernel, when their promise resolves. */
export type GroupCommit = {
  /**
   * Returns the step's result. Throws to every caller in the transaction
   * - the transaction's error; then the whole transaction is rolled back,
   * - Failure `store_unavailable` for a failed sync; then `undo` gets the step's result and takes back the changes. If
   *   `undo` fails or is missing, the changes remain in the file.
   */
  readonly durably: <Value>(...given: Durable<Value>) => Promise<Value>
  /** The highest possible timestamp of a claim in a lost commit; 0 without a loss. */
  readonly lostAtMs: number
  /** Whether an earlier claim of the identity may be lost: in a lost commit, or from before the file was created. */
  readonly isLost: (claim: Claim) => boolean
  /** A message if the file was missing although its mark existed, until the operator confirms this loss; otherwise null. */
  readonly missing: () => string | null
  /** Commits the waiting steps, and waits for the disk. */
  readonly close: () => void
}

type Waiting = {
  readonly step: (commit: Commit) => unknown
  /** Takes back the changes of a committed step, if the store can be written. */
  readonly undo: (value: unknown) => void
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

type Opening = {
  /** The time at which the file was opened; recorded as the time of a loss that this start finds. */
  readonly nowMs: number
  readonly guard: StoreTrouble['guard']
  /** Whether this start created the file. */
  readonly isNew: boolean
  /** An open connection, to read the file's last commit. */
  readonly reader: Statements
  readonly log: LogSync
}

/**
 * Commits the steps of one turn of the event loop in one transaction, then syncs the write-ahead log outside the
 * transaction. Before the sync, reads see the rows of the commit, but its callers get no answer and the mark is unchanged.
 *
 * A checkpoint between commit and sync loses no commit. With `synchronous = NORMAL` SQLite syncs the log before it
 * copies pages from it, and syncs the database before it marks the whole log as copied. Only then does SQLite overwrite
 * the log from the beginning. So each commit is in a part of the log that the next sync covers, or in the synced
 * database.
 */
export function createGroupCommit(
  database: Statements,
  mark: CommitMark,
  opening: Opening,
): GroupCommit {
  const { guard, reader, log } = opening
  const queue = createSyncQueue(log)
  const emptyLog = emptying(database, guard)
  const last = reader.prepare<KnownCommit, []>(LAST_COMMIT).get() ?? { sequence: 0, lostAtMs: 0 }
  const { lostAtMs, ...known } = recordStoreLoss(database, mark, last, opening)
  const beganMs = readCreationTime(reader, opening)
  const controls = controlsIn(reader)
  const count = database.prepare<null, [{ sequence: number }]>(
    'UPDATE commits SET sequence = $sequence',
  )
  let { sequence, signedMs } = known
  let waiting: Waiting[] = []

  const transact = database.transaction((group: readonly Waiting[]) => {
    const own: Commit = { sequence: sequence + 1, isCounted: false, signedMs }
    const values = group.map(({ step }) => step(own))
    if (!own.isCounted) count.run({ sequence: own.sequence })
    return { values, signedMs: own.signedMs }
  })

  function commit(): void {
    const group = waiting
    waiting = []
    if (group.length === 0) return
    try {
      if (queue.hasFailed()) queue.reset(emptyLog)
      const done = guard(() => transact.immediate(group))
      sequence += 1
      signedMs = done.signedMs
      const numbers = { commits: sequence, signedMs }
      queue.push(toCommittedGroup(group, done.values, () => mark.write(numbers)))
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  function durably<Value>(...given: Durable<Value>): Promise<Value> {
    const { promise, own } = toWaiting(guard, ...given)
    if (waiting.length === 0) nextTurn('store', commit)
    waiting.push(own)
    return promise
  }

  return {
    durably,
    lostAtMs,
    isLost: ({ sinceMs, isSigned = false, isRepeatable = false }) =>
      !isRepeatable && (sinceMs <= lostAtMs || (isSigned && sinceMs < beganMs)),
    missing: () => {
      const loss = parseLoss(guard(() => controls.find.get(LOSS_CONTROL))?.value)
      return loss?.kind === 'missing' ? lossText(loss) : null
    },
    close: () => {
      commit()
      queue.close()
    },
  }
}

function toWaiting<Value>(guard: StoreTrouble['guard'], ...[step, undo]: Durable<Value>) {
  const { promise, resolve, reject } = Promise.withResolvers<Value>()
  const own: Waiting = {
    step,
    undo: (value) => attemptOptional(guard, () => undo?.(value as Value)),
    resolve: (value) => resolve(value as Value),
    reject,
  }
  return { promise, own }
}

function toCommittedGroup(
  group: readonly Waiting[],
  values: readonly unknown[],
  onDurable: () => void,
): CommittedGroup {
  return {
    size: group.length,
    confirm: () => {
      onDurable()
      for (const [index, { resolve }] of group.entries()) resolve(values[index])
    },
    fail: (error) => {
      for (const { reject } of group) reject(error)
      // A later step may have replaced what an earlier one wrote.
      for (const [index, { undo }] of [...group.entries()].toReversed()) undo(values[index])
    },
  }
}

/**
 * Moves every commit from the log into the database and syncs it. On ext4 and XFS the kernel still has the pages of the
 * log that a failed sync did not write. A file system that discards them, such as Btrfs, needs a restart. Throws
 * Failure `store_unavailable` if a step fails, or while another process reads the log.
 */
function emptying(database: Statements, guard: StoreTrouble['guard']): () => void {
  const checkpoint = database.prepare<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)')
  return () => {
    if (guard(() => checkpoint.get())?.busy !== 0) throw new Failure('store_unavailable')
  }
}

type KnownCommit = { readonly sequence: number; readonly lostAtMs: number }

/** Reads the number of the last commit, from the `commits` row or from the newest claim, whichever is higher. */
export const LAST_COMMIT = `SELECT lost_at_ms AS lostAtMs,
  max(sequence, coalesce((SELECT sequence FROM claims ORDER BY id DESC LIMIT 1), 0)) AS sequence
  FROM commits`

/**
 * Compares the file with its mark. Fewer commits than the mark mean a loss: a truncated log, an older copy, or a new
 * file in place of the old one. After a loss, deletes the nonces, because they may have been used. Stores
 * - the mark's number of commits and the highest possible timestamp of a lost claim; later starts need both,
 * - the loss, until the operator confirms it.
 */
function recordStoreLoss(
  database: Statements,
  mark: CommitMark,
  last: KnownCommit,
  { nowMs, isNew }: Opening,
): KnownCommit & { readonly signedMs: number } {
  const { commits, signedMs } = mark.read()
  if (last.sequence >= commits) return { ...last, signedMs }
  const lose = database.prepare<null, [number, number]>(
    'UPDATE commits SET sequence = ?, lost_at_ms = max(lost_at_ms, ?)',
  )
  const forget = database.prepare<null, []>('DELETE FROM nonces')
  const controls = controlsIn(database)
  // A mark without a timestamp gives no bound, so lost claims may carry the latest timestamp that the rules allow.
  const lostAtMs = Math.max(nowMs, signedMs || nowMs + LIMITS.signatureAgeMaxMs, last.lostAtMs)
  database.transaction(() => {
    lose.run(commits, lostAtMs)
    forget.run()
    // A restore has already recorded a loss.
    const restored = parseLoss(controls.find.get(LOSS_CONTROL)?.value)
    const found: Loss = {
      ...{ kind: isNew ? 'missing' : 'behind', fromMs: null, atMs: nowMs },
      ...(restored?.unknownUntilMs === 0 && restored),
      unknownUntilMs: lostAtMs,
    }
    controls.put.run({ ...LOSS_CONTROL, value: JSON.stringify(found) })
  })()
  return { sequence: commits, lostAtMs, signedMs }
}

/**
 * The time at which the file was created; 0 if unknown. A server with a different file may have sent writes that were
 * signed earlier.
 */
function readCreationTime(database: Statements, { nowMs, isNew }: Opening): number {
  if (isNew) database.prepare<null, [number]>('UPDATE commits SET began_at_ms = ?').run(nowMs)
  const found = database.prepare<{ beganMs: number }, []>(
    'SELECT began_at_ms AS beganMs FROM commits',
  )
  return found.get()?.beganMs ?? 0
}

function controlsIn(database: Statements) {
  return {
    find: database.prepare<{ value: string }, [{ kind: string; key: string }]>(
      'SELECT value FROM controls WHERE kind = $kind AND key = $key',
    ),
    put: database.prepare<null, [{ kind: string; key: string; value: string }]>(
      'INSERT OR REPLACE INTO controls (kind, key, value) VALUES ($kind, $key, $value)',
    ),
  }
}
