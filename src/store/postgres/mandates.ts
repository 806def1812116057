import type { MandateStore } from '../../core/mandate.ts'
import { mandateOf, rowOf } from '../mandates.ts'
import type { Statement } from './connection.ts'
import type { Link } from './link.ts'
import { guarded } from './trouble.ts'

const FIND: Statement = {
  name: 'find mandate',
  text: `SELECT account_id AS "accountId", limits, counter::float8 AS counter,
      frozen_by AS "frozenBy", changed_at_ms::float8 AS "changedAtMs", change::float8 AS change
    FROM prepd_mandates WHERE account_id = $1`,
}
/** Changes wait here for each other, so that nobody sees a later one and not yet an earlier one. */
const NEXT = `WITH next AS (
    UPDATE prepd_mandate_changes SET last = last + 1 RETURNING last)`
const PUT: Statement = {
  name: 'put mandate',
  text: `${NEXT}
    INSERT INTO prepd_mandates AS own
      (account_id, limits, counter, frozen_by, changed_at_ms, change)
    SELECT $1, $2, $3, $4, $5, last FROM next
    ON CONFLICT (account_id) DO UPDATE SET
      limits = excluded.limits, counter = excluded.counter, frozen_by = excluded.frozen_by,
      changed_at_ms = excluded.changed_at_ms, change = excluded.change
    WHERE own.counter < excluded.counter`,
}
const TIGHTEN: Statement = {
  name: 'tighten mandate',
  text: `${NEXT}
    UPDATE prepd_mandates SET limits = $3, frozen_by = $4, changed_at_ms = $5, change = next.last
    FROM next WHERE account_id = $1 AND change = $2`,
}
/** Where more have changed at once, nothing that was read before is used. */
const CHANGES_MAX = 1000
const CHANGED: Statement = {
  name: 'changed mandates',
  text: `SELECT account_id AS "accountId", change::float8 AS change FROM prepd_mandates
    WHERE change > $1 ORDER BY change LIMIT ${CHANGES_MAX}`,
}
const LAST: Statement = {
  name: 'last change of mandates',
  text: 'SELECT last::float8 AS last FROM prepd_mandate_changes',
}
const COUNTS: Statement = {
  name: 'count mandates',
  text: `SELECT frozen_by AS state, count(*)::float8 AS count
    FROM prepd_mandates GROUP BY 1 ORDER BY 1`,
}

/** The same, with a look for changes of other instances; after `miss` the next look takes any mandate for changed. */
type WatchedMandates = MandateStore & {
  readonly look: () => Promise<void>
  readonly miss: () => void
}

/** Mandates of which all instances know. */
export function mandateTable({ ask }: Pick<Link, 'ask'>): WatchedMandates {
  const changes = watchChanges(ask)
  return {
    find: async (accountId) => {
      const { rows } = await guarded(ask<Parameters<typeof mandateOf>[0]>(FIND, [accountId]))
      const [row] = rows
      return row ? mandateOf(row) : null
    },
    put: async (mandate) => {
      const { accountId, limits, counter, frozenBy, changedAtMs } = rowOf(mandate)
      const values = [accountId, limits, counter, frozenBy, changedAtMs]
      return (await guarded(ask(PUT, values))).count === 1
    },
    tighten: async ({ accountId, change }, next) => {
      const { limits, frozenBy, changedAtMs } = rowOf(next)
      const values = [accountId, change, limits, frozenBy, changedAtMs]
      return (await guarded(ask(TIGHTEN, values))).count === 1
    },
    watch: changes.watch,
    look: changes.look,
    miss: changes.miss,
    counts: async () =>
      (await guarded(ask<{ readonly state: string; readonly count: number }>(COUNTS))).rows,
  }
}

type Changed = { readonly accountId: string; readonly change: number }

/** Finds what has changed since the last look. */
function watchChanges(ask: Link['ask']) {
  const listeners: Parameters<MandateStore['watch']>[0][] = []
  let seen: number | null = null

  function announce(accountId: string | null): void {
    for (const changed of listeners) changed(accountId)
  }

  async function changedSince(from: number): Promise<number> {
    const { rows } = await ask<Changed>(CHANGED, [from])
    if (rows.length === CHANGES_MAX) announce(null)
    else for (const { accountId } of rows) announce(accountId)
    return Math.max(from, ...rows.map(({ change }) => change))
  }

  return {
    watch: (changed: (accountId: string | null) => void) => void listeners.push(changed),
    // A database that took over may lack what was seen, and gives its number to another change.
    miss: () => {
      seen = null
    },
    look: async () => {
      const known = seen
      const { rows } = await ask<{ last: number }>(LAST)
      const last = rows[0]?.last ?? 0
      if (known === null || last < known) announce(null)
      seen = known === null || last <= known ? last : await changedSince(known)
    },
  }
}
