import { STANDBY } from '../contract/standby.ts'
import type {
  AccountKey,
  SignedCancel,
  Standby,
  StandbyChange,
  StandbyStore,
} from '../core/standby.ts'
import { statement } from './connection/statement.ts'
import type { TableAccess } from './connection/statements.ts'

type Row = Omit<Standby, 'cancels'> & { readonly cancels: string }

type StandbyTable = StandbyStore & {
  /** Deletes at most `rowsMax` standbys that ended long ago. Returns their number. */
  readonly sweep: (nowMs: number, rowsMax: number) => number
}

const COLUMNS = `account_id AS "accountId", public_key AS "publicKey", cancels,
  signed_at_ms AS "signedAtMs", after_ms AS "afterMs", due_at_ms AS "dueAtMs",
  ends_at_ms AS "endsAtMs", state, changed_at_ms AS "changedAtMs", failure`

const OF_PAIR = 'account_id = $accountId AND public_key = $publicKey'

/**
 * The statements shared by SQLite and PostgreSQL. With `locking`, instances that take rows at the same time get
 * different rows.
 */
export function standbyStatements(
  table: 'standbys' | 'prepd_standbys',
  locking: '' | 'FOR UPDATE SKIP LOCKED',
) {
  return {
    arm: statement<object, Row>(
      `INSERT INTO ${table} (account_id, public_key, cancels, signed_at_ms, after_ms, due_at_ms,
         ends_at_ms, state, changed_at_ms, failure)
       VALUES ($accountId, $publicKey, $cancels, $signedAtMs, $afterMs, $dueAtMs,
         $endsAtMs, $state, $changedAtMs, $failure)
       ON CONFLICT (account_id, public_key) DO UPDATE SET
         cancels = excluded.cancels, signed_at_ms = excluded.signed_at_ms,
         after_ms = excluded.after_ms, due_at_ms = excluded.due_at_ms,
         ends_at_ms = excluded.ends_at_ms, state = excluded.state,
         changed_at_ms = excluded.changed_at_ms, failure = excluded.failure
       WHERE ${table}.state <> 'sending' AND ${table}.signed_at_ms < excluded.signed_at_ms`,
    ),
    find: statement<Row, AccountKey>(`SELECT ${COLUMNS} FROM ${table} WHERE ${OF_PAIR}`),
    withdraw: statement<object, AccountKey & { nowMs: number }>(
      `UPDATE ${table} SET state = 'withdrawn', cancels = '[]', changed_at_ms = $nowMs
       WHERE ${OF_PAIR} AND state = 'armed'`,
    ),
    counts: statement<{ state: string; count: number }>(
      `SELECT state, count(*) AS count FROM ${table} GROUP BY state ORDER BY state`,
    ),
    take: statement<Row, { nowMs: number; untilMs: number; rowsMax: number }>(
      `UPDATE ${table} SET state = 'sending', due_at_ms = $untilMs, changed_at_ms = $nowMs
       WHERE (account_id, public_key) IN (
         SELECT account_id, public_key FROM ${table}
         WHERE state IN ('armed', 'sending') AND due_at_ms <= $nowMs
         ORDER BY due_at_ms LIMIT $rowsMax ${locking})
       RETURNING ${COLUMNS}`,
    ),
    put: statement<object, AccountKey & PutRow>(
      `UPDATE ${table} SET cancels = $cancels, due_at_ms = $dueAtMs, state = $state,
         changed_at_ms = $changedAtMs, failure = $failure
       WHERE ${OF_PAIR} AND state = 'sending' AND due_at_ms = $untilMs`,
    ),
  }
}

/** The values that take an outcome back: the leased standby to restore, and the stored state to replace. */
type TakenBack = Omit<Row, 'afterMs' | 'endsAtMs'> & {
  readonly nextState: string
  readonly nextChangedAtMs: number
}

