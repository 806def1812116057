import type { Standby, StandbyStore } from '../../core/standby.ts'
import { STANDBY } from '../../spec/standby.ts'
import { rowOf, standbyOf } from '../standbys.ts'
import type { Statement } from './connection.ts'
import type { Link } from './link.ts'
import { guarded } from './trouble.ts'

const COLUMNS = `account_id AS "accountId", public_key AS "publicKey", cancels,
  signed_at_ms::float8 AS "signedAtMs", after_ms::float8 AS "afterMs", due_at_ms::float8 AS "dueAtMs", ends_at_ms::float8 AS "endsAtMs",
  state, changed_at_ms::float8 AS "changedAtMs", failure`

const ARM: Statement = {
  name: 'arm standby',
  text: `INSERT INTO prepd_standbys AS own (account_id, public_key, cancels, signed_at_ms, after_ms,
      due_at_ms, ends_at_ms, state, changed_at_ms, failure)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    ON CONFLICT (account_id, public_key) DO UPDATE SET
      cancels = excluded.cancels, signed_at_ms = excluded.signed_at_ms,
      after_ms = excluded.after_ms, due_at_ms = excluded.due_at_ms,
      ends_at_ms = excluded.ends_at_ms, state = excluded.state,
      changed_at_ms = excluded.changed_at_ms, failure = excluded.failure
    WHERE own.state <> 'sending' AND own.signed_at_ms < excluded.signed_at_ms`,
}
const FIND: Statement = {
  name: 'find standby',
  text: `SELECT ${COLUMNS} FROM prepd_standbys WHERE account_id = $1 AND public_key = $2`,
}
const WITHDRAW: Statement = {
  name: 'withdraw standby',
  text: `UPDATE prepd_standbys SET state = 'withdrawn', cancels = '[]', changed_at_ms = $3
    WHERE account_id = $1 AND public_key = $2 AND state = 'armed'`,
}
const POSTPONE: Statement = {
  name: 'put standbys off',
  text: `UPDATE prepd_standbys AS own SET due_at_ms = least(seen.at_ms + after_ms, ends_at_ms)
    FROM unnest($1::text[], $2::text[], $3::bigint[]) AS seen (account_id, public_key, at_ms)
    WHERE own.account_id = seen.account_id AND own.public_key = seen.public_key
      AND state = 'armed' AND due_at_ms < least(seen.at_ms + after_ms, ends_at_ms)`,
}
const COUNTS: Statement = {
  name: 'count standbys',
  text: 'SELECT state, count(*)::float8 AS count FROM prepd_standbys GROUP BY state ORDER BY state',
}
/** Instances that take at once get different rows. */
const TAKE: Statement = {
  name: 'take standbys',
  text: `UPDATE prepd_standbys SET state = 'sending', due_at_ms = $2, changed_at_ms = $1
    WHERE (account_id, public_key) IN (
      SELECT account_id, public_key FROM prepd_standbys
      WHERE state IN ('armed', 'sending') AND due_at_ms <= $1
      ORDER BY due_at_ms LIMIT $3 FOR UPDATE SKIP LOCKED)
    RETURNING ${COLUMNS}`,
}
const PUT: Statement = {
  name: 'put standby',
  text: `UPDATE prepd_standbys SET cancels = $4, due_at_ms = $5, state = $6, changed_at_ms = $7,
      failure = $8
    WHERE account_id = $1 AND public_key = $2 AND state = 'sending' AND due_at_ms = $3`,
}
/** Deletes so many of those that ended long ago. */
export const FORGET_STANDBYS: Statement = {
  name: 'sweep standbys',
  text: `DELETE FROM prepd_standbys WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM prepd_standbys
    WHERE state NOT IN ('armed', 'sending') AND
      changed_at_ms <= extract(epoch FROM now()) * 1000 - ${STANDBY.keptMs} LIMIT $1
    FOR UPDATE SKIP LOCKED))`,
}

type Row = Parameters<typeof standbyOf>[0]

/** Standby cancels that any instance sends, by the clocks of the instances: their own signatures are in that time. */
export function standbyTable({ ask }: Pick<Link, 'ask'>): StandbyStore {
  return {
    arm: async (standby) => (await guarded(ask(ARM, valuesOf(standby)))).count === 1,
    find: async ({ accountId, publicKey }) => {
      const { rows } = await guarded(ask<Row>(FIND, [accountId, publicKey]))
      const [row] = rows
      return row ? standbyOf(row) : null
    },
    withdraw: async ({ accountId, publicKey }, nowMs) =>
      (await guarded(ask(WITHDRAW, [accountId, publicKey, nowMs]))).count === 1,
    postpone: async (pairs) => {
      const accounts = pairs.map(({ accountId }) => accountId)
      const keys = pairs.map(({ publicKey }) => publicKey)
      await guarded(ask(POSTPONE, [accounts, keys, pairs.map(({ atMs }) => atMs)]))
    },
    counts: async () =>
      (await guarded(ask<{ readonly state: string; readonly count: number }>(COUNTS))).rows,
    take: async (nowMs, untilMs, rowsMax) => {
      const { rows } = await guarded(ask<Row>(TAKE, [nowMs, untilMs, rowsMax]))
      return rows.map(standbyOf)
    },
    put: async ({ accountId, publicKey, dueAtMs: untilMs }, next) => {
      const { cancels, dueAtMs, state, changedAtMs, failure } = rowOf(next)
      const values = [accountId, publicKey, untilMs, cancels, dueAtMs, state, changedAtMs, failure]
      return (await guarded(ask(PUT, values))).count === 1
    },
  }
}

function valuesOf(standby: Standby) {
  const { accountId, publicKey, cancels, signedAtMs, afterMs, ...rest } = rowOf(standby)
  const { dueAtMs, endsAtMs, state, changedAtMs, failure } = rest
  const times = [signedAtMs, afterMs, dueAtMs, endsAtMs]
  return [accountId, publicKey, cancels, ...times, state, changedAtMs, failure]
}
