import { type Limits, reduceOnlyCause, toUsdcMicros } from '../../../core/mandate.ts'
import { NOTHING_USED, type ReservedUse } from '../../../core/spending.ts'
import { type Exact, memberText, memberValue } from '../../common/exact-json.ts'

/**
 * The limits of the account: the limits that its wallet has signed, or stricter limits of the operator, and their use.
 */
export type SignedLimits = {
  readonly limits: Limits
  readonly used: ReservedUse
  readonly unapprovedMicros: bigint
  readonly cause: ReturnType<typeof reduceOnlyCause>
}

/** The limits in an answer to `GET /api/prep/mandate`; null if there is no such answer. */
export function parseMandate(answer: Exact): SignedLimits | null {
  const body = memberValue(answer, 'effectiveLimits') ?? memberValue(answer, 'limits')
  if (body === undefined) return null
  const [use, renews] = [memberValue(answer, 'used'), memberValue(answer, 'renewsAtMs')]
  const micros = (name: string) => toUsdcMicros(memberText(use, name))
  const limits = parseLimits(body)
  return {
    limits,
    used: {
      ...NOTHING_USED,
      dayMicros: micros('maxDailyUsdc') ?? null,
      minuteOrders: Number(memberText(use, 'maxOrdersPerMinute')),
      minuteRenewsAtMs: Number(memberText(renews, 'maxOrdersPerMinute')) || null,
    },
    // A day that is not known counts as used up.
    unapprovedMicros: micros('approveAboveDailyUsdc') ?? limits.approveAboveDailyUsdc ?? 0n,
    cause: reduceOnlyCause({
      frozenBy: memberText(answer, 'frozenBy'),
      loss: memberValue(answer, 'recordsLost'),
    }),
  }
}

/** Parses the limits on opening orders and setting changes. */
function parseLimits(body: Exact): Limits {
  const usdc = (name: string) => toUsdcMicros(memberText(body, name))
  const count = (name: string) => Number(memberText(body, name)) || undefined
  const symbols = memberValue(body, 'symbols')
  return {
    maxOrderUsdc: usdc('maxOrderUsdc'),
    maxDailyUsdc: usdc('maxDailyUsdc'),
    maxPositionUsdc: usdc('maxPositionUsdc'),
    maxLossUsdc: usdc('maxLossUsdc'),
    approveAboveUsdc: usdc('approveAboveUsdc'),
    approveAboveDailyUsdc: usdc('approveAboveDailyUsdc'),
    maxLeverage: count('maxLeverage'),
    maxOrdersPerMinute: count('maxOrdersPerMinute'),
    expiresAtMs: count('expiresAtMs'),
    symbols: Array.isArray(symbols) ? symbols.map(String) : undefined,
    approveChanges: memberValue(body, 'approveChanges') === true,
    reduceOnly: memberValue(body, 'reduceOnly') === true,
    readOnly: memberValue(body, 'readOnly') === true,
  }
}
