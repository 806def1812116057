import { ClientFailure } from '../../client/client.ts'
import { Failure } from '../../core/failure.ts'
import { orElse } from '../../core/loop/guarded.ts'
import type { Limits } from '../../core/mandate.ts'
import type { Used } from '../../core/spending.ts'
import { larger, usdcNumber } from '../amounts.ts'
import { isNamed, limitsOf, NAMES, type Named, settingOf } from '../limit-rules.ts'
import type { Row } from '../rows.ts'
import type { SignedContext, ToolContext } from '../tool.ts'
import { counts, NOTHING_USED, usedBy } from './spending.ts'

/** Every limit that applies to a caller: its setting and maximum, and use, remainder and renewal in ms of those that renew. */
export async function limitRows(context: ToolContext): Promise<readonly Row[]> {
  const limits = limitsOf(context)
  const used = counts(limits) ? await usedBy(context) : NOTHING_USED
  return Object.keys(NAMES)
    .filter(isNamed)
    .flatMap((name) => {
      const value = limits[name]
      if (value === undefined) return []
      const row = { limit: NAMES[name].toLowerCase(), setting: settingOf(context, name) }
      return [{ ...row, ...boundOf(value), ...useOf(name, limits, used) }]
    })
}

/** The same of limits that the account's wallet has signed. */
export function mandateRows(limits: Limits): readonly Row[] {
  return Object.keys(NAMES)
    .filter(isNamed)
    .flatMap((name) => {
      const value = limits[name]
      if (value === undefined || value === false) return []
      return [{ limit: NAMES[name].toLowerCase(), setting: 'mandate', ...boundOf(value) }]
    })
}

function boundOf(value: NonNullable<Limits[Named]>): Row {
  if (typeof value === 'boolean') return {}
  if (typeof value === 'object') return { allowed: value }
  return { max: typeof value === 'bigint' ? usdcNumber(value) : value }
}

function useOf(name: Named, { maxDailyUsdc, maxOrdersPerMinute }: Limits, used: Used): Row {
  if (name === 'maxDailyUsdc' && maxDailyUsdc !== undefined) {
    return {
      used: usdcNumber(used.dayMicros),
      left: usdcNumber(larger(0n, maxDailyUsdc - used.dayMicros)),
      renews_at: used.dayRenewsAtMs,
    }
  }
  if (name !== 'maxOrdersPerMinute' || maxOrdersPerMinute === undefined) return {}
  return {
    used: used.minuteOrders,
    left: Math.max(0, maxOrdersPerMinute - used.minuteOrders),
    renews_at: used.minuteRenewsAtMs,
  }
}

/** The member of every order's answer with what is left of limits that renew; empty where there is none. */
export async function limitsLeft(context: SignedContext, symbol?: string): Promise<Row> {
  const { maxDailyUsdc, maxOrdersPerMinute } = limitsOf(context)
  if (maxDailyUsdc === undefined && maxOrdersPerMinute === undefined) return {}
  const used = await usedBy(context, symbol).catch(orElse('mcp', null, ClientFailure, Failure))
  // The order was sent all the same.
  if (!used) return { limits_left: null }
  return {
    limits_left: {
      ...(maxDailyUsdc !== undefined && {
        daily_usdc: usdcNumber(larger(0n, maxDailyUsdc - used.dayMicros)),
        renews_at: used.dayRenewsAtMs,
      }),
      ...(maxOrdersPerMinute !== undefined && {
        orders: Math.max(0, maxOrdersPerMinute - used.minuteOrders),
      }),
    },
  }
}
