import type { AuditedAct } from '../contract/console/figures.ts'
import type { Control, ControlChange, Store } from '../core/ports.ts'
import { statement } from './connection/statement.ts'
import type { TableAccess } from './connection/statements.ts'

type Entry = Omit<AuditedAct, 'id' | 'fields'> & { readonly fields: string }

/** The statements shared by SQLite and PostgreSQL. */
export function controlStatements(prefix: '' | 'prepd_') {
  return {
    all: statement<Control>(`SELECT kind, key, value FROM ${prefix}controls`),
    put: statement<object, Control>(
      `INSERT INTO ${prefix}controls (kind, key, value) VALUES ($kind, $key, $value)
       ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value`,
    ),
    drop: statement<object, { kind: string; key: string }>(
      `DELETE FROM ${prefix}controls WHERE kind = $kind AND key = $key`,
    ),
    record: statement<object, Entry>(
      `INSERT INTO ${prefix}operator_audit (at_ms, act, fields, fingerprint)
       VALUES ($atMs, $act, $fields, $fingerprint)`,
    ),
    newest: statement<Entry & { id: number }, { rowsMax: number }>(
      `SELECT id, at_ms AS "atMs", act, fields, fingerprint FROM ${prefix}operator_audit
       ORDER BY id DESC LIMIT $rowsMax`,
    ),
  }
}

const OWN = controlStatements('')

/** The operator's settings and their audit log. An action and its changes are one durable commit. */
export function controlTable({ database, synced, durably, guard }: TableAccess): Store['controls'] {
  const all = database.shared(OWN.all)
  const find = synced.prepare<Control, [Omit<Control, 'value'>]>(
    'SELECT kind, key, value FROM controls WHERE kind = $kind AND key = $key',
  )
  const put = synced.shared(OWN.put)
  const drop = synced.shared(OWN.drop)
  const record = synced.shared(OWN.record)
  const newest = database.shared(OWN.newest)

  function change({ kind, key, value }: ControlChange): void {
    if (value === null) drop.run({ kind, key })
    else put.run({ kind, key, value })
  }

  /** Makes a change. Returns the control before. */
  function replace({ kind, key, value }: ControlChange): ControlChange {
    const before = find.get({ kind, key }) ?? { kind, key, value: null }
    change({ kind, key, value })
    return before
  }

  const takeBack = synced.transaction((before: readonly ControlChange[]) => {
    for (const each of before.toReversed()) change(each)
  })

  return {
    load: async () => guard(() => all.all({})),
    commit: async (entry, changes) => {
      await durably(
        () => {
          record.run({ ...entry, fields: JSON.stringify(entry.fields) })
          return changes.map(replace)
        },
        (before) => takeBack(before),
      )
    },
    audit: async (rowsMax) => guard(() => newest.all({ rowsMax })).map(toAuditedAct),
    // Only one process has the file, so changes need no notification.
    watch: () => undefined,
  }
}

/** An action of the audit log; its fields are stored as text. */
export function toAuditedAct({ fields, ...row }: Entry & { readonly id: number }): AuditedAct {
  return { ...row, fields: JSON.parse(fields) }
}
