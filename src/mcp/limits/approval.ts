import { toHex } from '../../core/hex.ts'
import type { Row } from '../../core/json.ts'
import type { Limits } from '../../core/mandate.ts'
import { limitsOf, settingOf } from '../limit-rules.ts'
import type { SignedContext, ToolContext } from '../tool.ts'
import { bookTimeMs } from '../views/current.ts'
import { takesOtherMode } from './margin-mode.ts'
import { isOutcomeUnknown, type Spending, unapprovedScope, type Valued } from './spending.ts'

/** Whether the owner of the account has to approve a write, whatever was written before. */
export function mustBeApproved(context: ToolContext, { kind, order }: Spending): boolean {
  const { approveAboveUsdc, approveChanges = false } = limitsOf(context)
  if (kind === 'changes') return approveChanges
  return kind === 'opens' && approveAboveUsdc !== undefined && order > approveAboveUsdc
}

/**
 * Sends a write, by the approval of the account's owner where it needs one. A write that goes without counts towards the
 * day of those that do, unless it certainly was not sent.
 */
export async function withApproval<T>(
  context: SignedContext,
  write: Valued,
  send: (needsApproval: boolean) => Promise<T>,
): Promise<T> {
  const isOther = write.spending.kind !== 'reduces' && (await takesOtherMode(context, write))
  const isChange = isOther && limitsOf(context).approveChanges === true
  if (isChange || mustBeApproved(context, write.spending)) return send(true)
  const giveBack = await takeUnapproved(context, write)
  if (!giveBack) return send(true)
  try {
    return await send(false)
  } catch (error) {
    if (!isOutcomeUnknown(error)) await giveBack()
    throw error
  }
}

const ID_BYTES = 16

/** Reserves what a write is worth that goes without approval; null where the day has no room for it. */
async function takeUnapproved(
  context: SignedContext,
  { symbol, spending }: Valued,
): Promise<(() => Promise<void>) | null> {
  const { approveAboveDailyUsdc: max } = limitsOf(context)
  if (max === undefined || spending.kind !== 'opens') return async () => undefined
  const micros = spending.daily
  const reservation = {
    scope: unapprovedScope(context),
    identity: toHex(context.random.bytes(ID_BYTES)),
    atMs: await bookTimeMs(context, symbol),
    uses: [{ symbol: 'USDC', micros, orders: 1 }],
  }
  const refused = await context.spending.reserve(
    reservation,
    (used) => (used.dayMicros + micros > max ? used : null),
    Number.MAX_SAFE_INTEGER,
  )
  return refused ? null : () => context.spending.release(reservation)
}

/** The limits above which the owner of the account would have to approve these writes, as rows of answers. */
export async function neededApprovals(
  context: ToolContext,
  writes: readonly Valued[],
): Promise<readonly Row[]> {
  const { credentials } = context
  const limits = limitsOf(context)
  const opening = writes.filter(({ spending }) => spending.kind === 'opens')
  const isAbove = opening.some(({ spending }) => mustBeApproved(context, spending))
  const signed = credentials && { ...context, credentials }
  const isOfDay = signed !== null && (await exceedsUnapproved(signed, limits, opening))
  const isOther = signed !== null && limits.approveChanges && (await takesAnyOther(signed, opening))
  return [
    ...(isAbove ? [approvalRow(context, 'approveAboveUsdc')] : []),
    ...(isOfDay ? [approvalRow(context, 'approveAboveDailyUsdc')] : []),
    ...(isOther ? [approvalRow(context, 'approveChanges')] : []),
  ]
}

async function takesAnyOther(context: SignedContext, writes: readonly Valued[]): Promise<boolean> {
  const taken = await Promise.all(writes.map((write) => takesOtherMode(context, write)))
  return taken.includes(true)
}

async function exceedsUnapproved(
  context: SignedContext,
  { approveAboveDailyUsdc: max }: Limits,
  writes: readonly Valued[],
): Promise<boolean> {
  const [first] = writes
  if (max === undefined || !first) return false
  const atMs = await bookTimeMs(context, first.symbol)
  const { dayMicros } = await context.spending.used(unapprovedScope(context), atMs)
  return writes.reduce((sum, { spending }) => sum + spending.daily, dayMicros) > max
}

type ApprovalLimit = 'approveAboveUsdc' | 'approveAboveDailyUsdc' | 'approveChanges'

function approvalRow(context: ToolContext, name: ApprovalLimit): Row {
  return { code: 'approval_required', setting: settingOf(context, name), next: APPROVED }
}

const APPROVED = 'Place it: the answer has a link on which the owner of the account approves it.'
