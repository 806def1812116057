import { LIMITS } from '../../contract/limits.ts'
import { statement } from '../../store/connection/statement.ts'
import type { Fence } from './fence.ts'
import { type Link, type Queries, queriesOf } from './link.ts'
import { ACT } from './stats.ts'

/**
 * Takes the next number of a claim in a transaction that has changed something. The number has a row of its own beside
 * signed claims: a shared row would make acts, and writes that give a claim back, wait for each other's commits.
 */
const COUNT = statement<{ number: number }>(
  `INSERT INTO prepd_signed_claims (identity, attempt, expires_ms, slot)
    SELECT gen_random_uuid(), '${ACT}', ends_ms, prepd_claim_slot(ends_ms)
    FROM (SELECT (extract(epoch FROM now()) * 1000)::bigint + ${LIMITS.claimMarginMs} AS ends_ms) AS kept
    WHERE pg_current_xact_id_if_assigned() IS NOT NULL RETURNING number`,
)

/**
 * Queries whose changes take a number, as a claim does, so that a database that has lost one is behind the marks. For
 * records that bind an account or its operator: freezes, mandates, webhooks, approvals, standbys.
 */
export function countedQueries(
  link: Pick<Link, 'ask' | 'transact'>,
  { note }: Pick<Fence, 'note'>,
): Queries {
  const { transact, ...queries } = queriesOf(link)

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
  }
}
