import { DAY_MS } from '../../../spec/durations.ts'
import type { Registration, VenueState } from '../../exchange/state.ts'
import { micro } from '../../messages/number.ts'
import { pageOf, periodOf, queryText } from '../../messages/page.ts'
import type { VenueCall } from '../../messages/row.ts'
import type { Rebate, RebateDay } from '../../state/exchange.ts'
import type { Affiliates } from './affiliates.ts'
import { dateOf, datesOf, ownRebate, rebatesTo } from './rebates.ts'

type Program = { readonly exchange: VenueState; readonly affiliates: Affiliates }

/** Rows of GET referral/rebate_summary: rebates from others' fees by date, the latest first. */
export function rebateSummary(
  { exchange }: Program,
  { profile }: Registration,
  query: URLSearchParams,
) {
  const days = rebatesTo(exchange, profile.accountId).flatMap((rebate) => rebate.days)
  const byDate = Map.groupBy(days.filter(datesOf(query)), dateOf)
  return newestFirst(
    Array.from(byDate, ([date, rows]) => ({
      traded_referral: rows.filter(({ volume }) => volume > 0).length,
      ...paidOf(sumOf(rows, ({ amount }) => amount)),
      volume: micro(BigInt(sumOf(rows, ({ volume }) => volume))),
      date,
    })),
  )
}

/** Rows of GET referral/referral_history: the same by date and account. */
export function referralHistory(
  { exchange, affiliates }: Program,
  { profile }: Registration,
  query: URLSearchParams,
) {
  const { code } = affiliates.of(profile.accountId)
  const { accounts } = exchange.simulation().engine.world.exchange
  const isWithin = datesOf(query)
  return newestFirst(
    rebatesTo(exchange, profile.accountId).flatMap(({ from, days }) => {
      const owner = exchange.accounts.get(accounts[from]?.key ?? '')?.profile
      return days.filter(isWithin).map((day) => ({
        account_id: owner?.accountId,
        user_address: owner?.address,
        referral_code: code,
        volume: micro(BigInt(day.volume)),
        ...paidOf(day.amount),
        date: dateOf(day),
      }))
    }),
  )
}

/** Rows of GET referral/referee_history: the volume of the account and the rebates of its own fees, by date. */
export function refereeHistory(
  { exchange }: Program,
  { profile }: Registration,
  query: URLSearchParams,
  isRequired = false,
) {
  const days = ownRebate(exchange, profile.accountId)?.days ?? []
  return newestFirst(
    days.filter(datesOf(query, isRequired)).map((day) => ({
      volume: micro(BigInt(day.volume)),
      referee_rebate: micro(BigInt(day.amount)),
      date: dateOf(day),
    })),
  )
}

/** Nothing is paid beside the rates of codes: base and bonus are zero. */
function paidOf(amount: number) {
  return { referral_rebate: micro(BigInt(amount)), direct_bonus_rebate: 0, base_rebate: 0 }
}

function sumOf(rows: readonly RebateDay[], figureOf: (row: RebateDay) => number): number {
  return rows.reduce((sum, row) => sum + figureOf(row), 0)
}

function newestFirst<Row extends { readonly date: string }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : 0))
}

/** The types in rows, and the types that a query may name. */
const TYPES = [
  { type: 'REFERRAL_REBATE', asked: ['REFERRAL_REBATE', 'REFERRER_REBATE'] },
  { type: 'REFEREE_REBATE', asked: ['REFEREE_REBATE'] },
] as const

/**
 * GET /v1/client/distribution_history: the rebates of others' fees and of its own that were paid to the account, one row a
 * UTC day, the latest first. Throws -1005 on a malformed page or time.
 */
export function distributionHistory(
  exchange: VenueState,
  { profile }: Registration,
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

/** One row a day, in micro-USDC; the rebates of a day are paid when it ends. */
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
