import type { Limits } from '../core/mandate.ts'
import type { AGENT_LIMITS, AgentLimitName } from '../spec/agent-limits.ts'
import type { KindValues } from './kinds.ts'

type Read = <Name extends AgentLimitName>(
  name: Name,
) => KindValues[(typeof AGENT_LIMITS)[Name]['kind']] | undefined

/** The limits whose values a reader gives by the names of the table; one that is off is absent. */
export function agentLimits(read: Read): Limits {
  const given: Limits = {
    maxOrderUsdc: read('MAX_ORDER_USDC') ?? undefined,
    maxDailyUsdc: read('MAX_DAILY_USDC') ?? undefined,
    maxPositionUsdc: read('MAX_POSITION_USDC') ?? undefined,
    maxLossUsdc: read('MAX_LOSS_USDC') ?? undefined,
    maxLeverage: read('MAX_LEVERAGE') ?? undefined,
    maxOrdersPerMinute: read('MAX_ORDERS_PER_MINUTE') ?? undefined,
    symbols: read('ALLOWED_SYMBOLS') ?? undefined,
    reduceOnly: read('REDUCE_ONLY') || undefined,
    readOnly: read('READ_ONLY') || undefined,
    onceByClientOrderId: read('ONCE_BY_CLIENT_ORDER_ID') || undefined,
    expiresAtMs: read('EXPIRES_AT') ?? undefined,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
