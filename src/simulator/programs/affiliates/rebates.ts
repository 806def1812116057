import { DAY_MS } from '../../../contract/durations.ts'
import { lastDays } from '../../base/bounded-list.ts'
import { sumBy } from '../../base/units.ts'
import type { Registration, VenueState } from '../../exchange/state.ts'
import { tradingContext } from '../../exchange/trading-context.ts'
import { daysIn, periodFilter, queryText, shapedPage, utcDateText } from '../../messages/page.ts'
import type { VenueCall } from '../../messages/row.ts'
import { wireUsdc } from '../../messages/values.ts'
import type { Rebate } from '../../state/exchange.ts'
import type { AffiliateEntry, Affiliates } from './affiliates.ts'

/** The data that the program's endpoints read. */
export type Program = { readonly exchange: VenueState; readonly affiliates: Affiliates }

/** A call of an account to the program. */
export type ProgramCall = Program &
  Pick<VenueCall, 'query' | 'nowMs'> & { readonly account: Registration }

/** The calling account's entry. */
export function callerEntry({ affiliates, account }: Pick<ProgramCall, 'affiliates' | 'account'>) {
  return affiliates.of(account.profile.accountId)
}

/** The rebates that an account gets from the fees of other accounts, one entry per payer. */
export function rebatesTo(exchange: VenueState, accountId: string): Rebate[] {
  return accountRebates(exchange, accountId, 'to').filter(({ from, to }) => from !== to)
}

/** The rebate that an account gets from its own fees; empty if it joined without a code. */
export function ownRebate(exchange: VenueState, accountId: string): Rebate[] {
  return accountRebates(exchange, accountId, 'to').filter(({ from, to }) => from === to)
}

/** The rebates from an account's fees to all receivers. */
export function rebatesFrom(exchange: VenueState, accountId: string): Rebate[] {
  return accountRebates(exchange, accountId, 'from')
}

function accountRebates(exchange: VenueState, accountId: string, end: 'from' | 'to'): Rebate[] {
  const { engine, account } = tradingContext(exchange, accountId)
  return [...engine.world.exchange.rebates.values()].filter((each) => each[end] === account.number)
}

/** A number of UTC days up to today; null for all days. */
export type Days = number | null

/** Micro-USDC of rebates that accrued within some days. */
export function accruedRebates(rebates: readonly Rebate[], nowMs: number, days: Days): number {
  return sumBy(rebates, (each) =>
    days === null ? each.total : sumBy(lastDays(each.days, nowMs, days), ({ amount }) => amount),
  )
}

/** The volume of an account within some days, in micro-USDC. */
export function accountVolume(exchange: VenueState, accountId: string, nowMs: number, days: Days) {
  const { account } = tradingContext(exchange, accountId)
  if (days === null) return account.volume
  return sumBy(lastDays(account.days, nowMs, days), ({ volume }) => volume)
}

/**
 * Figures of referrals within some days: how many joined, how many traded, their volume, and their rebates in
 * micro-USDC.
 */
export type Figures = {
  readonly invites: number
  readonly traded: number
  readonly volume: number
  readonly rebate: number
}

/** The figures of an account's direct and indirect referrals. */
export type ReferralReach = { readonly direct: Figures; readonly indirect: Figures }

/** The figures of an account's referrals. An account joins before its first trade, so all its volume counts. */
export function referralReach(
  { exchange, affiliates }: Program,
  accountId: string,
  nowMs: number,
  days: Days,
): ReferralReach {
  const rebates = rebatesTo(exchange, accountId)
  const sinceMs = days === null ? 0 : nowMs - days * DAY_MS
  const figures = (entries: readonly AffiliateEntry[], level: Rebate['level']): Figures => {
    const volumes = entries
      .filter((each) => exchange.accounts.has(each.accountId))
      .map((each) => accountVolume(exchange, each.accountId, nowMs, days))
    const own = rebates.filter((rebate) => rebate.level === level)
    return {
      invites: entries.filter(({ joined }) => joined && joined.atMs >= sinceMs).length,
      traded: volumes.filter((volume) => volume > 0).length,
      volume: sumBy(volumes, (volume) => volume),
      rebate: accruedRebates(own, nowMs, days),
    }
  }
  const direct = affiliates.refereesOf(accountId)
  return {
    direct: figures(direct, 'direct'),
    indirect: figures(indirectReferrals(affiliates, direct), 'indirect'),
  }
}

/** Direct and indirect figures added up, for the older paths. */
export function combined({ direct, indirect }: ReferralReach): Figures {
  return {
    invites: direct.invites + indirect.invites,
    traded: direct.traded + indirect.traded,
    volume: direct.volume + indirect.volume,
    rebate: direct.rebate + indirect.rebate,
  }
}

