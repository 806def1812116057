import type { Approval, ApprovalStore } from '../../core/approval.ts'
import { APPROVAL } from '../../spec/approval.ts'
import { LIVE_MAX_MS, liveOf } from '../approvals.ts'
import type { Statement } from './connection.ts'
import type { Link } from './link.ts'
import { guarded } from './trouble.ts'

const COLUMNS = `id, account_id AS "accountId", digest, method, path, body, words AS "order",
  cost_usdc AS "costUsdc", worst_usdc AS "worstUsdc", asked_at_ms::float8 AS "askedAtMs",
  decide_until_ms::float8 AS "decideUntilMs", state, decided_at_ms::float8 AS "decidedAtMs", signature`

/** One at a time of an account, over all instances. */
const LOCK: Statement = {
  name: 'lock approvals',
  text: "SELECT pg_advisory_xact_lock(hashtextextended('prepd approvals ' || $1, 0))",
}
const RECENT: Statement = {
  name: 'recent approvals',
  text: `SELECT ${COLUMNS} FROM prepd_approvals WHERE account_id = $1 AND asked_at_ms > $2
    ORDER BY asked_at_ms DESC`,
}
const PUT: Statement = {
  name: 'put approval',
  text: `INSERT INTO prepd_approvals (id, account_id, digest, method, path, body, words, cost_usdc,
      worst_usdc, asked_at_ms, decide_until_ms, state, decided_at_ms, signature)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
}
const FIND: Statement = {
  name: 'find approval',
  text: `SELECT ${COLUMNS} FROM prepd_approvals WHERE id = $1`,
}
const DECIDE: Statement = {
  name: 'decide approval',
  text: `UPDATE prepd_approvals SET state = $2, decided_at_ms = $3, signature = $4
    WHERE id = $1 AND state = 'waiting' AND decide_until_ms > $3`,
}
const MARK: Statement = {
  name: 'mark approval',
  text: `UPDATE prepd_approvals SET state = $2 WHERE id = $1 AND state IN ('approved', 'used')`,
}
const COUNTS: Statement = {
  name: 'count approvals',
  text: 'SELECT state, count(*)::float8 AS count FROM prepd_approvals GROUP BY state ORDER BY state',
}
/** Deletes so many of those that were asked for long ago. */
export const FORGET_APPROVALS: Statement = {
  name: 'sweep approvals',
  text: `DELETE FROM prepd_approvals WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM prepd_approvals
    WHERE asked_at_ms <= extract(epoch FROM now()) * 1000 - ${APPROVAL.keptMs} LIMIT $1
    FOR UPDATE SKIP LOCKED))`,
}

/** Approvals of which all instances know, by the clocks of the instances. */
export function approvalTable({ ask, transact }: Pick<Link, 'ask' | 'transact'>): ApprovalStore {
  return {
    ask: (approval) =>
      guarded(
        transact(async (session) => {
          const { accountId, askedAtMs } = approval
          await session.ask(LOCK, [accountId])
          const since = [accountId, askedAtMs - LIVE_MAX_MS]
          const known = liveOf((await session.ask<Approval>(RECENT, since)).rows, approval)
          if (known !== undefined) return known
          await session.ask(PUT, valuesOf(approval))
          return approval
        }),
      ),
    find: async (id) => {
      const { rows } = await guarded(ask<Approval>(FIND, [id]))
      return rows[0] ?? null
    },
    decide: async (id, { state, decidedAtMs, signature }) =>
      (await guarded(ask(DECIDE, [id, state, decidedAtMs, signature]))).count === 1,
    mark: async (id, state) => {
      await guarded(ask(MARK, [id, state]))
    },
    counts: async () =>
      (await guarded(ask<{ readonly state: string; readonly count: number }>(COUNTS))).rows,
  }
}

function valuesOf(approval: Approval) {
  const { id, accountId, digest, method, path, body, order, costUsdc, worstUsdc } = approval
  const { askedAtMs, decideUntilMs, state, decidedAtMs, signature } = approval
  const what = [id, accountId, digest, method, path, body, order, costUsdc, worstUsdc]
  return [...what, askedAtMs, decideUntilMs, state, decidedAtMs, signature]
}
