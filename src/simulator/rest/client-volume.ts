import { DAY_MS } from '../../contract/durations.ts'
import { lastDays } from '../base/bounded-list.ts'
import { sumOf } from '../base/units.ts'
import type { TradingContext } from '../exchange/trading-context.ts'
import type { Closing } from '../history/days.ts'
import { dateOf, daysIn, pageOf } from '../messages/page.ts'
import { amountOf } from '../messages/values.ts'

/** GET /v1/client/statistics. */
export function statisticsOf(context: TradingContext, createdAtMs: number, nowMs: number) {
  const fees = amountOf(sumOf(lastDays(context.account.days, nowMs, 30), (day) => day.fees))
  const last24Hours = amountOf(volumeOfDay(context, nowMs))
  const last30Days = amountOf(volumeSince(context, nowMs, 30))
  const yearToDate = amountOf(volumeOfYear(context, nowMs))
  return {
    days_since_registration: Math.floor((nowMs - createdAtMs) / DAY_MS),
    fees_paid_last_30_days: fees,
    perp_fees_paid_last_30_days: fees,
    perp_trading_volume_last_24_hours: last24Hours,
    perp_trading_volume_last_7_days: amountOf(volumeSince(context, nowMs, 7)),
    perp_trading_volume_last_30_days: last30Days,
    perp_trading_volume_ytd: yearToDate,
    perp_trading_volume_ltd: amountOf(context.account.volume),
    trading_volume_last_24_hours: last24Hours,
    trading_volume_last_30_days: last30Days,
    trading_volume_ytd: yearToDate,
  }
}

/** GET /v1/volume/user/stats. */
export function volumeStats(context: TradingContext, nowMs: number) {
  return {
    perp_volume_ytd: amountOf(volumeOfYear(context, nowMs)),
    perp_volume_ltd: amountOf(context.account.volume),
    perp_volume_today: amountOf(volumeSince(context, nowMs, 1)),
    perp_volume_last_1_day: amountOf(volumeOfDay(context, nowMs)),
    perp_volume_last_7_days: amountOf(volumeSince(context, nowMs, 7)),
    perp_volume_last_30_days: amountOf(volumeSince(context, nowMs, 30)),
  }
}

/**
 * GET /v1/client/statistics/daily: the days that have ended, newest first, from `start_date` to `end_date`. Throws
 * -1005 on an invalid date.
 */
export function dailyStatistics(
  { account }: TradingContext,
  closings: readonly Closing[],
  query: URLSearchParams,
) {
  const days = daysIn(query, true)
  const rows = closings.filter(days.has).map(({ day, atMs, value }) => {
    const traded = account.days.find((each) => each.day === day)
    return {
      date: dateOf(day),
      account_value: amountOf(value),
      perp_volume: amountOf(traded?.volume ?? 0),
      pnl: amountOf(traded?.realizedPnl ?? 0),
      snapshot_time: atMs,
    }
  })
  return pageOf(rows.reverse(), query)
}

/**
 * GET /v1/volume/user/daily: the dates with trades from `start_date` to `end_date`. Throws -1005 on an invalid date.
 */
export function dailyVolume({ account }: TradingContext, query: URLSearchParams) {
  const days = daysIn(query, true)
  return account.days
    .filter(days.has)
    .map(({ day, volume }) => ({ date: dateOf(day), perp_volume: amountOf(volume) }))
}

function volumeSince({ account }: TradingContext, nowMs: number, count: number): number {
  return sumOf(lastDays(account.days, nowMs, count), (day) => day.volume)
}

/** Over the last 1440 minutes, including the current one. */
function volumeOfDay({ flows }: TradingContext, nowMs: number): number {
  return sumOf(flows(nowMs), ({ volume }) => volume)
}

function volumeOfYear({ account }: TradingContext, nowMs: number): number {
  const newYear = Date.UTC(new Date(nowMs).getUTCFullYear(), 0, 1) / DAY_MS
  return sumOf(
    account.days.filter(({ day }) => day >= newYear),
    (day) => day.volume,
  )
}
