import type { MandateUse } from '../../contract/mandate.ts'
import {
  combinedLimits,
  type Limits,
  type Mandate,
  reduceOnlyCause,
  usdcText,
} from '../../core/mandate.ts'
import type { ReservedUse } from '../../core/spending.ts'
import type { AccountFigures } from '../../perp/account-exposure.ts'
import { limitFigures, needsFigures } from '../../perp/limit-figures.ts'
import { figureUse, openingExcess } from '../../perp/limits.ts'
import { readMarketBounds } from './market-bounds.ts'
import type { GateAccess } from './reserve.ts'
import { spendingScope, transferScope, unapprovedScope } from './scopes.ts'

/**
 * An account's use of its limits and the time at which the use renews, in the form of answers; empty without such
 * limits. Position, loss and leverage are null unless the reads that they need were relayed in the last ten seconds.
 */
export async function readMandateUse(
  parts: GateAccess,
  accountId: string,
  limits: Limits,
): Promise<MandateUse> {
  const { store, clock, venueClock } = parts
  const { maxDailyUsdc, maxOrdersPerMinute, maxTransferUsdc, approveAboveDailyUsdc } = limits
  const counts = maxDailyUsdc !== undefined || maxOrdersPerMinute !== undefined
  // The account's figures already include every settled write, so the time of the figures is set to now.
  const usedIn = (scope: string) =>
    store.spending.used(scope, venueClock.nowMs(), clock.nowMs() + 1)
  const readDayText = async (limit: bigint | undefined, scope: string) =>
    limit === undefined ? '' : dayText(await usedIn(scope), limit)
  const isCounted = [maxTransferUsdc, approveAboveDailyUsdc].some((limit) => limit !== undefined)
  if (!counts && !needsFigures(limits) && !isCounted) return {}
  const spent = await usedIn(spendingScope(accountId))
  const found = needsFigures(limits) ? await readFiguresNow(parts, accountId, limits) : null
  const use = found && figureUse(found, spent)
  const all = {
    maxDailyUsdc: dayText(spent, maxDailyUsdc),
    maxOrdersPerMinute: spent.minuteOrders,
    maxPositionUsdc: use && usdcText(use.positionMicros),
    maxLossUsdc: use && usdcText(use.lossMicros),
    maxTransferUsdc: await readDayText(maxTransferUsdc, transferScope(accountId)),
    approveAboveDailyUsdc: await readDayText(approveAboveDailyUsdc, unapprovedScope(accountId)),
    maxLeverage: use?.leverage ?? null,
  }
  const renewsAtMs = {
    maxDailyUsdc: spent.dayRenewsAtMs,
    maxOrdersPerMinute: spent.minuteRenewsAtMs,
  }
  return {
    used: membersWithLimit(all, limits),
    ...(counts && { renewsAtMs: membersWithLimit(renewsAtMs, limits) }),
  }
}

/** The amount used in 24 hours; while it is unknown, the whole limit. */
function dayText({ dayMicros }: ReservedUse, limit: bigint | undefined): string {
  return usdcText(dayMicros ?? limit ?? 0n)
}

/**
 * For an account that may not open positions: the orders that can still open a position; null while they are unknown.
 */
export function stillOpening(
  { figures, clock, agentLimits }: GateAccess,
  mandate: Mandate,
): Pick<MandateUse, 'stillOpening'> {
  const nowMs = clock.nowMs()
  const forbidden = openingExcess(combinedLimits(mandate.limits, agentLimits), nowMs)
  if (reduceOnlyCause(mandate) === null && forbidden.length === 0) return {}
  return { stillOpening: figures.stillOpening(mandate.accountId, nowMs)?.slice() ?? null }
}

/** The figures of an account; null if a figure is unknown. */
async function readFiguresNow(
  parts: GateAccess,
  accountId: string,
  limits: Limits,
): Promise<AccountFigures | null> {
  const kept = parts.figures.find(accountId, parts.clock.nowMs())
  if (!kept) return null
  const symbols = new Set(kept.waiting?.map(({ symbol }) => symbol))
  const bounds = symbols.size > 0 ? await readMarketBounds(parts, symbols) : new Map()
  return limitFigures(limits, kept, bounds).figures
}

/** The members of limits that are set. */
function membersWithLimit<Members extends object>(
  members: Members,
  limits: Limits,
): Partial<Members> {
  const held = new Map<string, unknown>(Object.entries(limits))
  return Object.fromEntries(
    Object.entries(members).filter(([name]) => held.get(name) !== undefined),
  ) as Partial<Members>
}
