import { DAY_MS } from '../../spec/durations.ts'
import type { Account, Exchange } from '../exchange/state.ts'
import { micro } from '../wire/number.ts'
import { requiredQuery } from '../wire/page.ts'
import { refusal } from '../wire/refusals.ts'
import type { VenueCall, VenueRow } from '../wire/row.ts'
import { privateRow } from './private.ts'

type RevenueParts = {
  readonly exchange: Exchange
  /** Whether an account runs its broker. */
  readonly isOperator: (accountId: string) => boolean
}

const DAYS_MAX = 180

/** The row in which a broker's operator reads what its accounts paid in fees, newest day first. */
export function revenueRow({ exchange, isOperator }: RevenueParts): VenueRow {
  return privateRow(exchange, 'GET', '/v1/broker/daily_fee_revenue', 'read', (operator, call) => {
    if (!isOperator(call.accountId)) throw refusal('unauthorized')
    return { rows: revenueOf(exchange, operator, call) }
  })
}

function revenueOf({ accounts }: Exchange, { profile }: Account, { query }: VenueCall) {
  const from = dateField(query, 'start_date')
  const to = dateField(query, 'end_date')
  if (from > to || Date.parse(to) - Date.parse(from) > DAYS_MAX * DAY_MS) {
    throw refusal('parameter', 'date range is invalid')
  }
  const fees = new Map<string, bigint>()
  for (const account of accounts.values()) {
    if (account.profile.brokerId !== profile.brokerId) continue
    for (const day of account.days.values()) {
      if (day.date >= from && day.date <= to) {
        fees.set(day.date, (fees.get(day.date) ?? 0n) + day.fees)
      }
    }
  }
  const newestFirst = [...fees].sort(([a], [b]) => (a < b ? 1 : -1))
  return newestFirst.map(([date, paid]) => revenueRowOf(date, paid))
}

function revenueRowOf(date: string, fees: bigint) {
  return {
    date,
    permissionless_listing_fee_share: 0,
    distributor_fee_share: 0,
    builder_fee_revenue: micro(fees),
    cross_broker_fee: 0,
    total_revenue: micro(fees),
  }
}

function dateField(query: URLSearchParams, name: string): string {
  const date = requiredQuery(query, name)
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(date) && !Number.isNaN(Date.parse(date))
  if (!isDate) throw refusal('parameter', `${name} must be YYYY-MM-DD`)
  return date
}