type PutRow = Omit<StandbyChange, 'cancels'> & {
  readonly cancels: string
  readonly untilMs: number
}

const OWN = standbyStatements('standbys', '')

/** Standby cancels in a file. Arming, withdrawing and starting to send take effect only once they are durable. */
export function standbyTable({ database, synced, durably, guard }: TableAccess): StandbyTable {
  const arm = synced.shared(OWN.arm)
  const find = database.shared(OWN.find)
  const withdraw = synced.shared(OWN.withdraw)
  const counts = database.shared(OWN.counts)
  const take = synced.shared(OWN.take)
  const put = synced.shared(OWN.put)
  const takeBack = database.prepare<null, [TakenBack]>(
    `UPDATE standbys SET cancels = $cancels, due_at_ms = $dueAtMs, state = $state,
       changed_at_ms = $changedAtMs, failure = $failure
     WHERE ${OF_PAIR} AND signed_at_ms = $signedAtMs AND state = $nextState
       AND changed_at_ms = $nextChangedAtMs`,
  )
  const postpone = database.prepare<null, [AccountKey & { atMs: number }]>(
    `UPDATE standbys SET due_at_ms = min($atMs + after_ms, ends_at_ms)
     WHERE ${OF_PAIR} AND state = 'armed' AND due_at_ms < min($atMs + after_ms, ends_at_ms)`,
  )
  const isDue = database.prepare<{ due: number }, [{ nowMs: number }]>(
    `SELECT 1 AS due FROM standbys
     WHERE state IN ('armed', 'sending') AND due_at_ms <= $nowMs LIMIT 1`,
  )
  const forget = database.prepare<null, [{ beforeMs: number; rowsMax: number }]>(
    `DELETE FROM standbys WHERE (account_id, public_key) IN (
       SELECT account_id, public_key FROM standbys
       WHERE state NOT IN ('armed', 'sending') AND changed_at_ms <= $beforeMs LIMIT $rowsMax)`,
  )
  return {
    arm: (standby) => durably(() => arm.run(standbyRow(standby)).changes === 1),
    find: async (pair) => {
      const row = guard(() => find.get(pair))
      return row && toStandby(row)
    },
    withdraw: (pair, nowMs) => durably(() => withdraw.run({ ...pair, nowMs }).changes === 1),
    postpone: async (pairs) =>
      guard(() => {
        for (const pair of pairs) postpone.run(pair)
      }),
    counts: async () => guard(() => counts.all({})),
    take: async (nowMs, untilMs, rowsMax) => {
      // Fast path without a write: usually nothing is due.
      if (guard(() => isDue.get({ nowMs })) === null) return []
      const rows = await durably(() => take.all({ nowMs, untilMs, rowsMax }))
      return rows.map(toStandby)
    },
    put: ({ afterMs: _, endsAtMs: __, ...taken }, next) => {
      const { accountId, publicKey, dueAtMs: untilMs } = taken
      const outcome = { nextState: next.state, nextChangedAtMs: next.changedAtMs }
      return durably(
        () => put.run({ accountId, publicKey, untilMs, ...standbyRow(next) }).changes === 1,
        // The standby is then leased as before the outcome. After the lease, the next sender finds the same standby.
        (isStored) => isStored && takeBack.run({ ...standbyRow(taken), ...outcome }),
      )
    },
    sweep: (nowMs, rowsMax) => forget.run({ beforeMs: nowMs - STANDBY.keptMs, rowsMax }).changes,
  }
}

/** The row of a standby, with its cancels as text. */
export function standbyRow<Kind extends { readonly cancels: readonly SignedCancel[] }>(
  standby: Kind,
): Omit<Kind, 'cancels'> & { readonly cancels: string } {
  return { ...standby, cancels: JSON.stringify(standby.cancels) }
}

/** The standby of a row. */
export function toStandby(row: Row): Standby {
  return { ...row, cancels: JSON.parse(row.cancels) }
}
