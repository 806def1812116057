import { nextTurn } from '../core/loop/guarded.ts'
import type { CommitMark } from './commit-mark.ts'
import type { Statements } from './connection/statements.ts'
import type { Trouble } from './trouble.ts'

/** The transaction of a group. */
export type Commit = {
  /** Which one it is: one more than the last. */
  readonly sequence: number
  /** Whether a row that it writes carries its number, which is otherwise written down by itself. */
  isCounted: boolean
}

/** Statements that are on the disk, not only with the kernel, when their promise is kept. */
export type GroupCommit = {
  /** Answers what the step answered. Throws what the transaction threw, to everyone in it: nothing of it happened. */
  readonly durably: <Value>(step: (commit: Commit) => Value) => Promise<Value>
  /** When this file was found to have lost commits, 0 when never: what they held is not known. */
  readonly lostAtMs: number
  /** Commits what is still waiting. */
  readonly close: () => void
}

type Waiting = {
  readonly step: (commit: Commit) => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

type Opening = {
  /** When the file was opened: the moment of a loss found now. */
  readonly nowMs: number
  readonly guard: Trouble['guard']
  /** A connection that is open already, to read where the file stands. */
  readonly reader?: Statements
}

/**
 * Commits on a connection whose commits are synced. What is asked for in one turn of the loop shares one transaction,
 * and so one wait for the disk.
 */
export function createGroupCommit(
  database: Statements,
  mark: CommitMark,
  { nowMs, guard, reader = database }: Opening,
): GroupCommit {
  const last = reader.prepare<Known, []>(LAST_COMMIT).get() ?? { sequence: 0, lostAtMs: 0 }
  const { lostAtMs, ...known } = noticeLoss(database, mark, last, nowMs)
  const count = database.prepare<null, [{ sequence: number }]>(
    'UPDATE commits SET sequence = $sequence',
  )
  let { sequence } = known
  let waiting: Waiting[] = []

  const transact = database.transaction((group: readonly Waiting[]) => {
    const own: Commit = { sequence: sequence + 1, isCounted: false }
    const values = group.map(({ step }) => step(own))
    if (!own.isCounted) count.run({ sequence: own.sequence })
    return values
  })

  function commit(): void {
    const group = waiting
    waiting = []
    if (group.length === 0) return
    try {
      const values = guard(() => transact.immediate(group))
      sequence += 1
      writeMark(mark, sequence)
      for (const [index, { resolve }] of group.entries()) resolve(values[index])
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  function durably<Value>(step: (commit: Commit) => Value): Promise<Value> {
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    if (waiting.length === 0) nextTurn('store', commit)
    waiting.push({ step, resolve: (value) => resolve(value as Value), reject })
    return promise
  }

  return { durably, lostAtMs, close: commit }
}

// A mark that cannot be written is a weaker guard, and no reason to refuse what is committed.
function writeMark(mark: CommitMark, sequence: number): void {
  try {
    mark.write(sequence)
  } catch {
    // The next commit writes it again.
  }
}

type Known = { readonly sequence: number; readonly lostAtMs: number }

/** The number of the last commit: the newest claim may carry it. */
export const LAST_COMMIT = `SELECT lost_at_ms AS lostAtMs,
  max(sequence, coalesce((SELECT sequence FROM claims ORDER BY id DESC LIMIT 1), 0)) AS sequence
  FROM commits`

/**
 * Compares the file with its mark: a log whose tail is gone, an older copy, or a new file where there was one, knows
 * of fewer commits. The moment is written down with the count taken up, so that later starts know of it too; nonces
 * that may have been burnt go.
 */
function noticeLoss(database: Statements, mark: CommitMark, last: Known, nowMs: number): Known {
  const marked = mark.read()
  if (last.sequence >= marked) return last
  const lose = database.prepare<null, [number, number]>(
    'UPDATE commits SET sequence = ?, lost_at_ms = ?',
  )
  const forget = database.prepare<null, []>('DELETE FROM nonces')
  database.transaction(() => {
    lose.run(marked, nowMs)
    forget.run()
  })()
  return { sequence: marked, lostAtMs: nowMs }
}
