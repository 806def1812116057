import { DAY_MS } from '../../spec/durations.ts'
import type { Rebate } from '../engine/exchange.ts'
import { seatOf } from '../exchange/seat.ts'
import type { Exchange } from '../exchange/state.ts'
import { sumOf } from '../units.ts'
import type { Affiliate, Affiliates } from './affiliates.ts'
import { accruedOf, rebatesTo } from './rebates.ts'

/** A stretch of days that ends now; `null` is all there is. */
export type Days = number | null

/**
 * What came through some accounts in a stretch of days: how many joined, how many traded, what they traded, and what of
 * their fees is for whoever asks (micro-USDC).
 */
export type Figures = {
  readonly invites: number
  readonly traded: number
  readonly volume: bigint
  readonly rebate: bigint
}

/** The figures of those who joined with an account's code, and of those who came through them. */
export type Reach = { readonly direct: Figures; readonly indirect: Figures }

/** What an account has brought. An account trades only after it has joined, so all of its volume counts. */
export function reachOf(
  { exchange, affiliates }: { readonly exchange: Exchange; readonly affiliates: Affiliates },
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

/** Both parts in one, as the older paths tell them. */
export function combined({ direct, indirect }: Reach): Figures {
  return {
    invites: direct.invites + indirect.invites,
    traded: direct.traded + indirect.traded,
    volume: direct.volume + indirect.volume,
    rebate: direct.rebate + indirect.rebate,
  }
}

/** Everybody who came through these accounts, level by level. */
function below(affiliates: Affiliates, entries: readonly Affiliate[]): Affiliate[] {
  const found: Affiliate[] = []
  for (let level = entries; level.length > 0; ) {
    level = level.flatMap(({ accountId }) => affiliates.refereesOf(accountId))
    found.push(...level)
  }
  return found
}

function figuresOf(
  exchange: Exchange,
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

/** What an account has traded, micro-USDC: over whole UTC dates, today's included. */
export function volumeOf(exchange: Exchange, accountId: string, nowMs: number, days: Days): bigint {
  const { account } = seatOf(exchange, accountId)
  if (days === null) return BigInt(account.volume)
  const first = Math.floor(nowMs / DAY_MS) - days
  const recent = account.days.filter(({ day }) => day > first)
  return sumOf(recent, ({ volume }) => BigInt(volume))
}
