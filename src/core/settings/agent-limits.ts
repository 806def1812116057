import type { AGENT_LIMITS, AgentLimitName } from '../../contract/agent-limits.ts'
import type { Limits } from '../mandate.ts'
import type { KindValues } from './kinds.ts'

type Read = <Name extends AgentLimitName>(
  name: Name,
) => KindValues[(typeof AGENT_LIMITS)[Name]['kind']] | undefined

/**
 * An agent's limits. `read` returns a limit's parsed value by its name in the settings table. A limit that is off is
 * absent.
 */
export function agentLimits(read: Read): Limits {
  const given = {
    maxOrderUsdc: read('MAX_ORDER_USDC'),
    maxDailyUsdc: read('MAX_DAILY_USDC'),
    maxPositionUsdc: read('MAX_POSITION_USDC'),
    maxLossUsdc: read('MAX_LOSS_USDC'),
    approveAboveUsdc: read('APPROVE_ABOVE_USDC'),
    approveAboveDailyUsdc: read('APPROVE_ABOVE_DAILY_USDC'),
    maxLeverage: read('MAX_LEVERAGE'),
    maxOrdersPerMinute: read('MAX_ORDERS_PER_MINUTE'),
    symbols: read('ALLOWED_SYMBOLS'),
    reduceOnly: read('REDUCE_ONLY'),
    readOnly: read('READ_ONLY'),
    onceByClientOrderId: read('ONCE_BY_CLIENT_ORDER_ID'),
    approveChanges: read('APPROVE_CHANGES'),
    expiresAtMs: read('EXPIRES_AT'),
  } satisfies { readonly [Name in keyof Limits]: Limits[Name] | null }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => (value ?? false) !== false))
}
