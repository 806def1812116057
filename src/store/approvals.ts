import { APPROVAL } from '../contract/approval.ts'
import type { Approval, ApprovalStore, Decision } from '../core/approval.ts'
import { statement } from './connection/statement.ts'
import type { TableAccess } from './connection/statements.ts'

type ApprovalTable = ApprovalStore & {
  /** Deletes at most `rowsMax` old approvals. Returns their number. */
  readonly sweep: (nowMs: number, rowsMax: number) => number
}

/** The fields that decide whether an approval is in effect. */
type Recent = Pick<Approval, 'id' | 'digest' | 'state' | 'decideUntilMs' | 'decidedAtMs'>

const COLUMNS = `id, account_id AS "accountId", digest, method, path, body, words AS "order",
  asked_key AS "key", program, effects,
  cost_usdc AS "costUsdc", worst_usdc AS "worstUsdc", asked_at_ms AS "askedAtMs",
  decide_until_ms AS "decideUntilMs", state, decided_at_ms AS "decidedAtMs", signature`

/** The statements shared by SQLite and PostgreSQL. */
export function approvalStatements(table: 'approvals' | 'prepd_approvals') {
  return {
    /** Served by a covering index: it skips the bodies, and used and expired approvals. */
    recent: statement<Recent, { accountId: string; sinceMs: number }>(
      `SELECT digest, state, decide_until_ms AS "decideUntilMs", decided_at_ms AS "decidedAtMs", id
       FROM ${table} WHERE account_id = $accountId AND asked_at_ms > $sinceMs
         AND state IN ('waiting', 'refused', 'approved') ORDER BY asked_at_ms DESC`,
    ),
    put: statement<object, Approval>(
      `INSERT INTO ${table} (id, account_id, digest, method, path, body, words, asked_key, program, effects,
         cost_usdc, worst_usdc, asked_at_ms, decide_until_ms, state, decided_at_ms, signature)
       VALUES ($id, $accountId, $digest, $method, $path, $body, $order, $key, $program, $effects,
         $costUsdc, $worstUsdc, $askedAtMs, $decideUntilMs, $state, $decidedAtMs, $signature)`,
    ),
    find: statement<Approval, { id: string }>(`SELECT ${COLUMNS} FROM ${table} WHERE id = $id`),
    decide: statement<object, { id: string } & Decision>(
      `UPDATE ${table} SET state = $state, decided_at_ms = $decidedAtMs, signature = $signature
       WHERE id = $id AND state = 'waiting' AND decide_until_ms > $decidedAtMs`,
    ),
    mark: statement<object, { id: string; state: string }>(
      `UPDATE ${table} SET state = $state WHERE id = $id AND state IN ('approved', 'used')`,
    ),
    counts: statement<{ state: string; count: number }>(
      `SELECT state, count(*) AS count FROM ${table} GROUP BY state ORDER BY state`,
    ),
  }
}

const OWN = approvalStatements('approvals')

/** Approvals in a file. Requests and decisions take effect only once they are durable. */
export function approvalTable({ database, synced, durably, guard }: TableAccess): ApprovalTable {
  const recent = synced.shared(OWN.recent)
  const put = synced.shared(OWN.put)
  const within = synced.shared(OWN.find)
  const find = database.shared(OWN.find)
  const decide = synced.shared(OWN.decide)
  const mark = database.shared(OWN.mark)
  const counts = database.shared(OWN.counts)
  const forget = database.prepare<null, [{ beforeMs: number; rowsMax: number }]>(
    `DELETE FROM approvals WHERE id IN
       (SELECT id FROM approvals WHERE asked_at_ms <= $beforeMs LIMIT $rowsMax)`,
  )
  return {
    ask: (approval) =>
      durably(() => {
        const { accountId, askedAtMs } = approval
        const rows = recent.all({ accountId, sinceMs: askedAtMs - LIVE_MAX_MS })
        const known = approvalInEffect(rows, approval)
        if (known === null) return null
        if (known !== undefined) return within.get({ id: known.id })
        put.run(approval)
        return approval
      }),
    find: async (id) => guard(() => find.get({ id })),
    decide: (id, decision) => durably(() => decide.run({ id, ...decision }).changes === 1),
    mark: async (id, state) => void guard(() => mark.run({ id, state })),
    counts: async () => guard(() => counts.all({})),
    sweep: (nowMs, rowsMax) => forget.run({ beforeMs: nowMs - APPROVAL.keptMs, rowsMax }).changes,
  }
}

/** Maximum time that an approval is in effect. */
export const LIVE_MAX_MS = APPROVAL.decideWithinMs + APPROVAL.useWithinMs

/**
 * Finds the approval in effect that has the same digest as a new request. If there is no such approval, returns null at
 * the maximum number of approvals in effect, else undefined. After undefined, the caller stores the new request.
 */
export function approvalInEffect(
  rows: readonly Recent[],
  { digest, askedAtMs: nowMs }: Pick<Approval, 'digest' | 'askedAtMs'>,
): Recent | null | undefined {
  const live = rows.filter((row) => isLive(row, nowMs))
  const same = live.find((row) => row.digest === digest)
  if (same) return same
  return live.length >= APPROVAL.waitingMax ? null : undefined
}

/** Whether an approval is in effect: undecided or refused within the time to decide, or approved and still usable. */
function isLive({ state, decideUntilMs, decidedAtMs }: Recent, nowMs: number): boolean {
  if (state === 'used' || state === 'expired') return false
  if (state !== 'approved') return nowMs < decideUntilMs
  return decidedAtMs !== null && nowMs < decidedAtMs + APPROVAL.useWithinMs
}
