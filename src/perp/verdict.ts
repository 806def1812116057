import type { Limits } from '../core/mandate.ts'
import type { Used } from '../core/spending.ts'
import type { AccountFigures } from './exposure.ts'
import {
  type Excess,
  openingExcess,
  type PlannedOrder,
  settingExcess,
  symbolExcess,
  valueExcess,
} from './limits.ts'

/** The known state of an account when orders are judged before signing. */
export type LimitState = {
  readonly limits: Limits
  readonly used: Used
  /** The value of the writes of 24 hours that went without approval, in micro-USDC. */
  readonly unapprovedMicros: bigint
  /** Null if no limit needs them, or if they are unknown. */
  readonly figures: AccountFigures | null
  /** The wall time. */
  readonly nowMs: number
}

/** A limit above which the owner of an account approves a write. */
export type ApprovalLimit = 'approveAboveUsdc' | 'approveAboveDailyUsdc' | 'approveChanges'

/**
 * The limits of an account that the opening orders of one write would exceed. Relay and tools refuse by the same functions.
 */
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

/** A change of leverage, margin mode or margin: of one market or, for null, of all, and the leverage that holds after it. */
export type SettingChange = { readonly symbol: string | null; readonly leverage: number | null }

/** The limits that a change would break. Relay and page refuse by the same function. */
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

/** The limits that make a change need an approval. */
export function changeApprovals({ approveChanges }: Limits): readonly ApprovalLimit[] {
  return approveChanges ? ['approveChanges'] : []
}

/**
 * The limits that make one of several writes need an approval, in the order in which they are sent. The values are in
 * micro-USDC, null if unknown. A write below these limits counts towards the daily maximum for the writes after it.
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

/** The limits above which the owner approves a write of a value in micro-USDC; null is not known, and above each. */
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
