import { DAY_MS } from '../../spec/durations.ts'
import { type SignedCall, signedRows } from '../accounts/signed-call.ts'
import type { VenueState } from '../exchange/state.ts'
import { contextOf } from '../exchange/trading-context.ts'
import { amountOf } from '../messages/number.ts'
import { requiredQuery } from '../messages/page.ts'
import { refusal } from '../messages/refusals.ts'
import type { VenueRow } from '../messages/row.ts'
import { dateOf, rebatesFrom } from '../programs/affiliates/rebates.ts'

type RevenueParts = {
  readonly exchange: VenueState
  /** Whether an account runs its broker. */
  readonly isOperator: (accountId: string) => boolean
}

const DAYS_MAX = 180
/**
 * The row in which a broker's operator reads what its accounts paid in fees, less what of them is for those who brought
 * them, newest day first.
 */
export function revenueRows({ exchange, isOperator }: RevenueParts): readonly VenueRow[] {
  return signedRows(exchange, 'read', {
    'GET /v1/broker/daily_fee_revenue': (call) => {
      if (!isOperator(call.accountId)) throw refusal('unauthorized')
      return { rows: revenueOf(call) }
    },
  })
}

function revenueOf({ exchange, account: { profile }, query }: SignedCall) {
  const from = dateField(query, 'start_date')
  const to = dateField(query, 'end_date')
  if (from > to || Date.parse(to) - Date.parse(from) > DAYS_MAX * DAY_MS) {
    throw refusal('parameter', 'date range is invalid')
  }
  const fees = new Map<string, number>()
  const add = (day: { readonly day: number }, amount: number) => {
    const date = dateOf(day)
    if (date >= from && date <= to) fees.set(date, (fees.get(date) ?? 0) + amount)
  }
  for (const { profile: own } of exchange.accounts.values()) {
    if (own.brokerId !== profile.brokerId) continue
    for (const day of contextOf(exchange, own.accountId).account.days) add(day, day.fees)
    for (const { days } of rebatesFrom(exchange, own.accountId))
      for (const day of days) add(day, -day.amount)
  }
  const newestFirst = [...fees].sort(([a], [b]) => (a < b ? 1 : -1))
  return newestFirst.map(([date, paid]) => revenueRowOf(date, paid))
}

function revenueRowOf(date: string, fees: number) {
  return {
    date,
    permissionless_listing_fee_share: 0,
    distributor_fee_share: 0,
    builder_fee_revenue: amountOf(fees),
    cross_broker_fee: 0,
    total_revenue: amountOf(fees),
  }
}

function dateField(query: URLSearchParams, name: string): string {
  const date = requiredQuery(query, name)
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(date) && !Number.isNaN(Date.parse(date))
  if (!isDate) throw refusal('parameter', `${name} must be YYYY-MM-DD`)
  return date
}
