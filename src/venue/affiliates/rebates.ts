import { DAY_MS } from '../../spec/durations.ts'
import type { Rebate, RebateDay } from '../engine/exchange.ts'
import { seatOf } from '../exchange/seat.ts'
import type { Exchange } from '../exchange/state.ts'
import { queryText, requiredQuery } from '../wire/page.ts'
import { refusal } from '../wire/refusals.ts'

/** What of others' fees is for an account, one entry a payer. */
export function rebatesTo(exchange: Exchange, accountId: string): Rebate[] {
  return rebatesOf(exchange, accountId, 'to').filter(({ from, to }) => from !== to)
}

/** What of its own fees an account gets back; nothing when it joined with nobody's code. */
export function ownRebate(exchange: Exchange, accountId: string): Rebate | null {
  return rebatesOf(exchange, accountId, 'to').find(({ from, to }) => from === to) ?? null
}

/** What of an account's fees is for anybody. */
export function rebatesFrom(exchange: Exchange, accountId: string): Rebate[] {
  return rebatesOf(exchange, accountId, 'from')
}

/** What has accrued over whole UTC dates, today's included. Micro-USDC. */
export function accruedOf(
  { total, days: all }: Rebate,
  nowMs: number,
  days: number | null,
): number {
  if (days === null) return total
  const first = Math.floor(nowMs / DAY_MS) - days
  return all.reduce((sum, { day, amount }) => sum + (day > first ? amount : 0), 0)
}

/** The UTC date of a day's number, as YYYY-MM-DD. */
export function dateOf({ day }: Pick<RebateDay, 'day'>): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

/** Whether a day lies within `start_date` and `end_date`, both inclusive. Throws -1005 when one is no date. */
export function datesOf(query: URLSearchParams, isRequired = false): (day: RebateDay) => boolean {
  const from = dateField(query, 'start_date', isRequired) ?? ''
  const to = dateField(query, 'end_date', isRequired) ?? '9999-12-31'
  return (day) => dateOf(day) >= from && dateOf(day) <= to
}

function dateField(query: URLSearchParams, name: string, isRequired: boolean): string | null {
  const date = isRequired ? requiredQuery(query, name) : queryText(query, name)
  if (date !== null && !/^\d{4}-\d{2}-\d{2}$/.test(date))
    throw refusal('parameter', `${name} must be YYYY-MM-DD`)
  return date
}

function rebatesOf(exchange: Exchange, accountId: string, end: 'from' | 'to'): Rebate[] {
  const { engine, account } = seatOf(exchange, accountId)
  const { rebates } = engine.world.exchange
  return [...rebates.values()].filter((rebate) => rebate[end] === account.number)
}
