import {
  bodyLimits,
  type Limits,
  limitsBody,
  type MandateStore,
  type StoredMandate,
} from '../core/mandate.ts'
import { statement } from './connection/statement.ts'
import type { TableAccess } from './connection/statements.ts'

/** A stored mandate, with its limits as text. */
export type MandateRow = Omit<StoredMandate, 'limits'> & { readonly limits: string }

/** The statements shared by SQLite and PostgreSQL. */
export function mandateStatements(table: 'mandates' | 'prepd_mandates') {
  return {
    find: statement<MandateRow, { accountId: string }>(
      `SELECT account_id AS "accountId", limits, counter, frozen_by AS "frozenBy",
         changed_at_ms AS "changedAtMs", signed_at_ms AS "signedAtMs", change
       FROM ${table} WHERE account_id = $accountId`,
    ),
    counts: statement<{ state: string; count: number }>(
      `SELECT frozen_by AS state, count(*) AS count FROM ${table} GROUP BY 1 ORDER BY 1`,
    ),
  }
}

const OWN = mandateStatements('mandates')

/** Mandates in a file. A signed or tightened mandate takes effect only once it is durable. */
export function mandateTable({ database, synced, durably, guard }: TableAccess): MandateStore {
  const find = database.shared(OWN.find)
  const put = synced.prepare<null, [Omit<MandateRow, 'change' | 'signedAtMs'>]>(
    `INSERT INTO mandates (account_id, limits, counter, frozen_by, changed_at_ms, signed_at_ms, change)
     VALUES ($accountId, $limits, $counter, $frozenBy, $changedAtMs, $changedAtMs, 1)
     ON CONFLICT (account_id) DO UPDATE SET
       limits = excluded.limits, counter = excluded.counter, frozen_by = excluded.frozen_by,
       changed_at_ms = excluded.changed_at_ms, signed_at_ms = excluded.signed_at_ms,
       change = mandates.change + 1
     WHERE mandates.counter < excluded.counter`,
  )
  const tighten = synced.prepare<null, [Omit<MandateRow, 'counter' | 'signedAtMs'>]>(
    `UPDATE mandates SET limits = $limits, frozen_by = $frozenBy, changed_at_ms = $changedAtMs,
       change = change + 1
     WHERE account_id = $accountId AND change = $change`,
  )
  const counts = database.shared(OWN.counts)
  return {
    find: async (accountId) => {
      const row = guard(() => find.get({ accountId }))
      return row && toStoredMandate(row)
    },
    put: (mandate) => durably(() => put.run(mandateRow(mandate)).changes === 1),
    tighten: ({ accountId, change }, { limits, frozenBy, changedAtMs }) =>
      durably(
        () =>
          tighten.run(mandateRow({ accountId, change, limits, frozenBy, changedAtMs })).changes ===
          1,
      ),
    // Only one process has the file, so changes need no notification.
    watch: () => undefined,
    counts: async () => guard(() => counts.all({})),
  }
}

/** The row of a mandate. */
export function mandateRow<Kind extends { readonly limits: Limits }>(
  mandate: Kind,
): Omit<Kind, 'limits'> & { readonly limits: string } {
  return { ...mandate, limits: JSON.stringify(limitsBody(mandate.limits)) }
}

/** The mandate of a row. */
export function toStoredMandate(row: MandateRow): StoredMandate {
  return { ...row, limits: bodyLimits(JSON.parse(row.limits)) }
}
