import { DAY_MS } from '../../spec/durations.ts'
import type { Rebate } from '../engine/exchange.ts'
import type { Account, Exchange } from '../exchange/state.ts'
import { micro } from '../wire/number.ts'
import { pageOf, periodOf, queryText } from '../wire/page.ts'
import type { VenueCall } from '../wire/row.ts'
import { ownRebate, rebatesTo } from './rebates.ts'

/** What the rows say, and what a query may say too. */
const TYPES = [
  { type: 'REFERRAL_REBATE', asked: ['REFERRAL_REBATE', 'REFERRER_REBATE'] },
  { type: 'REFEREE_REBATE', asked: ['REFEREE_REBATE'] },
] as const

/**
 * GET /v1/client/distribution_history: what was paid to the account out of others' fees and its own, at the end of each
 * UTC day, the latest first. Throws -1005 on a malformed page or time.
 */
export function distributionHistory(
  exchange: Exchange,
  { profile }: Account,
  { query, nowMs }: VenueCall,
) {
  const own = ownRebate(exchange, profile.accountId)
  const paid = [rebatesTo(exchange, profile.accountId), own ? [own] : []]
  const [status, type] = [queryText(query, 'status'), queryText(query, 'type')]
  const isWithin = periodOf(query)
  const rows = TYPES.flatMap((each, at) =>
    isAsked(each.asked, type) ? paidRows(each.type, at, paid[at] ?? []) : [],
  ).filter(
    ({ amount, created_time }) => amount > 0 && created_time <= nowMs && isWithin(created_time),
  )
  const chosen = status === null || status === 'COMPLETED' ? rows : []
  const { meta, rows: page } = pageOf(
    chosen.toSorted((a, b) => b.id - a.id),
    query,
  )
  return { meta, rows: page.map((row) => ({ ...row, amount: micro(BigInt(row.amount)) })) }
}

function isAsked(names: readonly string[], type: string | null): boolean {
  return type === null || names.includes(type)
}

/** One row a day, in micro-USDC; what a day brought is paid when it ends. */
function paidRows(type: string, at: number, rebates: readonly Rebate[]) {
  const byDay = Map.groupBy(
    rebates.flatMap(({ days }) => days),
    ({ day }) => day,
  )
  return Array.from(byDay, ([day, rows]) => ({
    id: day * TYPES.length + at,
    token: 'USDC',
    type,
    amount: rows.reduce((sum, { amount }) => sum + amount, 0),
    status: 'COMPLETED',
    created_time: (day + 1) * DAY_MS,
    updated_time: (day + 1) * DAY_MS,
  }))
}
