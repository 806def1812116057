/** Placeholder for an agent's trading key that is stored in the system's keychain. */
export const IN_KEYCHAIN = 'keychain'

type LimitSetting = {
  readonly kind: 'usdcOrOff' | 'countOrOff' | 'symbolsOrOff' | 'boolean' | 'instantOrOff'
  readonly default: 'off'
  readonly meaning: string
}

/**
 * The limits that a user sets for an agent. Each name is the end of a variable or header:
 * - SERVICE_MAX_ORDER_USDC over stdio,
 * - x-max-order-usdc over HTTP,
 * - PREPD_AGENT_MAX_ORDER_USDC for all agents that use this server.
 */
// biome-ignore format: one limit a row
export const AGENT_LIMITS = {
  MAX_ORDER_USDC: { kind: 'usdcOrOff', default: 'off', meaning: 'Maximum value of one order at its worst case. `off`: no limit.' },
  MAX_DAILY_USDC: { kind: 'usdcOrOff', default: 'off', meaning: 'Maximum value of orders in a rolling 24 hours. `off`: no limit.' },
  MAX_POSITION_USDC: { kind: 'usdcOrOff', default: 'off', meaning: 'Maximum exposure in a market: position, open and conditional orders.' },
  MAX_LOSS_USDC: { kind: 'usdcOrOff', default: 'off', meaning: 'After this loss in 24 h (also unrealised), no new positions.' },
  APPROVE_ABOVE_USDC: { kind: 'usdcOrOff', default: 'off', meaning: 'Maximum value of one write without approval by the owner.' },
  APPROVE_ABOVE_DAILY_USDC: { kind: 'usdcOrOff', default: 'off', meaning: 'Maximum value per rolling 24 hours of writes without approval.' },
  MAX_LEVERAGE: { kind: 'countOrOff', default: 'off', meaning: 'Maximum leverage setting, and maximum exposure ÷ account value.' },
  MAX_ORDERS_PER_MINUTE: { kind: 'countOrOff', default: 'off', meaning: 'Maximum number of orders per rolling minute. `off`: no limit.' },
  ALLOWED_SYMBOLS: { kind: 'symbolsOrOff', default: 'off', meaning: 'Allowlist of markets, comma-separated. `none`: no market. `off`: any market.' },
  REDUCE_ONLY: { kind: 'boolean', default: 'off', meaning: 'Only cancels and reduce-only orders: `on` or `off`.' },
  READ_ONLY: { kind: 'boolean', default: 'off', meaning: 'Only tools that read: `on` or `off`.' },
  ONCE_BY_CLIENT_ORDER_ID: { kind: 'boolean', default: 'off', meaning: 'Each order needs a client_order_id that was not used in 24 hours: `on` or `off`.' },
  APPROVE_CHANGES: { kind: 'boolean', default: 'off', meaning: 'Leverage, margin and withdrawals need the owner’s approval: `on` or `off`.' },
  EXPIRES_AT: { kind: 'instantOrOff', default: 'off', meaning: 'After this UTC time, only cancels and reduce-only: 2026-01-01T00:00:00Z.' },
} as const satisfies Readonly<Record<string, LimitSetting>>

export type AgentLimitName = keyof typeof AGENT_LIMITS

/** The limits as rows of the settings table, with a prefix before each name. */
export function limitSettings<Prefix extends string>(prefix: Prefix) {
  const rows = Object.entries(AGENT_LIMITS).map(([name, row]) => [`${prefix}_${name}`, row])
  return Object.fromEntries(rows) as {
    readonly [Name in AgentLimitName as `${Prefix}_${Name}`]: (typeof AGENT_LIMITS)[Name]
  }
}

/** The HTTP header that sets a limit. */
export function limitHeader(name: AgentLimitName): string {
  return `x-${name.toLowerCase().replaceAll('_', '-')}`
}

/** The HTTP headers of all limits. */
export const LIMIT_HEADERS: readonly string[] = Object.keys(AGENT_LIMITS)
  .filter(isLimitName)
  .map(limitHeader)

function isLimitName(name: string): name is AgentLimitName {
  return Object.hasOwn(AGENT_LIMITS, name)
}
