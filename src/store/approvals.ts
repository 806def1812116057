import type { Approval, ApprovalStore, Decision } from '../core/approval.ts'
import { APPROVAL } from '../spec/approval.ts'
import type { GroupCommit } from './connection/group-commit.ts'
import type { Statements } from './connection/statements.ts'
import type { Trouble } from './connection/trouble.ts'

type ApprovalTable = ApprovalStore & {
  /** Forgets those that were asked for long ago, at most so many; answers how many went. */
  readonly sweep: (nowMs: number, rowsMax: number) => number
}

const COLUMNS = `id, account_id AS accountId, digest, method, path, body, words AS "order",
  cost_usdc AS costUsdc, worst_usdc AS worstUsdc, asked_at_ms AS askedAtMs,
  decide_until_ms AS decideUntilMs, state, decided_at_ms AS decidedAtMs, signature`

/** Approvals in a file. What was asked for or decided is on the disk before it counts. */
export function approvalTable(
  { database, synced }: { readonly database: Statements; readonly synced: Statements },
  { durably }: Pick<GroupCommit, 'durably'>,
  guard: Trouble['guard'],
): ApprovalTable {
  const recent = synced.prepare<Approval, [{ accountId: string; sinceMs: number }]>(
    `SELECT ${COLUMNS} FROM approvals WHERE account_id = $accountId AND asked_at_ms > $sinceMs
     ORDER BY asked_at_ms DESC`,
  )
  const put = synced.prepare<null, [Approval]>(
    `INSERT INTO approvals (id, account_id, digest, method, path, body, words, cost_usdc, worst_usdc,
       asked_at_ms, decide_until_ms, state, decided_at_ms, signature)
     VALUES ($id, $accountId, $digest, $method, $path, $body, $order, $costUsdc, $worstUsdc,
       $askedAtMs, $decideUntilMs, $state, $decidedAtMs, $signature)`,
  )
  const find = database.prepare<Approval, [{ id: string }]>(
    `SELECT ${COLUMNS} FROM approvals WHERE id = $id`,
  )
  const decide = synced.prepare<null, [{ id: string } & Decision]>(
    `UPDATE approvals SET state = $state, decided_at_ms = $decidedAtMs, signature = $signature
     WHERE id = $id AND state = 'waiting' AND decide_until_ms > $decidedAtMs`,
  )
  const mark = database.prepare<null, [{ id: string; state: string }]>(
    `UPDATE approvals SET state = $state WHERE id = $id AND state IN ('approved', 'used')`,
  )
  const counts = database.prepare<{ state: string; count: number }, []>(
    'SELECT state, count(*) AS count FROM approvals GROUP BY state ORDER BY state',
  )
  const forget = database.prepare<null, [{ beforeMs: number; rowsMax: number }]>(
    `DELETE FROM approvals WHERE id IN
       (SELECT id FROM approvals WHERE asked_at_ms <= $beforeMs LIMIT $rowsMax)`,
  )
  return {
    ask: (approval) =>
      durably(() => {
        const { accountId, askedAtMs } = approval
        const rows = recent.all({ accountId, sinceMs: askedAtMs - LIVE_MAX_MS })
        const known = liveOf(rows, approval)
        if (known !== undefined) return known
        put.run(approval)
        return approval
      }),
    find: async (id) => guard(() => find.get({ id })),
    decide: (id, decision) => durably(() => decide.run({ id, ...decision }).changes === 1),
    mark: async (id, state) => {
      guard(() => mark.run({ id, state }))
    },
    counts: async () => guard(() => counts.all()),
    sweep: (nowMs, rowsMax) => forget.run({ beforeMs: nowMs - APPROVAL.keptMs, rowsMax }).changes,
  }
}

/** An approval has no effect for longer. */
export const LIVE_MAX_MS = APPROVAL.decideWithinMs + APPROVAL.useWithinMs

/**
 * The approval of a new one's digest that has effect at its time, from those of its account; null where too many wait,
 * undefined where the new one is to be stored.
 */
export function liveOf(
  rows: readonly Approval[],
  { digest, askedAtMs: nowMs }: Approval,
): Approval | null | undefined {
  const live = rows.filter((row) => isLive(row, nowMs))
  const same = live.find((row) => row.digest === digest)
  if (same) return same
  const waiting = live.filter(({ state }) => state !== 'approved')
  return waiting.length >= APPROVAL.waitingMax ? null : undefined
}

/** Whether it waits, is refused for the rest of the time to decide, or may be used. */
function isLive({ state, decideUntilMs, decidedAtMs }: Approval, nowMs: number): boolean {
  if (state === 'used' || state === 'expired') return false
  if (state !== 'approved') return nowMs < decideUntilMs
  return decidedAtMs !== null && nowMs < decidedAtMs + APPROVAL.useWithinMs
}
