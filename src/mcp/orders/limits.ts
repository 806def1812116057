import { abbreviate } from '../../core/hex.ts'
import { refusal } from '../refusal.ts'
import type { SignedContext } from '../tool.ts'
import { type ToolContext, ToolFailure } from '../tool.ts'
import { usdcNumber } from './amounts.ts'

const FINAL =
  'The user set this limit and only the user can change it. Do not split or disguise an order to get around it.'

const EXEMPT = 'Reduce-only orders and close_position are exempt from it.'

/** Throws forbidden when the person behind the model allows no writes at all. */
export function assertMayWrite(context: ToolContext, tool: string): void {
  const { limits, wording } = context
  if (!limits.readOnly) return
  audit(context, { tool, code: 'forbidden' })
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

/** What a write counts towards the limits, in micro-USDC. Reduce-only orders and cancels count nothing. */
export type Spending = {
  /** The whole value of the order as it will be. */
  readonly order: bigint
  /** What it adds to the day: less than the whole for an order that only grows. */
  readonly daily: bigint
}

export const NO_SPENDING: Spending = { order: 0n, daily: 0n }

/** The limits a write would break; empty when it may go. */
export function brokenLimits({ limits, wording, daily }: ToolContext, spending: Spending) {
  const today = (daily?.spent() ?? 0n) + spending.daily
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
    },
  ]
  return rows.flatMap(({ max, added, reached, setting }) => {
    if (max === undefined || added === 0n || reached <= max) return []
    return [{ limit: usdcNumber(max), requested: usdcNumber(reached), setting }]
  })
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
  context.daily?.add(spending.daily)
  try {
    return await send()
  } catch (error) {
    const mayHaveHappened = error instanceof ToolFailure && error.code === 'outcome_unknown'
    if (!mayHaveHappened) context.daily?.add(-spending.daily)
    throw error
  }
}

/** What an audit line says of a write. */
export type Audited = {
  readonly tool: string
  readonly symbol?: string
  readonly side?: string
  readonly size?: string
  readonly client_order_id?: string
}

/** Runs a write and leaves one line about it, however it ends. */
export async function audited<T>(
  context: SignedContext,
  line: Audited,
  run: () => Promise<T>,
): Promise<T> {
  try {
    const result = await run()
    audit(context, { ...line, code: 'ok' })
    return result
  } catch (error) {
    audit(context, { ...line, code: error instanceof ToolFailure ? error.code : 'internal' })
    throw error
  }
}

function audit(context: ToolContext, line: Audited & { readonly code: string }): void {
  const { tool, symbol = null, side = null, size = null, client_order_id = null, code } = line
  const account = context.credentials ? abbreviate(context.credentials.accountId) : null
  const timeMs = context.clock.nowMs()
  context.audit({ timeMs, tool, symbol, side, size, client_order_id, code, account })
}
