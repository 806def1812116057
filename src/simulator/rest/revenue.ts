import { tradingContext } from '../exchange/trading-context.ts'
import { daysIn, utcDateText } from '../messages/page.ts'
import { refusal } from '../messages/refusals.ts'
import { wireUsdc } from '../messages/values.ts'
import { rebatesFrom } from '../programs/affiliates/rebates.ts'
import type { SignedCall, SignedTable } from './signed/call.ts'

const DAYS_MAX = 180

/** The daily revenue of a broker, for its operator. */
export const REVENUE: SignedTable = {
  read: { 'GET /v1/broker/daily_fee_revenue': (call) => ({ rows: brokerRevenue(call) }) },
}

/** Fees of the broker's accounts minus rebates, newest day first. Throws -1002 unless the caller is the operator. */
function brokerRevenue(call: SignedCall) {
  if (!call.isOperator(call.accountId)) throw refusal('unauthorized')
  const { exchange, account, query } = call
  const { profile } = account
  const asked = daysIn(query, true)
  if (asked.first > asked.last || asked.last - asked.first > DAYS_MAX)
    throw refusal('parameter', 'date range is invalid')
  const fees = new Map<number, number>()
  const add = (day: number, amount: number) => fees.set(day, (fees.get(day) ?? 0) + amount)
  for (const { profile: own } of exchange.accounts.values()) {
    if (own.brokerId !== profile.brokerId) continue
    const paid = tradingContext(exchange, own.accountId).account.days
    for (const row of paid.filter(asked.has)) add(row.day, row.fees)
    const rebates = rebatesFrom(exchange, own.accountId).flatMap(({ days }) => days)
    for (const row of rebates.filter(asked.has)) add(row.day, -row.amount)
  }
  const newestFirst = [...fees].sort(([a], [b]) => b - a)
  return newestFirst.map(([day, paid]) => ({
    date: utcDateText(day),
    permissionless_listing_fee_share: 0,
    distributor_fee_share: 0,
    builder_fee_revenue: wireUsdc(paid),
    cross_broker_fee: 0,
    total_revenue: wireUsdc(paid),
  }))
}
