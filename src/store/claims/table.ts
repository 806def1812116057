import { Failure } from '../../core/failure.ts'
import type { Claim, Store } from '../../core/ports.ts'
import { LIMITS } from '../../spec/limits.ts'
import type { Commit, GroupCommit } from '../connection/group-commit.ts'
import type { Statements } from '../connection/statements.ts'
import { attempt, type Trouble } from '../connection/trouble.ts'

type Parts = {
  /** Commits are with the kernel: giving back and forgetting need no more. */
  readonly database: Statements
  /** Commits are on the disk, by `group`. */
  readonly synced: Statements
  readonly group: Pick<GroupCommit, 'durably' | 'lostAtMs'>
  readonly guard: Trouble['guard']
  /** Most identities at once. */
  readonly heldMax?: number
}

type ClaimTable = Store['once'] & {
  /** Deletes what has expired, at most so many rows, the oldest spans first; answers how many went. */
  readonly sweep: (nowMs: number, rowsMax: number) => number
}

/**
 * Identities that may be claimed once. What is claimed is held in memory and appended to a table; the one step at a time
 * of the group's transaction decides, so two claims cannot both win.
 */
export function claimTable(parts: Parts): ClaimTable {
  const { group, guard, heldMax = LIMITS.claimsHeldMax } = parts
  const statements = statementsOf(parts)
  const { put, newest, all, forget } = statements
  const rows = guard(() => all.all())
  const held = holdClaims(rows)
  /** Identities that the transaction at hand claims. */
  const pending = new Set<string>()
  let lastId = rows.at(-1)?.id ?? 0

  function appendWithin(
    { identity, sinceMs, expiresAtMs, record = null }: Claim,
    nowMs: number,
    commit: Commit,
  ): ClaimRow | null {
    const known = held.find(identity)
    if (pending.has(identity) || (known && known.expiresAtMs > nowMs)) return null
    lastId += 1
    const row = { id: lastId, identity, expiresAtMs, record }
    put.run({ ...row, sequence: commit.sequence })
    commit.isCounted = true
    commit.signedMs = Math.max(commit.signedMs, sinceMs)
    pending.add(identity)
    return row
  }

  async function claim(wanted: Claim, nowMs: number): Promise<boolean> {
    if (wanted.sinceMs <= group.lostAtMs) return false
    if (held.count() >= heldMax) throw new Failure('store_unavailable')
    let mine: ClaimRow | null = null
    try {
      const row = await group.durably((commit) => {
        mine = appendWithin(wanted, nowMs, commit)
        return mine
      })
      if (row) held.put(row)
      return row !== null
    } finally {
      if (mine) pending.delete(wanted.identity)
    }
  }

  return {
    claim,
    ...changesOf(held, statements, guard),
    list: async (rowsMax) => ({ count: held.count(), rows: guard(() => newest.all({ rowsMax })) }),
    find: async (identity) => {
      const row = held.find(identity)
      return row ? { expiresAtMs: row.expiresAtMs, record: row.record } : null
    },
    sweep: (nowMs, rowsMax) => {
      const over = held.over(nowMs, rowsMax)
      if (over.length > 0) forget(over)
      held.drop(over)
      return over.length
    },
  }
}

/** Changes of claims that were made, each in the file and then in memory. */
function changesOf(
  held: HeldClaims,
  { end, note }: Pick<ReturnType<typeof statementsOf>, 'end' | 'note'>,
  guard: Trouble['guard'],
): Pick<ClaimTable, 'release' | 'settle'> {
  function change(identity: string, apply: (row: ClaimRow) => void): void {
    const row = held.find(identity)
    if (row) attempt(guard, () => apply(row))
  }
  return {
    release: async (identity) =>
      change(identity, (row) => {
        end.run({ id: row.id })
        held.giveBack(row)
      }),
    settle: async (identity, record) =>
      change(identity, (row) => {
        note.run({ id: row.id, record })
        held.put({ ...row, record })
      }),
  }
}

