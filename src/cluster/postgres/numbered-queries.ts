import { LIMITS } from '../../contract/limits.ts'
import { type ListedValues, type Statement, statement } from '../../store/connection/statement.ts'
import type { Fence } from './fence.ts'
import { guardedQueries, type Link, type Queries } from './primary-queries.ts'
import { ACTION_ATTEMPT } from './stats.ts'

type Numbered = { readonly number: number }

/**
 * SQL that takes the next claim number if `changed` holds. It inserts a separate row per number, because an update of
 * one shared counter would make all transactions wait for each other's commits.
 */
const countIf = (changed: string) =>
  `INSERT INTO prepd_signed_claims (identity, attempt, expires_ms, slot)
    SELECT gen_random_uuid(), '${ACTION_ATTEMPT}', ends_ms, prepd_claim_slot(ends_ms)
    FROM (SELECT (extract(epoch FROM now()) * 1000)::bigint + ${LIMITS.claimMarginMs} AS ends_ms) AS kept
    WHERE ${changed} RETURNING number`

/** Takes a number if the current transaction has changed something. */
const COUNT = statement<Numbered>(countIf('pg_current_xact_id_if_assigned() IS NOT NULL'))

/**
 * A single statement that makes a change and takes its number, for changes that all lock one row. In a longer
 * transaction, an instance that stalls would keep that lock. The last common table expression must be named `changed`
 * and return the changed row.
 */
export function numberedStatement<Bound extends ListedValues>(
  expressions: string,
): Statement<Numbered, Bound> {
  return statement<Numbered, Bound>(
    `WITH ${expressions} ${countIf('EXISTS (SELECT FROM changed)')}`,
  )
}

/** Queries whose changes take a claim number. */
export type NumberedQueries = Queries & {
  /** Runs a counted statement. Returns whether it changed something. */
  readonly act: <Bound extends ListedValues>(
    statement: Statement<Numbered, Bound>,
    values: NoInfer<Bound>,
  ) => Promise<boolean>
}

/**
 * Queries whose changes take a claim number. If a database loses such a change, its numbers are lower than the known
 * highest numbers (marks), so the loss is noticed. For records that bind an account or its operator: freezes, mandates,
 * webhooks, approvals, standbys.
 */
export function numberedQueries(
  link: Pick<Link, 'ask' | 'transact'>,
  { note }: Pick<Fence, 'note'>,
): NumberedQueries {
  const { transact, ...queries } = guardedQueries(link)

  const counted: Queries['transact'] = async (steps) => {
    const { value, number } = await transact(async (session) => {
      const value = await steps(session)
      const { rows } = await session.ask(COUNT, {})
      return { value, number: rows[0]?.number ?? null }
    })
    if (number !== null) note({ claims: number })
    return value
  }

  return {
    ...queries,
    transact: counted,
    change: (asked, values) => counted(async ({ ask }) => (await ask(asked, values)).count),
    act: async (asked, values) => {
      const taken = await queries.row(asked, values)
      if (taken) note({ claims: taken.number })
      return taken !== null
    },
  }
}
