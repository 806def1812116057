import { figureUse, needsFigures } from '../../core/limit-check.ts'
import { type Limits, usdcText } from '../../core/mandate.ts'
import type { MandateUse } from '../../spec/mandate.ts'
import { type GateParts, scopeOf } from './reserve.ts'

/**
 * What an account has used of its limits, and when that renews, as answers show it; nothing where no limit is used up.
 * Position, loss and leverage are null without an answer to GET /v1/positions within ten seconds.
 */
export async function usedOf(
  { store, clock, venueClock, figures }: GateParts,
  accountId: string,
  limits: Limits,
): Promise<MandateUse> {
  const { maxDailyUsdc, maxOrdersPerMinute } = limits
  const counts = maxDailyUsdc !== undefined || maxOrdersPerMinute !== undefined
  if (!counts && !needsFigures(limits)) return {}
  const spent = await store.spending.used(scopeOf(accountId), venueClock.nowMs())
  const found = figures.find(accountId, clock.nowMs())
  const use = found && figureUse(found, spent)
  const all = {
    maxDailyUsdc: usdcText(spent.dayMicros),
    maxOrdersPerMinute: spent.minuteOrders,
    maxPositionUsdc: use && usdcText(use.positionMicros),
    maxLossUsdc: use && usdcText(use.lossMicros),
    maxLeverage: use?.leverage ?? null,
  }
  const renewsAtMs = {
    maxDailyUsdc: spent.dayRenewsAtMs,
    maxOrdersPerMinute: spent.minuteRenewsAtMs,
  }
  return {
    used: ofLimits(all, limits),
    ...(counts && { renewsAtMs: ofLimits(renewsAtMs, limits) }),
  }
}

/** The members whose limit holds. */
function ofLimits<Members extends object>(members: Members, limits: Limits): Partial<Members> {
  const held = new Map<string, unknown>(Object.entries(limits))
  return Object.fromEntries(
    Object.entries(members).filter(([name]) => held.get(name) !== undefined),
  ) as Partial<Members>
}
