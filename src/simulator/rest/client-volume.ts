import { DAY_MS } from '../../contract/durations.ts'
import { lastDays } from '../base/bounded-list.ts'
import { sumBy } from '../base/units.ts'
import type { TradingContext } from '../exchange/trading-context.ts'
import type { Closing } from '../history/days.ts'
import { daysIn, queriedPage, utcDateText } from '../messages/page.ts'
import { wireUsdc } from '../messages/values.ts'

/** GET /v1/client/statistics. */
export function clientStatistics(context: TradingContext, createdAtMs: number, nowMs: number) {
  const fees = wireUsdc(sumBy(lastDays(context.account.days, nowMs, 30), (day) => day.fees))
  const last24Hours = wireUsdc(volumeOfDay(context, nowMs))
  const last30Days = wireUsdc(volumeSince(context, nowMs, 30))
  const yearToDate = wireUsdc(volumeOfYear(context, nowMs))
  return {
    days_since_registration: Math.floor((nowMs - createdAtMs) / DAY_MS),
    fees_paid_last_30_days: fees,
    perp_fees_paid_last_30_days: fees,
    perp_trading_volume_last_24_hours: last24Hours,
    perp_trading_volume_last_7_days: wireUsdc(volumeSince(context, nowMs, 7)),
    perp_trading_volume_last_30_days: last30Days,
    perp_trading_volume_ytd: yearToDate,
    perp_trading_volume_ltd: wireUsdc(context.account.volume),
    trading_volume_last_24_hours: last24Hours,
    trading_volume_last_30_days: last30Days,
    trading_volume_ytd: yearToDate,
  }
}

/** GET /v1/volume/user/stats. */
export function volumeStats(context: TradingContext, nowMs: number) {
  return {
    perp_volume_ytd: wireUsdc(volumeOfYear(context, nowMs)),
    perp_volume_ltd: wireUsdc(context.account.volume),
    perp_volume_today: wireUsdc(volumeSince(context, nowMs, 1)),
    perp_volume_last_1_day: wireUsdc(volumeOfDay(context, nowMs)),
    perp_volume_last_7_days: wireUsdc(volumeSince(context, nowMs, 7)),
    perp_volume_last_30_days: wireUsdc(volumeSince(context, nowMs, 30)),
  }
}

/**
 * GET /v1/client/statistics/daily: the days that have ended, from `start_date` to `end_date`, newest first. Throws
 * -1005 for an invalid date.
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
      date: utcDateText(day),
      account_value: wireUsdc(value),
      perp_volume: wireUsdc(traded?.volume ?? 0),
      pnl: wireUsdc(traded?.realizedPnl ?? 0),
      snapshot_time: atMs,
    }
  })
  return queriedPage(rows.reverse(), query)
}

/**
 * GET /v1/volume/user/daily: the days with trades, from `start_date` to `end_date`. Throws -1005 for an invalid date.
 */
export function dailyVolume({ account }: TradingContext, query: URLSearchParams) {
  const days = daysIn(query, true)
  return account.days
    .filter(days.has)
    .map(({ day, volume }) => ({ date: utcDateText(day), perp_volume: wireUsdc(volume) }))
}

function volumeSince({ account }: TradingContext, nowMs: number, count: number): number {
  return sumBy(lastDays(account.days, nowMs, count), (day) => day.volume)
}

/** The volume of the last 1440 minutes, including the current minute. */
function volumeOfDay({ flows }: TradingContext, nowMs: number): number {
  return sumBy(flows(nowMs), ({ volume }) => volume)
}

function volumeOfYear({ account }: TradingContext, nowMs: number): number {
  const newYear = Date.UTC(new Date(nowMs).getUTCFullYear(), 0, 1) / DAY_MS
  return sumBy(
    account.days.filter(({ day }) => day >= newYear),
    (day) => day.volume,
  )
}
