import type { Control, ControlChange, Store } from '../core/ports.ts'
import type { AuditedAct } from '../spec/console/figures.ts'
import type { GroupCommit } from './connection/group-commit.ts'
import type { Statements } from './connection/statements.ts'
import type { Trouble } from './connection/trouble.ts'

type Entry = Omit<AuditedAct, 'id' | 'fields'> & { readonly fields: string }

type Connections = {
  /** One that is open already: what was set is read at every start, and another connection waits for the disk. */
  readonly reader: Statements
  /** A database whose commits are on the disk. */
  readonly synced: Statements
}

/** What the operator has set, and the record of it: an act and what it changes are one commit, on the disk. */
export function controlTable(
  { reader, synced }: Connections,
  { durably }: Pick<GroupCommit, 'durably'>,
  guard: Trouble['guard'],
): Store['controls'] {
  const all = reader.prepare<Control, []>('SELECT kind, key, value FROM controls')
  const put = synced.prepare<null, [Control]>(
    `INSERT INTO controls (kind, key, value) VALUES ($kind, $key, $value)
     ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value`,
  )
  const drop = synced.prepare<null, [{ kind: string; key: string }]>(
    'DELETE FROM controls WHERE kind = $kind AND key = $key',
  )
  const record = synced.prepare<null, [Entry]>(
    `INSERT INTO operator_audit (at_ms, act, fields, fingerprint)
     VALUES ($atMs, $act, $fields, $fingerprint)`,
  )
  const newest = reader.prepare<Entry & { id: number }, [{ rowsMax: number }]>(
    `SELECT id, at_ms AS atMs, act, fields, fingerprint FROM operator_audit
     ORDER BY id DESC LIMIT $rowsMax`,
  )
  function change({ kind, key, value }: ControlChange): void {
    if (value === null) drop.run({ kind, key })
    else put.run({ kind, key, value })
  }
  return {
    load: async () => guard(() => all.all()),
    commit: (entry, changes) =>
      durably(() => {
        record.run({ ...entry, fields: JSON.stringify(entry.fields) })
        for (const each of changes) change(each)
      }),
    audit: async (rowsMax) =>
      guard(() => newest.all({ rowsMax })).map(({ fields, ...row }) => ({
        ...row,
        fields: JSON.parse(fields),
      })),
    // One process has the file.
    watch: () => undefined,
  }
}
