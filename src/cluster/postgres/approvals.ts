import { APPROVAL } from '../../contract/approval.ts'
import type { ApprovalStore } from '../../core/approval.ts'
import { approvalInEffect, approvalStatements, LIVE_MAX_MS } from '../../store/approvals.ts'
import { statement } from '../../store/connection/statement.ts'
import { deleteUnlocked } from './connection.ts'
import type { Queries } from './primary-queries.ts'

const SHARED = approvalStatements('prepd_approvals')

/** Locks the approvals of an account against all instances until the transaction ends. */
const LOCK = statement<object, { accountId: string }>(
  "SELECT pg_advisory_xact_lock(hashtextextended('prepd approvals ' || $accountId, 0))",
)
/** Deletes approvals that were requested long ago, up to a maximum number. */
export const FORGET_APPROVALS = statement<object, { rowsMax: number }>(
  deleteUnlocked(
    'prepd_approvals',
    `asked_at_ms <= extract(epoch FROM now()) * 1000 - ${APPROVAL.keptMs} LIMIT $rowsMax`,
  ),
)

/** Approvals shared by all instances. Times come from the instances' clocks. */
export function postgresApprovals({ rows, row, change, transact }: Queries): ApprovalStore {
  return {
    ask: (approval) =>
      transact(async ({ ask }) => {
        const { accountId, askedAtMs } = approval
        await ask(LOCK, { accountId })
        const recent = await ask(SHARED.recent, { accountId, sinceMs: askedAtMs - LIVE_MAX_MS })
        const known = approvalInEffect(recent.rows, approval)
        if (known === null) return null
        if (known !== undefined) return (await ask(SHARED.find, { id: known.id })).rows[0] ?? null
        await ask(SHARED.put, approval)
        return approval
      }),
    find: (id) => row(SHARED.find, { id }),
    decide: async (id, decision) => (await change(SHARED.decide, { id, ...decision })) === 1,
    mark: async (id, state) => void (await change(SHARED.mark, { id, state })),
    counts: () => rows(SHARED.counts, {}),
  }
}
