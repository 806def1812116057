import { type Limits, microsOf, reduceOnlyCause } from '../../../core/mandate.ts'
import { NOTHING_USED, type Used } from '../../../core/spending.ts'
import { type Exact, memberOf, textOf } from '../../common/exact-json.ts'

/** The limits that the account's wallet has signed, or tighter ones of the operator, with their use. */
export type SignedLimits = {
  readonly limits: Limits
  readonly used: Used
  readonly unapprovedMicros: bigint
  readonly cause: ReturnType<typeof reduceOnlyCause>
}

/** The limits in an answer to `GET /api/prep/mandate`; null if there is no such answer. */
export function parseMandate(answer: Exact): SignedLimits | null {
  const body = memberOf(answer, 'effectiveLimits') ?? memberOf(answer, 'limits')
  if (body === undefined) return null
  const [use, renews] = [memberOf(answer, 'used'), memberOf(answer, 'renewsAtMs')]
  const micros = (name: string) => microsOf(textOf(use, name)) ?? 0n
  return {
    limits: parseLimits(body),
    used: {
      ...NOTHING_USED,
      dayMicros: micros('maxDailyUsdc'),
      minuteOrders: Number(textOf(use, 'maxOrdersPerMinute')),
      minuteRenewsAtMs: Number(textOf(renews, 'maxOrdersPerMinute')) || null,
    },
    unapprovedMicros: micros('approveAboveDailyUsdc'),
    cause: reduceOnlyCause({
      frozenBy: textOf(answer, 'frozenBy'),
      loss: memberOf(answer, 'recordsLost'),
    }),
  }
}

/** The limits on opening orders and on changes of settings. */
function parseLimits(body: Exact): Limits {
  const usdc = (name: string) => microsOf(textOf(body, name))
  const count = (name: string) => Number(textOf(body, name)) || undefined
  const symbols = memberOf(body, 'symbols')
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
    approveChanges: memberOf(body, 'approveChanges') === true,
    reduceOnly: memberOf(body, 'reduceOnly') === true,
    readOnly: memberOf(body, 'readOnly') === true,
  }
}
