import type { Control, ControlChange, Store } from '../../core/ports.ts'
import type { AuditedAct } from '../../spec/console/figures.ts'
import type { Session, Statement } from './connection.ts'
import type { Link } from './link.ts'
import { guarded } from './trouble.ts'

const ALL: Statement = { name: 'all controls', text: 'SELECT kind, key, value FROM prepd_controls' }
const PUT: Statement = {
  name: 'put control',
  text: `INSERT INTO prepd_controls (kind, key, value) VALUES ($1, $2, $3)
    ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value`,
}
const DROP: Statement = {
  name: 'drop control',
  text: 'DELETE FROM prepd_controls WHERE kind = $1 AND key = $2',
}
const RECORD: Statement = {
  name: 'record act',
  text: `INSERT INTO prepd_operator_audit (at_ms, act, fields, fingerprint) VALUES ($1, $2, $3, $4)`,
}
const NEWEST: Statement = {
  name: 'newest acts',
  text: `SELECT id::float8 AS id, at_ms::float8 AS "atMs", act, fields, fingerprint
    FROM prepd_operator_audit ORDER BY id DESC LIMIT $1`,
}

const LAST: Statement = {
  name: 'last act',
  text: 'SELECT coalesce(max(id), 0)::float8 AS last FROM prepd_operator_audit',
}

/** The same, with a look for acts of other instances: everything that is set is an act. */
export type WatchedControls = Store['controls'] & { readonly look: () => Promise<void> }

type Entry = Omit<AuditedAct, 'fields'> & { readonly fields: string }

/** What operators have set at any instance, and the record of it: an act and what it changes are one commit. */
export function controlTable({ ask, transact }: Pick<Link, 'ask' | 'transact'>): WatchedControls {
  const listeners: (() => void)[] = []
  let seen: number | null = null
  return {
    watch: (changed) => void listeners.push(changed),
    look: async () => {
      const { rows } = await ask<{ last: number }>(LAST)
      const last = rows[0]?.last ?? 0
      if (last === seen) return
      seen = last
      for (const changed of listeners) changed()
    },
    load: async () => (await guarded(ask<Control>(ALL))).rows,
    commit: async ({ atMs, act, fields, fingerprint }, changes) =>
      guarded(
        transact(async (session) => {
          await session.ask(RECORD, [atMs, act, JSON.stringify(fields), fingerprint])
          for (const each of changes) await change(session, each)
        }),
      ),
    audit: async (rowsMax) => {
      const { rows } = await guarded(ask<Entry>(NEWEST, [rowsMax]))
      return rows.map(({ fields, ...row }) => ({ ...row, fields: JSON.parse(fields) }))
    },
  }
}

async function change(session: Session, { kind, key, value }: ControlChange): Promise<void> {
  if (value === null) await session.ask(DROP, [kind, key])
  else await session.ask(PUT, [kind, key, value])
}
