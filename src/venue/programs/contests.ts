import type { Affiliates } from '../affiliates/affiliates.ts'
import { type CampaignRecord, type Entry, type Mark, markOf } from '../engine/records/campaigns.ts'
import type { Account } from '../engine/state.ts'
import { ownerOf, tradersOf } from '../exchange/seat.ts'
import type { Exchange } from '../exchange/state.ts'
import { type Campaign, dayMs } from './calendar.ts'

/** What somebody did in a campaign, micro-USDC. */
export type Result = {
  readonly volume: number
  readonly orders: number
  readonly pnl: number
  readonly deposits: number
  readonly withdrawals: number
  readonly startValue: number
  readonly endValue: number
  /** The last trade that counted; zero without one. */
  readonly updatedAtMs: number
}

/** Somebody in a campaign. */
export type Contestant = {
  readonly account: Account
  readonly address: string
  readonly brokerId: string
  readonly entry: Entry
}

function recordOf({ floor }: Exchange, campaign: Campaign): CampaignRecord {
  return floor().campaigns.of(campaign)
}

/** When a campaign begins and ends. */
export function timesOf({ floor }: Exchange, { startDay, endDay, signupDay }: Campaign) {
  const { genesisMs } = floor().engine.world
  return {
    startMs: dayMs(genesisMs, startDay),
    endMs: dayMs(genesisMs, endDay),
    signupMs: dayMs(genesisMs, signupDay),
  }
}

/** Users and agents alike: whoever traded what counts is in it from that trade on. */
export function contestantsOf(exchange: Exchange, campaign: Campaign): readonly Contestant[] {
  const { entries } = recordOf(exchange, campaign)
  return tradersOf(exchange).flatMap((account) => {
    const entry = entries.get(account.number)
    return entry ? [{ account, entry, ...ownerOf(exchange, account) }] : []
  })
}

/** What an entry has traded, in some markets or in all that count. */
export function volumeOf({ volumes }: Entry, markets?: ReadonlySet<number>): number {
  let sum = 0
  for (const [market, volume] of volumes) if (markets?.has(market) ?? true) sum += volume
  return sum
}

const NOBODY: Mark = { value: 0, deposits: 0, withdrawals: 0 }

/** What some accounts of one wallet did together, the volume in some markets or in all. Before a campaign begins, nothing. */
export function resultOf(
  exchange: Exchange,
  campaign: Campaign,
  accounts: readonly Account[],
  markets?: ReadonlySet<number>,
): Result {
  const record = recordOf(exchange, campaign)
  const results = accounts.map((account) => resultOfOne(record, account, markets))
  const sum = (figureOf: (result: Result) => number) =>
    results.reduce((total, result) => total + figureOf(result), 0)
  return {
    volume: sum(({ volume }) => volume),
    orders: sum(({ orders }) => orders),
    pnl: sum(({ pnl }) => pnl),
    deposits: sum(({ deposits }) => deposits),
    withdrawals: sum(({ withdrawals }) => withdrawals),
    startValue: sum(({ startValue }) => startValue),
    endValue: sum(({ endValue }) => endValue),
    updatedAtMs: Math.max(0, ...results.map(({ updatedAtMs }) => updatedAtMs)),
  }
}

/** An account that came later began with nothing; what it won is what it has, less what came in, plus what left. */
function resultOfOne(
  { entries, starts, ends }: CampaignRecord,
  account: Account,
  markets: ReadonlySet<number> | undefined,
): Result {
  const entry = entries.get(account.number)
  const now = starts ? ((ends ? ends.get(account.number) : markOf(account)) ?? NOBODY) : NOBODY
  const start = starts?.get(account.number) ?? NOBODY
  const deposits = now.deposits - start.deposits
  const withdrawals = now.withdrawals - start.withdrawals
  return {
    volume: entry ? volumeOf(entry, markets) : 0,
    orders: entry?.orders ?? 0,
    pnl: now.value - start.value - deposits + withdrawals,
    deposits,
    withdrawals,
    startValue: start.value,
    endValue: now.value,
    updatedAtMs: entry?.updatedAtMs ?? 0,
  }
}

/** Who came with a wallet's codes during a campaign, and how many of those who ever came traded in it. */
export function broughtTo(
  exchange: Exchange,
  affiliates: Affiliates,
  campaign: Campaign,
  accounts: readonly Account[],
) {
  const { startMs, endMs } = timesOf(exchange, campaign)
  const { entries } = recordOf(exchange, campaign)
  const { byKey } = exchange.floor().engine.world.exchange
  const referees = accounts.flatMap(({ key }) => affiliates.refereesOf(key))
  const hasTraded = (accountId: string) => entries.has(byKey.get(accountId)?.number ?? -1)
  return {
    invited: referees.filter(({ joined }) => joined && isWithin(joined.atMs, startMs, endMs))
      .length,
    traded: referees.filter(({ accountId }) => hasTraded(accountId)).length,
  }
}

function isWithin(atMs: number, startMs: number, endMs: number): boolean {
  return atMs >= startMs && atMs < endMs
}
