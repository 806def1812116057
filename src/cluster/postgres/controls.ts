import type { Store } from '../../core/ports.ts'
import { statement } from '../../store/connection/statement.ts'
import { controlStatements, toAuditedAct } from '../../store/controls.ts'
import type { Link, Queries } from './primary-queries.ts'

const SHARED = controlStatements('prepd_')

const LAST = statement<{ last: number }>(
  'SELECT coalesce(max(id), 0) AS last FROM prepd_operator_audit',
)

/** The operator's settings, with `look`, which detects changes: a new action in the audit log, or a new server. */
type WatchedControls = Store['controls'] & { readonly look: () => Promise<void> }

/** The operator's settings, shared by all instances, and their audit log. An action and its changes are one commit. */
export function postgresControls(
  link: Pick<Link, 'ask' | 'generation'>,
  { rows, transact }: Queries,
): WatchedControls {
  const listeners: (() => void)[] = []
  let seen = ''
  return {
    watch: (changed) => void listeners.push(changed),
    look: async () => {
      const found = await link.ask(LAST, {})
      const last = `${link.generation()} ${found.rows[0]?.last ?? 0}`
      if (last === seen) return
      seen = last
      for (const changed of listeners) changed()
    },
    load: () => rows(SHARED.all, {}),
    commit: (entry, changes) =>
      transact(async ({ ask }) => {
        await ask(SHARED.record, { ...entry, fields: JSON.stringify(entry.fields) })
        for (const { kind, key, value } of changes)
          if (value === null) await ask(SHARED.drop, { kind, key })
          else await ask(SHARED.put, { kind, key, value })
      }),
    audit: async (rowsMax) => (await rows(SHARED.newest, { rowsMax })).map(toAuditedAct),
  }
}
