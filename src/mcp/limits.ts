import type { Clock } from '../core/ports.ts'
import type { AgentSettings } from '../settings/settings.ts'
import { DAY_MS } from '../spec/durations.ts'
import { larger, usdcNumber } from './amounts.ts'
import { noteWrite } from './audit.ts'
import { refusal } from './refusal.ts'
import type { Row } from './rows.ts'
import { type DailySpend, type OrderLimits, type ToolContext, ToolFailure } from './tool.ts'

/** The limits of a stdio server, as its environment sets them. */
export function limitsOf({ limits }: Pick<AgentSettings, 'limits'>): OrderLimits {
  const { maxOrderUsdc, maxDailyUsdc, allowedSymbols, readOnly } = limits
  return {
    ...(maxOrderUsdc !== null && { maxOrderUsdc }),
    ...(maxDailyUsdc !== null && { maxDailyUsdc }),
    ...(allowedSymbols !== null && { allowedSymbols }),
    readOnly,
  }
}

const FINAL =
  'The user set this limit and only the user can change it. Do not split or disguise an order to get around it.'

const EXEMPT = 'Reduce-only orders and close_position are exempt from it.'

/** Throws forbidden when the person behind the model allows no writes at all. */
export function assertMayWrite(context: ToolContext, tool: string): void {
  const { limits, wording } = context
  if (!limits.readOnly) return
  noteWrite(context, { tool, code: 'forbidden' })
  throw refusal('forbidden', {
    limit: 'read only',
    requested: tool,
    setting: wording.readOnly,
    next: FINAL,
  })
}

/** Throws forbidden when a market is not among those the person allows; null stands for all markets at once. */
export function assertAllowedSymbol({ limits, wording }: ToolContext, symbol: string | null): void {
  const allowed = limits.allowedSymbols
  if (!allowed || (symbol !== null && allowed.includes(symbol))) return
  throw refusal('forbidden', {
    limit: allowed,
    requested: symbol ?? 'all markets',
    setting: wording.allowedSymbols,
    next: symbol === null ? 'Name one of the allowed markets as symbol.' : FINAL,
  })
}

/** The value by which a write counts towards the limits, in micro-USDC; zero for reduce-only orders and cancels. */
export type Spending = {
  /** The whole value of the order as it will be. */
  readonly order: bigint
  /** The value it adds to the day: the growth alone for an order that grows. */
  readonly daily: bigint
}

export const NO_SPENDING: Spending = { order: 0n, daily: 0n }

/** The limits a write would break; empty when it may go. */
export function brokenLimits({ limits, wording, daily }: ToolContext, spending: Spending) {
  const today = (daily?.spent() ?? 0n) + spending.daily
  const renewal = dailyLeft({ limits, daily })
  const rows = [
    {
      max: limits.maxOrderUsdc,
      added: spending.order,
      reached: spending.order,
      setting: wording.maxOrderUsdc,
    },
    {
      max: daily ? limits.maxDailyUsdc : undefined,
      added: spending.daily,
      reached: today,
      setting: wording.maxDailyUsdc,
      more: renewal && { left: renewal.daily_usdc, renews_at: renewal.renews_at },
    },
  ]
  return rows.flatMap(({ max, added, reached, setting, more }) => {
    if (max === undefined || added === 0n || reached <= max) return []
    return [{ limit: usdcNumber(max), requested: usdcNumber(reached), setting, ...more }]
  })
}

/** Every limit that applies to a caller: its setting and maximum, and use, remainder in USDC and renewal in ms of the day's. */
export function limitRows({ limits, wording, daily }: ToolContext): readonly Row[] {
  const { maxOrderUsdc, maxDailyUsdc, allowedSymbols, readOnly } = limits
  const today = dailyLeft({ limits, daily })
  return [
    ...(maxOrderUsdc === undefined
      ? []
      : [
          { limit: 'max_order_usdc', setting: wording.maxOrderUsdc, max: usdcNumber(maxOrderUsdc) },
        ]),
    ...(maxDailyUsdc === undefined || !today
      ? []
      : [
          {
            limit: 'max_daily_usdc',
            setting: wording.maxDailyUsdc,
            max: usdcNumber(maxDailyUsdc),
            used: usdcNumber(daily?.spent() ?? 0n),
            left: today.daily_usdc,
            renews_at: today.renews_at,
          },
        ]),
    ...(allowedSymbols === undefined
      ? []
      : [{ limit: 'allowed_symbols', setting: wording.allowedSymbols, allowed: allowedSymbols }]),
    ...(readOnly ? [{ limit: 'read_only', setting: wording.readOnly }] : []),
  ]
}

/** The member of every order's answer with what is left of the day's limit; empty where there is no such limit. */
export function limitsLeft(context: ToolContext): Row {
  const left = dailyLeft(context)
  return left ? { limits_left: left } : {}
}

function dailyLeft({ limits: { maxDailyUsdc }, daily }: Pick<ToolContext, 'limits' | 'daily'>) {
  if (maxDailyUsdc === undefined || !daily) return null
  const left = larger(0n, maxDailyUsdc - daily.spent())
  return { daily_usdc: usdcNumber(left), renews_at: daily.renewsAtMs() }
}

/**
 * Sends an order within the limits: counts its value towards the day before it goes, and takes that back only when it
 * certainly did not. Throws forbidden with `{limit, requested}` in USDC, before anything is signed.
 */
export async function withinLimits<T>(
  context: ToolContext,
  spending: Spending,
  send: () => Promise<T>,
): Promise<T> {
  const [broken] = brokenLimits(context, spending)
  if (broken) throw refusal('forbidden', { ...broken, unit: 'USDC', next: `${FINAL} ${EXEMPT}` })
  const takeBack = context.daily?.reserve(spending.daily)
  try {
    return await send()
  } catch (error) {
    if (!isOutcomeUnknown(error)) takeBack?.()
    throw error
  }
}

/** Whether a write that failed may have happened all the same. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof ToolFailure && error.code === 'outcome_unknown'
}

/** The value of the orders that this process has sent since midnight UTC, in micro-USDC. */
export function createDailySpend(clock: Clock): DailySpend {
  let day = { number: 0, micros: 0n }
  function today() {
    const now = Math.floor(clock.nowMs() / DAY_MS)
    // A clock that steps back begins no day again.
    if (now > day.number) day = { number: now, micros: 0n }
    return day
  }
  return {
    spent: () => today().micros,
    renewsAtMs: () => (today().number + 1) * DAY_MS,
    reserve: (micros) => {
      const reserved = today()
      reserved.micros += micros
      let held = micros
      return () => {
        reserved.micros -= held
        held = 0n
      }
    },
  }
}
