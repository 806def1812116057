import { toHex } from '../../core/hex.ts'
import { exceedsDay } from '../../core/spending.ts'
import { approvalLimits, changeApprovals } from '../../perp/verdict.ts'
import { tightestLimits } from '../limit-rules.ts'
import type { SignedContext, ToolContext } from '../tool.ts'
import { namesOtherMarginMode } from './margin-mode.ts'
import {
  isOutcomeUnknown,
  type Spending,
  type TimedWrite,
  unapprovedAgentScope,
} from './spending.ts'

/** Whether a write's own value or kind requires the approval of the account's owner. */
export function mustBeApproved(context: ToolContext, { kind, order }: Spending): boolean {
  const limits = tightestLimits(context)
  const { approveAboveUsdc } = limits
  if (kind === 'changes') return changeApprovals(limits).length > 0
  return kind === 'opens' && approvalLimits({ approveAboveUsdc }, order, 0n).length > 0
}

/**
 * Sends a write, with the approval of the account's owner if it is required. A write without approval counts towards
 * the daily maximum, unless it certainly failed.
 */
export async function withApproval<T>(
  context: SignedContext,
  write: TimedWrite,
  send: (needsApproval: boolean) => Promise<T>,
): Promise<T> {
  const isOther = write.spending.kind !== 'reduces' && (await namesOtherMarginMode(context, write))
  const isChange = isOther && tightestLimits(context).approveChanges === true
  if (isChange || mustBeApproved(context, write.spending)) return send(true)
  const giveBack = await reserveUnapproved(context, write)
  if (!giveBack) return send(true)
  try {
    return await send(false)
  } catch (error) {
    if (!isOutcomeUnknown(error)) await giveBack()
    throw error
  }
}

const ID_BYTES = 16

/**
 * Reserves the value of a write without approval. Returns a function that releases the reservation; null above the
 * daily maximum.
 */
async function reserveUnapproved(
  context: SignedContext,
  { spending, timeMs }: TimedWrite,
): Promise<(() => Promise<void>) | null> {
  const { approveAboveDailyUsdc: max } = tightestLimits(context)
  if (max === undefined || spending.kind !== 'opens') return async () => undefined
  const micros = spending.daily
  if (micros === null) return null
  const reservation = {
    scope: unapprovedAgentScope(context),
    identity: toHex(context.random.bytes(ID_BYTES)),
    atMs: await timeMs(),
    uses: [{ symbol: 'USDC', micros, orders: 1 }],
  }
  const refused = await context.spending.reserve(
    reservation,
    (used) => (exceedsDay(used, micros, max) ? used : null),
    Number.MAX_SAFE_INTEGER,
  )
  return refused ? null : () => context.spending.release(reservation)
}
