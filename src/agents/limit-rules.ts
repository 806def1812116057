import type { AgentLimitName } from '../contract/agent-limits.ts'
import { usdcNumber } from '../core/decimals.ts'
import type { Row } from '../core/json.ts'
import { combinedLimits, type Limits } from '../core/mandate.ts'
import { type Excess, settingExcess, symbolExcess, VALUE_REASONS } from '../perp/limits.ts'
import { noteWrite } from './audit.ts'
import { invalidArgument, limitRefusal } from './refusal.ts'
import type { ToolContext, ToolFailure } from './tool.ts'

const LIMIT_IS_FINAL =
  'The user set this limit and only the user can change it. Do not split or disguise an order to get around it.'

const REDUCE_ONLY_EXEMPT = 'Reduce-only orders and close_position are exempt from it.'

/** The text that explains to agents how orders count towards value limits. */
export const WORST_CASE_TEXT =
  'An order counts at its worst price: a purchase with order_price at that, any other at the highest that the price_range of its market allows.'

/** The names of the limits that a person can set. */
export const LIMIT_NAMES = {
  maxOrderUsdc: 'MAX_ORDER_USDC',
  maxDailyUsdc: 'MAX_DAILY_USDC',
  maxPositionUsdc: 'MAX_POSITION_USDC',
  maxLossUsdc: 'MAX_LOSS_USDC',
  approveAboveUsdc: 'APPROVE_ABOVE_USDC',
  approveAboveDailyUsdc: 'APPROVE_ABOVE_DAILY_USDC',
  maxLeverage: 'MAX_LEVERAGE',
  maxOrdersPerMinute: 'MAX_ORDERS_PER_MINUTE',
  symbols: 'ALLOWED_SYMBOLS',
  reduceOnly: 'REDUCE_ONLY',
  readOnly: 'READ_ONLY',
  onceByClientOrderId: 'ONCE_BY_CLIENT_ORDER_ID',
  approveChanges: 'APPROVE_CHANGES',
  expiresAtMs: 'EXPIRES_AT',
} as const satisfies Partial<Record<keyof Limits, AgentLimitName>>

export type UserLimitName = keyof typeof LIMIT_NAMES

/** The limits of the agent's user and of the operator, combined: the stricter value of each. */
export function tightestLimits({ limits, operatorLimits }: ToolContext): Limits {
  return combinedLimits(limits, operatorLimits)
}

/** The name of the setting or header that sets a limit: the operator's setting if the operator's limit is stricter. */
export function limitSetting(
  { limits, operatorLimits, wording }: ToolContext,
  name: UserLimitName,
): string {
  const own = limits[name]
  const operators = operatorLimits[name]
  const isOwn = own !== undefined && (operators === undefined || own <= operators)
  return isOwn ? wording.limit(LIMIT_NAMES[name]) : `PREPD_AGENT_${LIMIT_NAMES[name]}`
}

/** Throws mandate_exceeded if the limits are read-only. */
export function assertMayWrite(context: ToolContext, tool: string): void {
  if (!tightestLimits(context).readOnly) return
  noteWrite(context, { tool, code: 'mandate_exceeded' })
  throw limitRefusal({
    reason: 'read_only',
    limit: 'read only',
    requested: tool,
    setting: limitSetting(context, 'readOnly'),
    next: LIMIT_IS_FINAL,
  })
}

/** Throws mandate_exceeded for a market outside the allowlist. A null symbol means all markets at once. */
export function assertAllowedSymbol(context: ToolContext, symbol: string | null): void {
  const limits = tightestLimits(context)
  if (!limits.symbols || (symbol !== null && symbolExcess(limits, [symbol]).length === 0)) return
  throw limitRefusal({
    reason: 'symbol',
    limit: limits.symbols,
    requested: symbol ?? 'all markets',
    setting: limitSetting(context, 'symbols'),
    next: symbol === null ? 'Name one of the allowed markets as symbol.' : LIMIT_IS_FINAL,
  })
}

/** Throws mandate_exceeded for a leverage above the maximum. */
export function assertLeverage(context: ToolContext, leverage: number): void {
  const [first] = settingExcess(tightestLimits(context), leverage)
  if (first) throw excessRefusal(context, first)
}

/** Throws invalid_request for an order without a client_order_id, if the limits require a client_order_id. */
export function assertClientOrderId(context: ToolContext, clientOrderId: string | undefined): void {
  if (clientOrderId !== undefined || !tightestLimits(context).onceByClientOrderId) return
  throw invalidArgument('client_order_id', 'missing', {
    setting: limitSetting(context, 'onceByClientOrderId'),
    next: 'The user wants each order named once: give a client_order_id of your own.',
  })
}

/**
 * An exceeded limit as a row of an answer. `roomMicros` is the largest order value within all limits, in micro-USDC;
 * the row has this member only if a smaller order could satisfy the limit.
 */
export function excessRow(
  context: ToolContext,
  excess: Excess,
  settingFor: (name: UserLimitName) => string = (name) => limitSetting(context, name),
  roomMicros?: bigint,
): Row {
  const { name, reason, limit, requested, left, renewsAtMs } = excess
  const setting = isUserLimitName(name) ? settingFor(name) : undefined
  return {
    reason,
    limit,
    ...(requested !== undefined && { requested }),
    ...(setting !== undefined && { setting }),
    ...(left !== undefined && { left }),
    ...(renewsAtMs !== undefined && { renews_at: renewsAtMs }),
    ...(USDC_REASONS.has(reason) && { unit: 'USDC' }),
    ...(VALUE_REASONS.has(reason) &&
      roomMicros !== undefined && { fits_usdc: usdcNumber(roomMicros) }),
  }
}

const USDC_REASONS: ReadonlySet<string> = new Set([
  'order_value',
  'daily_value',
  'position',
  'loss',
])

/** Whether a limit's name is one that a user can set. */
export function isUserLimitName(name: string): name is UserLimitName {
  return Object.hasOwn(LIMIT_NAMES, name)
}

/** The refusal of a write that would exceed a limit; `roomMicros` as in `excessRow`. */
export function excessRefusal(
  context: ToolContext,
  excess: Excess,
  roomMicros?: bigint,
): ToolFailure {
  return limitRefusal({
    ...excessRow(context, excess, undefined, roomMicros),
    reason: excess.reason,
    next: [
      LIMIT_IS_FINAL,
      REDUCE_ONLY_EXEMPT,
      ...(VALUE_REASONS.has(excess.reason) && excess.reason !== 'leverage'
        ? [WORST_CASE_TEXT]
        : []),
    ].join(' '),
  })
}
