import { larger, usdcNumber } from '../../core/decimals.ts'
import { Failure } from '../../core/failure.ts'
import type { Row } from '../../core/json.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import type { Limits } from '../../core/mandate.ts'
import { dailyRemainderMicros, NOTHING_USED, type ReservedUse } from '../../core/spending.ts'
import { toAmount, toMicros } from '../../perp/amounts.ts'
import { needsFigures } from '../../perp/limit-figures.ts'
import { type FigureUse, figureUse } from '../../perp/limits.ts'
import { ClientFailure } from '../client/client.ts'
import {
  isUserLimitName,
  LIMIT_NAMES,
  limitSetting,
  tightestLimits,
  type UserLimitName,
} from '../limit-rules.ts'
import type { SignedContext, ToolContext } from '../tool.ts'
import { readFigures } from './figures.ts'
import type { AccountMandate } from './mandate.ts'
import { needsUseFigures, noteFills, readLimitUse } from './spending.ts'

/** Every limit of a caller: its setting, maximum, use and remainder, and the Unix ms of its renewal if it renews. */
export async function limitRows(context: ToolContext): Promise<readonly Row[]> {
  const limits = tightestLimits(context)
  const { credentials } = context
  const signed = credentials && { ...context, credentials }
  if (signed) await noteFills(signed)
  const used = needsUseFigures(limits) ? await readLimitUse(context) : NOTHING_USED
  const found =
    signed && needsFigures(limits) ? await readFigures(signed).catch(NULL_ON_FAILURE) : null
  const figures = found?.figures ?? null
  const usedFigure = limitUses(used, figures && figureUse(figures, used))
  return toLimitRows(limits, (name) => limitSetting(context, name), usedFigure)
}

// If the venue gives no answer, the use is unknown.
const NULL_ON_FAILURE = defaultOnFailure('mcp', null, ClientFailure)

/** The limits that the account's wallet has signed, in the form of the rows of `limitRows`. */
export function mandateRows({ limits, use: { used, renewsAtMs } }: AccountMandate): readonly Row[] {
  return toLimitRows(limits, () => 'mandate', {
    maxDailyUsdc: usedFigure(used?.maxDailyUsdc, renewsAtMs?.maxDailyUsdc),
    maxOrdersPerMinute: usedFigure(used?.maxOrdersPerMinute, renewsAtMs?.maxOrdersPerMinute),
    maxPositionUsdc: usedFigure(used?.maxPositionUsdc),
    maxLossUsdc: usedFigure(used?.maxLossUsdc),
    maxLeverage: usedFigure(used?.maxLeverage),
  })
}

/** The used part of a limit; null if unknown. */
type Use = { readonly used: number | null; readonly renewsAtMs?: number | null | undefined }

type Uses = Readonly<Partial<Record<UserLimitName, Use>>>

function usedFigure(used: string | number | null | undefined, renewsAtMs?: number | null): Use {
  return { used: used == null ? null : Number(used), renewsAtMs }
}

function limitUses(used: ReservedUse, figures: FigureUse | null): Uses {
  return {
    maxDailyUsdc: usedFigure(
      used.dayMicros === null ? null : usdcNumber(used.dayMicros),
      used.dayRenewsAtMs,
    ),
    maxOrdersPerMinute: usedFigure(used.minuteOrders, used.minuteRenewsAtMs),
    maxPositionUsdc: usedFigure(figures && usdcNumber(figures.positionMicros)),
    maxLossUsdc: usedFigure(figures && usdcNumber(figures.lossMicros)),
    maxLeverage: usedFigure(figures?.leverage),
  }
}

function toLimitRows(
  limits: Limits,
  settingFor: (name: UserLimitName) => string,
  uses: Uses,
): readonly Row[] {
  return Object.keys(LIMIT_NAMES)
    .filter(isUserLimitName)
    .flatMap((name) => {
      const value = limits[name]
      if (value === undefined || value === false) return []
      const row = { limit: LIMIT_NAMES[name].toLowerCase(), setting: settingFor(name) }
      return [{ ...row, ...limitBound(value), ...limitUse(value, uses[name]) }]
    })
}

function limitBound(value: NonNullable<Limits[UserLimitName]>): Row {
  if (typeof value === 'boolean') return {}
  if (typeof value === 'object') return { allowed: value }
  return { max: typeof value === 'bigint' ? usdcNumber(value) : value }
}

/** Use and remainder of a numeric limit; empty for other limits. */
function limitUse(value: NonNullable<Limits[UserLimitName]>, use: Use | undefined): Row {
  if (!use || (typeof value !== 'bigint' && typeof value !== 'number')) return {}
  const { used, renewsAtMs } = use
  return {
    used,
    left: used === null ? null : remainder(value, used),
    ...(renewsAtMs !== undefined && { renews_at: renewsAtMs }),
  }
}

function remainder(max: bigint | number, used: number): number {
  const left = typeof max === 'bigint' ? max - toMicros(toAmount(used) ?? 0n) : max - used
  if (typeof left === 'bigint') return usdcNumber(larger(0n, left))
  return Math.max(0, Number(left.toFixed(2)))
}

/** The member `limits_left` of every order's answer: the remainder of limits that renew. Empty without such limits. */
export async function limitsLeft(context: SignedContext, symbol?: string): Promise<Row> {
  const { maxDailyUsdc, maxOrdersPerMinute } = tightestLimits(context)
  if (maxDailyUsdc === undefined && maxOrdersPerMinute === undefined) return {}
  const used = await readLimitUse(context, symbol).catch(
    defaultOnFailure('mcp', null, ClientFailure, Failure),
  )
  // The order was sent, so an unknown remainder is only reported.
  if (!used) return { limits_left: null }
  return {
    limits_left: {
      ...(maxDailyUsdc !== undefined && {
        daily_usdc: usdcNumber(dailyRemainderMicros(used, maxDailyUsdc)),
        renews_at: used.dayRenewsAtMs,
      }),
      ...(maxOrdersPerMinute !== undefined && {
        orders: Math.max(0, maxOrdersPerMinute - used.minuteOrders),
      }),
    },
  }
}