/** The referrals below these accounts, at every level. */
function indirectReferrals(
  affiliates: Affiliates,
  entries: readonly AffiliateEntry[],
): AffiliateEntry[] {
  const next = entries.flatMap(({ accountId }) => affiliates.refereesOf(accountId))
  return next.length === 0 ? [] : [...next, ...indirectReferrals(affiliates, next)]
}

/** The rows of GET referral/rebate_summary: rebates from the fees of other accounts, by date, latest first. */
export function rebateSummary({ exchange, account: { profile }, query }: ProgramCall) {
  const days = rebatesTo(exchange, profile.accountId).flatMap((rebate) => rebate.days)
  const byDay = Map.groupBy(days.filter(daysIn(query).has), ({ day }) => day)
  return newestFirst(Array.from(byDay, ([day, rows]) => ({ day, rows }))).map(({ day, rows }) => ({
    traded_referral: rows.filter(({ volume }) => volume > 0).length,
    ...paidRebates(sumBy(rows, ({ amount }) => amount)),
    volume: wireUsdc(sumBy(rows, ({ volume }) => volume)),
    date: utcDateText(day),
  }))
}

/** The rows of GET referral/referral_history: rebates from the fees of other accounts, by date and account. */
export function referralHistory(call: ProgramCall) {
  const { exchange, query } = call
  const { code, accountId } = callerEntry(call)
  const { accounts } = exchange.simulation().engine.world.exchange
  const days = rebatesTo(exchange, accountId).flatMap(({ from, days: all }) => {
    const owner = exchange.accounts.get(accounts[from]?.key ?? '')?.profile
    return all.map((each) => ({ ...each, owner }))
  })
  return newestFirst(days.filter(daysIn(query).has)).map(({ day, owner, volume, amount }) => ({
    account_id: owner?.accountId,
    user_address: owner?.address,
    referral_code: code,
    volume: wireUsdc(volume),
    ...paidRebates(amount),
    date: utcDateText(day),
  }))
}

/** The rows of GET referral/referee_history: by date, an account's volume and the rebates of the fees that it paid. */
export function refereeHistory({ exchange, account, query }: ProgramCall, isRequired = false) {
  const days = ownRebate(exchange, account.profile.accountId).flatMap((rebate) => rebate.days)
  const asked = days.filter(daysIn(query, isRequired).has)
  return newestFirst(asked).map(({ day, volume, amount }) => ({
    volume: wireUsdc(volume),
    referee_rebate: wireUsdc(amount),
    date: utcDateText(day),
  }))
}

/** The members of a row that are about rebates. A code's rate is the only payment, so base and bonus are 0. */
function paidRebates(amount: number) {
  return { referral_rebate: wireUsdc(amount), direct_bonus_rebate: 0, base_rebate: 0 }
}

function newestFirst<Row extends { readonly day: number }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => b.day - a.day)
}

/** The types that rows have and that queries may name. */
const TYPES = [
  { type: 'REFERRAL_REBATE', names: ['REFERRAL_REBATE', 'REFERRER_REBATE'], of: rebatesTo },
  { type: 'REFEREE_REBATE', names: ['REFEREE_REBATE'], of: ownRebate },
] as const

/**
 * GET /v1/client/distribution_history: the rebates that the account received, from its own fees and from the fees of
 * other accounts. One row per UTC day, latest first, because a day's rebates are paid when the day ends. Throws -1005
 * for a malformed page or time.
 */
export function distributionHistory({ exchange, account, query, nowMs }: ProgramCall) {
  const [status, asked] = [queryText(query, 'status') ?? 'COMPLETED', queryText(query, 'type')]
  const isWithin = periodFilter(query)
  const rows = TYPES.flatMap(({ type, names, of }, at) => {
    if (asked !== null && !names.some((name) => name === asked)) return []
    const days = of(exchange, account.profile.accountId).flatMap((rebate) => rebate.days)
    return Array.from(
      Map.groupBy(days, ({ day }) => day),
      ([day, paid]) => ({
        ...{ id: day * TYPES.length + at, type, atMs: (day + 1) * DAY_MS },
        amount: sumBy(paid, ({ amount }) => amount),
      }),
    )
  }).filter(({ amount, atMs }) => amount > 0 && atMs <= nowMs && isWithin(atMs))
  const chosen = status === 'COMPLETED' ? rows.sort((a, b) => b.id - a.id) : []
  return shapedPage(chosen, query, ({ id, type, amount, atMs }) => ({
    ...{ id, token: 'USDC', type, amount: wireUsdc(amount) },
    ...{ status: 'COMPLETED', created_time: atMs, updated_time: atMs },
  }))
}
