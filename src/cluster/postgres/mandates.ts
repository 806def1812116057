import type { MandateStore } from '../../core/mandate.ts'
import { statement } from '../../store/connection/statement.ts'
import {
  type MandateRow,
  mandateRow,
  mandateStatements,
  toStoredMandate,
} from '../../store/mandates.ts'
import { type NumberedQueries, numberedStatement } from './numbered-queries.ts'
import type { Link } from './primary-queries.ts'

const { find: FIND, counts: COUNTS } = mandateStatements('prepd_mandates')
/** Takes the next change number. The update locks the row, so changes become visible in the order of their numbers. */
const NEXT = 'next AS (UPDATE prepd_mandate_changes SET last = last + 1 RETURNING last)'
const PUT = numberedStatement<Omit<MandateRow, 'change' | 'signedAtMs'>>(
  `${NEXT}, changed AS (
    INSERT INTO prepd_mandates AS own
      (account_id, limits, counter, frozen_by, changed_at_ms, signed_at_ms, change)
    SELECT $accountId, $limits, $counter, $frozenBy, $changedAtMs, $changedAtMs, last FROM next
    ON CONFLICT (account_id) DO UPDATE SET
      limits = excluded.limits, counter = excluded.counter, frozen_by = excluded.frozen_by,
      changed_at_ms = excluded.changed_at_ms, signed_at_ms = excluded.signed_at_ms,
      change = excluded.change
    WHERE own.counter < excluded.counter RETURNING 1)`,
)
const TIGHTEN = numberedStatement<Omit<MandateRow, 'counter' | 'signedAtMs'>>(
  `${NEXT}, changed AS (
    UPDATE prepd_mandates SET limits = $limits, frozen_by = $frozenBy,
      changed_at_ms = $changedAtMs, change = next.last
    FROM next WHERE account_id = $accountId AND change = $change RETURNING 1)`,
)
/** Maximum number of changes read at once. With this many, every cached mandate counts as changed. */
const CHANGES_MAX = 1000
const CHANGED = statement<{ accountId: string; change: number }, { from: number }>(
  `SELECT account_id AS "accountId", change FROM prepd_mandates
    WHERE change > $from ORDER BY change LIMIT ${CHANGES_MAX}`,
)
const LAST = statement<{ last: number }>('SELECT last FROM prepd_mandate_changes')

/**
 * Mandates with `look`, which detects changes by other instances. After `miss`, the next look reports every mandate as
 * changed.
 */
type WatchedMandates = MandateStore & {
  readonly look: () => Promise<void>
  readonly miss: () => void
}

/** Mandates shared by all instances. */
export function postgresMandates(
  { ask }: Pick<Link, 'ask'>,
  { rows, row, act }: NumberedQueries,
): WatchedMandates {
  return {
    ...watchChanges(ask),
    find: async (accountId) => {
      const found = await row(FIND, { accountId })
      return found && toStoredMandate(found)
    },
    put: (mandate) => act(PUT, mandateRow(mandate)),
    tighten: ({ accountId, change }, next) =>
      act(TIGHTEN, { accountId, change, ...mandateRow(next) }),
    counts: () => rows(COUNTS, {}),
  }
}

/** Detects the mandates that changed since the last look. */
function watchChanges(ask: Link['ask']): Pick<WatchedMandates, 'watch' | 'look' | 'miss'> {
  const listeners: Parameters<MandateStore['watch']>[0][] = []
  let seen: number | null = null

  function announce(accountId: string | null): void {
    for (const changed of listeners) changed(accountId)
  }

  async function changedSince(from: number): Promise<number> {
    const { rows } = await ask(CHANGED, { from })
    if (rows.length === CHANGES_MAX) announce(null)
    else for (const { accountId } of rows) announce(accountId)
    return Math.max(from, ...rows.map(({ change }) => change))
  }

  return {
    watch: (changed) => void listeners.push(changed),
    // A database that took over may lack the last seen change, and give the number of that change to a different
    // change.
    miss: () => {
      seen = null
    },
    look: async () => {
      const known = seen
      const { rows } = await ask(LAST, {})
      const last = rows[0]?.last ?? 0
      if (known === null || last < known) announce(null)
      seen = known === null || last <= known ? last : await changedSince(known)
    },
  }
}