function statementsOf({ database, synced }: Pick<Parts, 'database' | 'synced'>) {
  const columns = 'identity, expires_at_ms AS expiresAtMs'
  return {
    put: synced.prepare<null, [ClaimRow & { sequence: number }]>(
      `INSERT INTO claims (id, identity, expires_at_ms, sequence, record)
       VALUES ($id, $identity, $expiresAtMs, $sequence, $record)`,
    ),
    end: database.prepare<null, [{ id: number }]>(
      'UPDATE claims SET expires_at_ms = 0 WHERE id = $id',
    ),
    note: database.prepare<null, [Pick<ClaimRow, 'id' | 'record'>]>(
      'UPDATE claims SET record = $record WHERE id = $id',
    ),
    newest: database.prepare<Omit<ClaimRow, 'id' | 'record'>, [{ rowsMax: number }]>(
      `SELECT ${columns} FROM claims WHERE expires_at_ms > 0 ORDER BY id DESC LIMIT $rowsMax`,
    ),
    all: database.prepare<ClaimRow, []>(`SELECT id, ${columns}, record FROM claims ORDER BY id`),
    forget: deletion(database),
  }
}

/** Deletes rows; the number of the last commit, which the newest of them may carry, is kept. */
function deletion(database: Statements): (rows: readonly ClaimRow[]) => void {
  const keep = database.prepare<null, []>(
    `UPDATE commits SET sequence =
       max(sequence, coalesce((SELECT sequence FROM claims ORDER BY id DESC LIMIT 1), 0))`,
  )
  const drop = database.prepare<null, [{ id: number }]>('DELETE FROM claims WHERE id = $id')
  return database.transaction((rows: readonly ClaimRow[]) => {
    keep.run()
    for (const { id } of rows) drop.run({ id })
  })
}

/** A row of claims. */
export type ClaimRow = {
  readonly id: number
  readonly identity: string
  readonly expiresAtMs: number
  readonly record: string | null
}

/** The claims of a table in memory: what is claimed until when, and which rows are over. */
export type HeldClaims = {
  /** The last row of an identity; undefined when it was given back or never claimed. */
  readonly find: (identity: string) => ClaimRow | undefined
  /** Holds a row, in place of one of the same id. */
  readonly put: (row: ClaimRow) => void
  /** Forgets an identity; its row is over when its time has come. */
  readonly giveBack: (row: ClaimRow) => void
  /** Rows that are over, at most so many. */
  readonly over: (nowMs: number, rowsMax: number) => readonly ClaimRow[]
  /** Forgets rows that are gone. */
  readonly drop: (rows: readonly ClaimRow[]) => void
  /** How many identities are held. */
  readonly count: () => number
}

/** Rows that end within so long lie together, so that a look for what is over passes by the rest. */
const SPAN_MS = 10_000

/** Claims of these rows, in the order they were made. */
function holdClaims(rows: readonly ClaimRow[]): HeldClaims {
  const byIdentity = new Map<string, ClaimRow>()
  const bySpan = new Map<number, Set<ClaimRow>>()

  function put(row: ClaimRow): void {
    const earlier = byIdentity.get(row.identity)
    byIdentity.set(row.identity, row)
    const span = spanOf(row.expiresAtMs)
    const together = bySpan.get(span)
    if (earlier?.id === row.id) together?.delete(earlier)
    if (together) together.add(row)
    else bySpan.set(span, new Set([row]))
  }

  function giveBack(row: ClaimRow): void {
    if (byIdentity.get(row.identity) === row) byIdentity.delete(row.identity)
  }

  function* rowsUpTo(nowMs: number): Iterable<ClaimRow> {
    for (const [span, together] of bySpan) if (span <= spanOf(nowMs)) yield* together
  }

  function over(nowMs: number, rowsMax: number): readonly ClaimRow[] {
    const found: ClaimRow[] = []
    for (const row of rowsUpTo(nowMs)) {
      if (found.length >= rowsMax) break
      if (row.expiresAtMs <= nowMs) found.push(row)
    }
    return found
  }

  function drop(gone: readonly ClaimRow[]): void {
    for (const row of gone) {
      giveBack(row)
      const span = spanOf(row.expiresAtMs)
      const together = bySpan.get(span)
      together?.delete(row)
      if (together?.size === 0) bySpan.delete(span)
    }
  }

  for (const row of rows) {
    put(row)
    if (row.expiresAtMs === 0) giveBack(row)
  }
  return {
    find: (identity) => byIdentity.get(identity),
    put,
    giveBack,
    over,
    drop,
    count: () => byIdentity.size,
  }
}

function spanOf(atMs: number): number {
  return Math.floor(atMs / SPAN_MS)
}
