import { DAY_MS } from '../../../spec/durations.ts'
import { sumOf } from '../../base/decimals.ts'
import type { VenueState } from '../../exchange/state.ts'
import { contextOf } from '../../exchange/trading-context.ts'
import { queryText, requiredQuery } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import type { Rebate, RebateDay } from '../../state/exchange.ts'
import type { Affiliate, Affiliates } from './affiliates.ts'

/** The rebates of others' fees to an account, one entry a payer. */
export function rebatesTo(exchange: VenueState, accountId: string): Rebate[] {
  return rebatesOf(exchange, accountId, 'to').filter(({ from, to }) => from !== to)
}

/** The rebate of its own fees to an account; null when it joined without a code. */
export function ownRebate(exchange: VenueState, accountId: string): Rebate | null {
  return rebatesOf(exchange, accountId, 'to').find(({ from, to }) => from === to) ?? null
}

/** The rebates of an account's fees to all accounts. */
export function rebatesFrom(exchange: VenueState, accountId: string): Rebate[] {
  return rebatesOf(exchange, accountId, 'from')
}

/** The micro-USDC that accrued over whole UTC dates, today's included. */
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

function rebatesOf(exchange: VenueState, accountId: string, end: 'from' | 'to'): Rebate[] {
  const { engine, account } = contextOf(exchange, accountId)
  const { rebates } = engine.world.exchange
  return [...rebates.values()].filter((rebate) => rebate[end] === account.number)
}

/** A stretch of days that ends now; `null` is all there is. */
export type Days = number | null

/** Some referrals in a stretch of days: how many joined and traded, their volume, and their rebates in micro-USDC. */
export type Figures = {
  readonly invites: number
  readonly traded: number
  readonly volume: bigint
  readonly rebate: bigint
}

/** The figures of those who joined with an account's code, and of those who came through them. */
export type Reach = { readonly direct: Figures; readonly indirect: Figures }

/** The figures of an account's referrals. An account trades only after it has joined, so all of its volume counts. */
export function reachOf(
  { exchange, affiliates }: { readonly exchange: VenueState; readonly affiliates: Affiliates },
  accountId: string,
  nowMs: number,
  days: Days,
): Reach {
  const direct = affiliates.refereesOf(accountId)
  const rebates = rebatesTo(exchange, accountId)
  const figures = (entries: readonly Affiliate[], level: Rebate['level']) => {
    const own = rebates.filter((rebate) => rebate.level === level)
    const rebate = sumOf(own, (each) => BigInt(accruedOf(each, nowMs, days)))
    return { ...figuresOf(exchange, entries, nowMs, days), rebate }
  }
  return {
    direct: figures(direct, 'direct'),
    indirect: figures(below(affiliates, direct), 'indirect'),
  }
}

/** Both parts in one, for the older paths. */
export function combined({ direct, indirect }: Reach): Figures {
  return {
    invites: direct.invites + indirect.invites,
    traded: direct.traded + indirect.traded,
    volume: direct.volume + indirect.volume,
    rebate: direct.rebate + indirect.rebate,
  }
}

/** The referrals below these accounts, level by level. */
function below(affiliates: Affiliates, entries: readonly Affiliate[]): Affiliate[] {
  const found: Affiliate[] = []
  for (let level = entries; level.length > 0; ) {
    level = level.flatMap(({ accountId }) => affiliates.refereesOf(accountId))
    found.push(...level)
  }
  return found
}

function figuresOf(
  exchange: VenueState,
  entries: readonly Affiliate[],
  nowMs: number,
  days: Days,
): Omit<Figures, 'rebate'> {
  const sinceMs = days === null ? 0 : nowMs - days * DAY_MS
  const volumes = entries
    .filter(({ accountId }) => exchange.accounts.has(accountId))
    .map(({ accountId }) => volumeOf(exchange, accountId, nowMs, days))
  return {
    invites: entries.filter(({ joined }) => joined && joined.atMs >= sinceMs).length,
    traded: volumes.filter((volume) => volume > 0n).length,
    volume: sumOf(volumes, (volume) => volume),
  }
}

/** The volume of an account in micro-USDC: over whole UTC dates, today's included. */
export function volumeOf(
  exchange: VenueState,
  accountId: string,
  nowMs: number,
  days: Days,
): bigint {
  const { account } = contextOf(exchange, accountId)
  if (days === null) return BigInt(account.volume)
  const first = Math.floor(nowMs / DAY_MS) - days
  const recent = account.days.filter(({ day }) => day > first)
  return sumOf(recent, ({ volume }) => BigInt(volume))
}
