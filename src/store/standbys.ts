import type {
  KeyPair,
  SignedCancel,
  Standby,
  StandbyChange,
  StandbyStore,
} from '../core/standby.ts'
import { STANDBY } from '../spec/standby.ts'
import type { GroupCommit } from './connection/group-commit.ts'
import type { Statements } from './connection/statements.ts'
import type { Trouble } from './connection/trouble.ts'

type Row = Omit<Standby, 'cancels'> & { readonly cancels: string }

type StandbyTable = StandbyStore & {
  /** Forgets what became of those that ended long ago, at most so many; answers how many went. */
  readonly sweep: (nowMs: number, rowsMax: number) => number
}

const COLUMNS = `account_id AS accountId, public_key AS publicKey, cancels, signed_at_ms AS signedAtMs,
  after_ms AS afterMs, due_at_ms AS dueAtMs, ends_at_ms AS endsAtMs, state,
  changed_at_ms AS changedAtMs, failure`

const OF_PAIR = 'account_id = $accountId AND public_key = $publicKey'

/** Standby cancels in a file. What is armed, withdrawn or begun to be sent is on the disk before it counts. */
export function standbyTable(
  { database, synced }: { readonly database: Statements; readonly synced: Statements },
  { durably }: Pick<GroupCommit, 'durably'>,
  guard: Trouble['guard'],
): StandbyTable {
  const arm = synced.prepare<null, [Row]>(
    `INSERT INTO standbys (account_id, public_key, cancels, signed_at_ms, after_ms, due_at_ms,
       ends_at_ms, state, changed_at_ms, failure)
     VALUES ($accountId, $publicKey, $cancels, $signedAtMs, $afterMs, $dueAtMs,
       $endsAtMs, $state, $changedAtMs, $failure)
     ON CONFLICT (account_id, public_key) DO UPDATE SET
       cancels = excluded.cancels, signed_at_ms = excluded.signed_at_ms,
       after_ms = excluded.after_ms, due_at_ms = excluded.due_at_ms,
       ends_at_ms = excluded.ends_at_ms, state = excluded.state,
       changed_at_ms = excluded.changed_at_ms, failure = excluded.failure
     WHERE standbys.state <> 'sending' AND standbys.signed_at_ms < excluded.signed_at_ms`,
  )
  const find = database.prepare<Row, [KeyPair]>(`SELECT ${COLUMNS} FROM standbys WHERE ${OF_PAIR}`)
  const withdraw = synced.prepare<null, [KeyPair & { nowMs: number }]>(
    `UPDATE standbys SET state = 'withdrawn', cancels = '[]', changed_at_ms = $nowMs
     WHERE ${OF_PAIR} AND state = 'armed'`,
  )
  const postpone = database.prepare<null, [KeyPair & { atMs: number }]>(
    `UPDATE standbys SET due_at_ms = min($atMs + after_ms, ends_at_ms)
     WHERE ${OF_PAIR} AND state = 'armed' AND due_at_ms < min($atMs + after_ms, ends_at_ms)`,
  )
  const counts = database.prepare<{ state: string; count: number }, []>(
    'SELECT state, count(*) AS count FROM standbys GROUP BY state ORDER BY state',
  )
  const isDue = database.prepare<{ due: number }, [{ nowMs: number }]>(
    `SELECT 1 AS due FROM standbys
     WHERE state IN ('armed', 'sending') AND due_at_ms <= $nowMs LIMIT 1`,
  )
  const take = synced.prepare<Row, [{ nowMs: number; untilMs: number; rowsMax: number }]>(
    `UPDATE standbys SET state = 'sending', due_at_ms = $untilMs, changed_at_ms = $nowMs
     WHERE (account_id, public_key) IN (
       SELECT account_id, public_key FROM standbys
       WHERE state IN ('armed', 'sending') AND due_at_ms <= $nowMs
       ORDER BY due_at_ms LIMIT $rowsMax)
     RETURNING ${COLUMNS}`,
  )
  const put = synced.prepare<null, [KeyPair & PutRow]>(
    `UPDATE standbys SET cancels = $cancels, due_at_ms = $dueAtMs, state = $state,
       changed_at_ms = $changedAtMs, failure = $failure
     WHERE ${OF_PAIR} AND state = 'sending' AND due_at_ms = $untilMs`,
  )
  const forget = database.prepare<null, [{ beforeMs: number; rowsMax: number }]>(
    `DELETE FROM standbys WHERE (account_id, public_key) IN (
       SELECT account_id, public_key FROM standbys
       WHERE state NOT IN ('armed', 'sending') AND changed_at_ms <= $beforeMs LIMIT $rowsMax)`,
  )
  return {
    arm: (standby) => durably(() => arm.run(rowOf(standby)).changes === 1),
    find: async (pair) => {
      const row = guard(() => find.get(pair))
      return row && standbyOf(row)
    },
    withdraw: (pair, nowMs) => durably(() => withdraw.run({ ...pair, nowMs }).changes === 1),
    postpone: async (pairs) =>
      guard(() => {
        for (const pair of pairs) postpone.run(pair)
      }),
    counts: async () => guard(() => counts.all()),
    take: async (nowMs, untilMs, rowsMax) => {
      // Mostly there is none, and nothing to be written.
      if (guard(() => isDue.get({ nowMs })) === null) return []
      const rows = await durably(() => take.all({ nowMs, untilMs, rowsMax }))
      return rows.map(standbyOf)
    },
    put: ({ accountId, publicKey, dueAtMs: untilMs }, next) =>
      durably(() => put.run({ accountId, publicKey, untilMs, ...rowOf(next) }).changes === 1),
    sweep: (nowMs, rowsMax) => forget.run({ beforeMs: nowMs - STANDBY.keptMs, rowsMax }).changes,
  }
}

type PutRow = Omit<StandbyChange, 'cancels'> & {
  readonly cancels: string
  readonly untilMs: number
}

/** A standby as it is stored: its cancels are text. */
export function rowOf<Kind extends { readonly cancels: readonly SignedCancel[] }>(
  standby: Kind,
): Omit<Kind, 'cancels'> & { readonly cancels: string } {
  return { ...standby, cancels: JSON.stringify(standby.cancels) }
}

/** The other way round. */
export function standbyOf(row: Row): Standby {
  return { ...row, cancels: JSON.parse(row.cancels) }
}
