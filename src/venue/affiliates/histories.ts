import type { RebateDay } from '../engine/exchange.ts'
import type { Account, Exchange } from '../exchange/state.ts'
import { micro } from '../wire/number.ts'
import type { Affiliates } from './affiliates.ts'
import { dateOf, datesOf, ownRebate, rebatesTo } from './rebates.ts'

type Program = { readonly exchange: Exchange; readonly affiliates: Affiliates }

/** Rows of GET referral/rebate_summary: what others brought the account, by date, the latest first. */
export function rebateSummary({ exchange }: Program, { profile }: Account, query: URLSearchParams) {
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
  { profile }: Account,
  query: URLSearchParams,
) {
  const { code } = affiliates.of(profile.accountId)
  const { accounts } = exchange.floor().engine.world.exchange
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

/** Rows of GET referral/referee_history: what the account traded and got back of its own fees, by date. */
export function refereeHistory(
  { exchange }: Program,
  { profile }: Account,
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
