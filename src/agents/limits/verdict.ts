import type { Row } from '../../core/json.ts'
import { LOSS_NEXT_STEP } from '../../core/loss.ts'
import { toUsdcMicros } from '../../core/mandate.ts'
import { NOTHING_USED, type ReservedUse } from '../../core/spending.ts'
import { type LimitFigures, needsFigures } from '../../perp/limit-figures.ts'
import { roomFor } from '../../perp/limits.ts'
import { approvalsOneByOne, type LimitState, limitVerdict } from '../../perp/verdict.ts'
import { excessRow, limitSetting, tightestLimits, type UserLimitName } from '../limit-rules.ts'
import type { ToolContext } from '../tool.ts'
import { readFigures, unknownFigures } from './figures.ts'
import { relayedFunding } from './kept-funding.ts'
import { type AccountMandate, readMandate } from './mandate.ts'
import { namesOtherMarginMode } from './margin-mode.ts'
import {
  isValueUnknown,
  NO_WORST_CASE,
  needsUseFigures,
  plannedOrder,
  readLimitUse,
  unapprovedMicros,
  type ValuedWrite,
} from './spending.ts'

/** The result of checking writes against the caller's limits and the account's mandate before signing, as rows of answers. */
export type ShownVerdict = {
  /** The limits that the writes would exceed. For a single write, each row has the value that would fit. */
  readonly broken: readonly Row[]
  /** The limits by which the writes need the approval of the account's owner. */
  readonly approvals: readonly Row[]
}

/** Checks all writes together. */
export async function limitsVerdict(
  context: ToolContext,
  writes: readonly ValuedWrite[],
): Promise<ShownVerdict> {
  const opening = writes.filter(({ spending }) => spending.kind === 'opens')
  const [first] = opening
  if (!first) return { broken: [], approvals: [] }
  const own = await ownState(context, first.symbol)
  const settingFor: SettingFor = (name) => limitSetting(context, name)
  const mandate = await readMandate(context)
  const signed =
    mandate && shownVerdict(context, await mandateState(context, mandate), opening, () => MANDATE)
  const mine = shownVerdict(context, own, opening, settingFor)
  return {
    broken: [...mine.broken, ...causeRows(mandate), ...(signed?.broken ?? [])],
    approvals: [
      ...mine.approvals,
      ...(signed?.approvals ?? []),
      ...(await modeApprovals(context, mandate, opening)),
    ],
  }
}

const MANDATE = 'mandate'

/** The state of the limits. `unknown` is the reason if figures that a limit needs are unknown. */
type ShownState = LimitState & Pick<LimitFigures, 'unknown'>

type SettingFor = (name: UserLimitName) => string

function shownVerdict(
  context: ToolContext,
  state: ShownState,
  writes: readonly ValuedWrite[],
  settingFor: SettingFor,
): ShownVerdict {
  const orders = writes.map(plannedOrder)
  const isUnknown = writes.some(({ spending }) => isValueUnknown(state.limits, spending))
  const excess = limitVerdict(state, orders)
  const [only, ...others] = orders
  // Approval is checked per order, because each is sent as a separate write.
  const values = writes.map(({ spending }) => spending.order)
  const isOfValue =
    excess.length > 0 && !excess.some(({ reason }) => FORBIDDING_REASONS.has(reason))
  const room = only && others.length === 0 && isOfValue ? roomFor(only, state) : undefined
  return {
    broken: [
      ...(state.unknown ? [unknownFigures(state.unknown)] : []),
      ...(isUnknown ? [{ reason: 'unknown', next: NO_WORST_CASE }] : []),
      ...excess.map((each) => excessRow(context, each, settingFor, room)),
    ],
    approvals: approvalsOneByOne(state.limits, values, state.unapprovedMicros).map((name) =>
      approvalRow(settingFor(name)),
    ),
  }
}

const FORBIDDING_REASONS: ReadonlySet<string> = new Set([
  'read_only',
  'expired',
  'reduce_only',
  'symbol',
])

function causeRows(mandate: AccountMandate | null): readonly Row[] {
  if (!mandate?.cause) return []
  return [
    mandate.cause === 'frozen' ? { reason: mandate.cause, setting: MANDATE } : RESTORED_REFUSAL,
  ]
}

const RESTORED_REFUSAL = {
  code: 'not_available',
  rule: 'lost records',
  reason: 'restored',
  next: LOSS_NEXT_STEP,
} as const

function approvalRow(setting: string): Row {
  return { code: 'approval_required', setting, next: APPROVED }
}

const APPROVED = 'Placing it answers a link, on which the owner of the account approves it.'

const NOT_NEEDED = { figures: null, unknown: null } as const

/** The state of the caller's own limits, without the market allowlist, which the tools check themselves. */
async function ownState(context: ToolContext, symbol: string): Promise<ShownState> {
  const { symbols: _, ...limits } = tightestLimits(context)
  const { credentials, clock } = context
  const signed = credentials ? { ...context, credentials } : null
  return {
    limits,
    used: needsUseFigures(limits) ? await readLimitUse(context, symbol) : NOTHING_USED,
    unapprovedMicros: signed ? await unapprovedMicros(signed, symbol) : 0n,
    ...(signed && needsFigures(limits) ? await readFigures(signed, { limits }) : NOT_NEEDED),
    nowMs: clock.nowMs(),
  }
}

/** The state of the limits that the account's wallet has signed, with the use that the service reports. */
async function mandateState(context: ToolContext, mandate: AccountMandate): Promise<ShownState> {
  const { limits, use } = mandate
  const { credentials, clock } = context
  const signed = credentials && needsFigures(limits) ? { ...context, credentials } : null
  return {
    limits,
    used: mandateUse(use),
    // If the value of the day is unknown, the daily maximum counts as used up.
    unapprovedMicros:
      toUsdcMicros(use.used?.approveAboveDailyUsdc) ?? limits.approveAboveDailyUsdc ?? 0n,
    ...(signed ? await readFigures(signed, { limits, readFunding: relayedFunding }) : NOT_NEEDED),
    nowMs: clock.nowMs(),
  }
}

function mandateUse({ used, renewsAtMs }: AccountMandate['use']): ReservedUse {
  return {
    ...NOTHING_USED,
    dayMicros: toUsdcMicros(used?.maxDailyUsdc) ?? null,
    dayRenewsAtMs: renewsAtMs?.maxDailyUsdc ?? null,
    minuteOrders: used?.maxOrdersPerMinute ?? 0,
    minuteRenewsAtMs: renewsAtMs?.maxOrdersPerMinute ?? null,
  }
}

/**
 * The approval rows for writes with a margin mode that is not their market's default. Such a write counts as a change
 * of a setting.
 */
async function modeApprovals(
  context: ToolContext,
  mandate: AccountMandate | null,
  writes: readonly ValuedWrite[],
): Promise<readonly Row[]> {
  const { credentials } = context
  const isOwn = tightestLimits(context).approveChanges === true
  const isSigned = mandate?.limits.approveChanges === true
  if (!credentials || (!isOwn && !isSigned)) return []
  const taken = await Promise.all(
    writes.map((write) => namesOtherMarginMode({ ...context, credentials }, write)),
  )
  if (!taken.includes(true)) return []
  return [approvalRow(isOwn ? limitSetting(context, 'approveChanges') : MANDATE)]
}
