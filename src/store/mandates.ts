import {
  type Limits,
  limitsBody,
  limitsOf,
  type MandateStore,
  type StoredMandate,
} from '../core/mandate.ts'
import type { GroupCommit } from './connection/group-commit.ts'
import type { Statements } from './connection/statements.ts'
import type { Trouble } from './connection/trouble.ts'

type Row = Omit<StoredMandate, 'limits'> & { readonly limits: string }

const COLUMNS = `account_id AS accountId, limits, counter, frozen_by AS frozenBy,
  changed_at_ms AS changedAtMs, change`

/** Mandates in a file. What a wallet has signed or a key has tightened is on the disk before it counts. */
export function mandateTable(
  { database, synced }: { readonly database: Statements; readonly synced: Statements },
  { durably }: Pick<GroupCommit, 'durably'>,
  guard: Trouble['guard'],
): MandateStore {
  const find = database.prepare<Row, [{ accountId: string }]>(
    `SELECT ${COLUMNS} FROM mandates WHERE account_id = $accountId`,
  )
  const put = synced.prepare<null, [Omit<Row, 'change'>]>(
    `INSERT INTO mandates (account_id, limits, counter, frozen_by, changed_at_ms, change)
     VALUES ($accountId, $limits, $counter, $frozenBy, $changedAtMs, 1)
     ON CONFLICT (account_id) DO UPDATE SET
       limits = excluded.limits, counter = excluded.counter, frozen_by = excluded.frozen_by,
       changed_at_ms = excluded.changed_at_ms, change = mandates.change + 1
     WHERE mandates.counter < excluded.counter`,
  )
  const tighten = synced.prepare<null, [Omit<Row, 'counter'>]>(
    `UPDATE mandates SET limits = $limits, frozen_by = $frozenBy, changed_at_ms = $changedAtMs,
       change = change + 1
     WHERE account_id = $accountId AND change = $change`,
  )
  const counts = database.prepare<{ state: string; count: number }, []>(
    'SELECT frozen_by AS state, count(*) AS count FROM mandates GROUP BY 1 ORDER BY 1',
  )
  return {
    find: async (accountId) => {
      const row = guard(() => find.get({ accountId }))
      return row && mandateOf(row)
    },
    put: (mandate) => durably(() => put.run(rowOf(mandate)).changes === 1),
    tighten: ({ accountId, change }, { limits, frozenBy, changedAtMs }) =>
      durably(
        () =>
          tighten.run(rowOf({ accountId, change, limits, frozenBy, changedAtMs })).changes === 1,
      ),
    // One process has the file.
    watch: () => undefined,
    counts: async () => guard(() => counts.all()),
  }
}

/** A mandate as it is stored: its limits are text. */
export function rowOf<Kind extends { readonly limits: Limits }>(
  mandate: Kind,
): Omit<Kind, 'limits'> & { readonly limits: string } {
  return { ...mandate, limits: JSON.stringify(limitsBody(mandate.limits)) }
}

/** The other way round. */
export function mandateOf(row: Row): StoredMandate {
  return { ...row, limits: limitsOf(JSON.parse(row.limits)) }
}
