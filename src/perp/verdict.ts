import type { Limits } from '../core/mandate.ts'
import type { ReservedUse } from '../core/spending.ts'
import type { AccountFigures } from './account-exposure.ts'
import {
  type Excess,
  openingExcess,
  type PlannedOrder,
  settingExcess,
  symbolExcess,
  valueExcess,
} from './limits.ts'

/** The known state of an account, for checking orders against its limits before they are signed. */
export type LimitState = {
  readonly limits: Limits
  readonly used: ReservedUse
  /** The value of the last 24 hours' writes that were sent without approval, in micro-USDC. */
  readonly unapprovedMicros: bigint
  /** The account's figures; null if no limit needs figures, or if they are unknown. */
  readonly figures: AccountFigures | null
  /** Wall-clock time. */
  readonly nowMs: number
}

/** A limit above which a write needs the approval of the account's owner. */
export type ApprovalLimit = 'approveAboveUsdc' | 'approveAboveDailyUsdc' | 'approveChanges'

/** The limits that the opening orders of one write would exceed. Relay and agent tools both refuse by this function. */
export function limitVerdict(
  { limits, used, figures, nowMs }: Omit<LimitState, 'unapprovedMicros'>,
  orders: readonly PlannedOrder[],
): readonly Excess[] {
  if (orders.length === 0) return []
  const symbols = orders.map(({ symbol }) => symbol)
  return [
    ...openingExcess(limits, nowMs),
    ...symbolExcess(limits, symbols),
    ...valueExcess({ limits, orders, used, figures }),
  ]
}

/** A change of leverage, margin mode or margin. Null: all markets for `symbol`, unchanged for `leverage`. */
export type SettingChange = { readonly symbol: string | null; readonly leverage: number | null }

/** The limits that a setting change would exceed. The relay and the page both refuse by this function. */
export function changeExcess(
  limits: Limits,
  { symbol, leverage }: SettingChange,
  nowMs: number,
): readonly Excess[] {
  return [
    ...openingExcess(limits, nowMs),
    ...symbolExcess(limits, [symbol ?? 'all markets']),
    ...settingExcess(limits, leverage),
  ]
}

/** The limits by which a setting change needs an approval. */
export function changeApprovals({ approveChanges }: Limits): readonly ApprovalLimit[] {
  return approveChanges ? ['approveChanges'] : []
}

/**
 * The limits by which at least one of several writes needs an approval. `values` are in micro-USDC, in the order of
 * sending; null if unknown. A write without approval counts towards the daily maximum of the writes after it.
 */
export function approvalsOneByOne(
  limits: Limits,
  values: readonly (bigint | null)[],
  unapprovedBefore: bigint,
): readonly ApprovalLimit[] {
  const found = new Set<ApprovalLimit>()
  let unapprovedMicros = unapprovedBefore
  for (const micros of values) {
    const needed = approvalLimits(limits, micros, unapprovedMicros)
    for (const name of needed) found.add(name)
    if (needed.length === 0) unapprovedMicros += micros ?? 0n
  }
  return [...found]
}

/** The limits by which a write of this value in micro-USDC needs an approval. An unknown value exceeds every limit. */
export function approvalLimits(
  { approveAboveUsdc, approveAboveDailyUsdc }: Limits,
  micros: bigint | null,
  unapprovedMicros: bigint,
): readonly ApprovalLimit[] {
  const isAbove = approveAboveUsdc !== undefined && (micros === null || micros > approveAboveUsdc)
  const isAboveDay =
    approveAboveDailyUsdc !== undefined &&
    (micros === null || unapprovedMicros + micros > approveAboveDailyUsdc)
  return [
    ...(isAbove ? (['approveAboveUsdc'] as const) : []),
    ...(isAboveDay ? (['approveAboveDailyUsdc'] as const) : []),
  ]
}
