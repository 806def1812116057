import type { Database } from 'bun:sqlite'
import type { CommitMark } from './commit-mark.ts'
import type { Trouble } from './trouble.ts'

/** Statements that are on the disk, not only with the kernel, when their promise is kept. */
export type GroupCommit = {
  /** Answers what the step answered. Throws what the transaction threw, to everyone in it: nothing of it happened. */
  readonly durably: <Value>(step: () => Value) => Promise<Value>
  /** When this file was found to have lost commits, 0 when never: what they held is not known. */
  readonly lostAtMs: number
  /** Commits what is still waiting. */
  readonly close: () => void
}

type Waiting = {
  readonly step: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * Commits on a connection whose commits are synced. What is asked for in one turn of the loop shares one transaction,
 * and so one wait for the disk. `nowMs` is when the file was opened: the moment of a loss found now.
 */
export function createGroupCommit(
  database: Database,
  mark: CommitMark,
  { nowMs, guard }: { readonly nowMs: number; readonly guard: Trouble['guard'] },
): GroupCommit {
  const lostAtMs = noticeLoss(database, mark, nowMs)
  const count = database.prepare<{ sequence: number }, []>(
    'UPDATE commits SET sequence = sequence + 1 RETURNING sequence',
  )
  let waiting: Waiting[] = []

  const transact = database.transaction((group: readonly Waiting[]) => {
    const values = group.map(({ step }) => step())
    return { values, sequence: count.get()?.sequence ?? 0 }
  })

  function commit(): void {
    const group = waiting
    waiting = []
    if (group.length === 0) return
    try {
      const { values, sequence } = guard(() => transact.immediate(group))
      writeMark(mark, sequence)
      for (const [index, { resolve }] of group.entries()) resolve(values[index])
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  function durably<Value>(step: () => Value): Promise<Value> {
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    if (waiting.length === 0) setImmediate(commit)
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

type Row = { readonly sequence: number; readonly lostAtMs: number }

/**
 * Compares the file with its mark: a log whose tail is gone, an older copy, or a new file where there was one, knows
 * of fewer commits. The moment is written down with the count taken up, so that later starts know of it too; nonces
 * that may have been burnt go.
 */
function noticeLoss(database: Database, mark: CommitMark, nowMs: number): number {
  const row = database.query<Row, []>('SELECT sequence, lost_at_ms AS lostAtMs FROM commits').get()
  const marked = mark.read()
  if (!row || row.sequence >= marked) return row?.lostAtMs ?? 0
  database.transaction(() => {
    database.run('UPDATE commits SET sequence = ?, lost_at_ms = ?', [marked, nowMs])
    database.run('DELETE FROM nonces')
  })()
  return nowMs
}
