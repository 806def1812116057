import { DAY_MS } from '../../spec/durations.ts'
import { firstDateOf } from '../calendar.ts'
import type { Account, Day } from '../exchange/state.ts'
import { sumOf, worthOf } from '../units.ts'
import { micro } from '../wire/number.ts'
import { requiredQuery } from '../wire/page.ts'
import { refusal } from '../wire/refusals.ts'
import type { VenueCall } from '../wire/row.ts'

/** GET /v1/client/statistics. */
export function statisticsOf(account: Account, nowMs: number) {
  const { createdAtMs, volume } = account.profile
  const fees = micro(sumOf(since(account, nowMs, 30), (day) => day.fees))
  const last24Hours = micro(volumeOfDay(account, nowMs))
  const last30Days = micro(volumeSince(account, nowMs, 30))
  const yearToDate = micro(volumeOfYear(account, nowMs))
  return {
    days_since_registration: Math.floor((nowMs - createdAtMs) / DAY_MS),
    fees_paid_last_30_days: fees,
    perp_fees_paid_last_30_days: fees,
    perp_trading_volume_last_24_hours: last24Hours,
    perp_trading_volume_last_7_days: micro(volumeSince(account, nowMs, 7)),
    perp_trading_volume_last_30_days: last30Days,
    perp_trading_volume_ytd: yearToDate,
    perp_trading_volume_ltd: micro(volume),
    trading_volume_last_24_hours: last24Hours,
    trading_volume_last_30_days: last30Days,
    trading_volume_ytd: yearToDate,
  }
}

/** GET /v1/volume/user/stats. */
export function volumeStats(account: Account, nowMs: number) {
  return {
    perp_volume_ytd: micro(volumeOfYear(account, nowMs)),
    perp_volume_ltd: micro(account.profile.volume),
    perp_volume_today: micro(volumeSince(account, nowMs, 1)),
    perp_volume_last_1_day: micro(volumeOfDay(account, nowMs)),
    perp_volume_last_7_days: micro(volumeSince(account, nowMs, 7)),
    perp_volume_last_30_days: micro(volumeSince(account, nowMs, 30)),
  }
}

/** GET /v1/volume/user/daily: the dates with trades from `start_date` to `end_date`. Throws -1005 on no such date. */
export function dailyVolume({ days }: Account, { query }: VenueCall) {
  const from = dateField(query, 'start_date')
  const to = dateField(query, 'end_date')
  return [...days.values()]
    .filter(({ date }) => date >= from && date <= to)
    .sort((a, b) => (a.date < b.date ? -1 : 1))
    .map(({ date, volume }) => ({ date, perp_volume: micro(volume) }))
}

function dateField(query: URLSearchParams, name: string): string {
  const date = requiredQuery(query, name)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) throw refusal('parameter', `${name} must be YYYY-MM-DD`)
  return date
}

/** The UTC dates of the last days, today included. */
function since({ days }: Account, nowMs: number, count: number): Day[] {
  const first = firstDateOf(count, nowMs)
  return [...days.values()].filter(({ date }) => date >= first)
}

function volumeSince(account: Account, nowMs: number, count: number): bigint {
  return sumOf(since(account, nowMs, count), (day) => day.volume)
}

/** Over the last 24 hours, by the trade; the history keeps more of them than most accounts make in a day. */
function volumeOfDay({ trades }: Account, nowMs: number): bigint {
  const recent = trades.filter(({ atMs }) => atMs > nowMs - DAY_MS)
  return sumOf(recent, ({ price, quantity }) => worthOf(price, quantity))
}

function volumeOfYear({ days }: Account, nowMs: number): bigint {
  const year = new Date(nowMs).toISOString().slice(0, 4)
  const thisYear = [...days.values()].filter(({ date }) => date.startsWith(year))
  return sumOf(thisYear, (day) => day.volume)
}
