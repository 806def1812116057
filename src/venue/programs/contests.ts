import { DAY_MS } from '../../spec/durations.ts'
import { draw } from '../base/rng.ts'
import type { VenueState } from '../exchange/state.ts'
import { type Closing, markOf } from '../history/days.ts'
import type { MarketDay } from '../history/market-days.ts'
import type { Affiliates } from './affiliates/affiliates.ts'
import { type Participant, participantsOf } from './participants.ts'
import { type Campaign, timesOf } from './tables.ts'

/** The figures of a participant in a campaign, micro-USDC. */
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

/** A participant with its trades that count in a campaign. */
export type Contestant = {
  readonly participant: Participant
  readonly trades: readonly MarketDay[]
  readonly result: Result
}

/** All participants in a campaign; without trades where none counts. */
export function contestantsOf(
  exchange: VenueState,
  campaign: Campaign,
  nowMs: number,
): readonly Contestant[] {
  const { bySymbol } = exchange.simulation().engine.world.exchange
  const counted = campaign.symbols?.map((symbol) => bySymbol.get(symbol)?.number)
  const { startMs, endMs } = timesOf(campaign, exchange.simulation().engine.world.beginsAtMs)
  const [startDay, endDay] = [startMs / DAY_MS, endMs / DAY_MS]
  return participantsOf(exchange, nowMs).map((participant) => {
    const trades = participant.trades.filter(
      ({ day, market }) => day >= startDay && day < endDay && (counted?.includes(market) ?? true),
    )
    const volume = volumeOf(trades)
    const values = valuesOf(exchange, participant, { startDay, endDay, nowMs }, volume)
    const { start, end } = values
    const deposits = end.deposits - start.deposits
    const withdrawals = end.withdrawals - start.withdrawals
    const result = {
      volume,
      orders: trades.reduce((sum, each) => sum + each.orders, 0),
      pnl: end.usdc - start.usdc - deposits + withdrawals,
      ...{ deposits, withdrawals, startValue: start.usdc, endValue: end.usdc },
      updatedAtMs: Math.max(0, ...trades.map(({ lastMs }) => lastMs)),
    }
    return { participant, trades, result }
  })
}

/** The volume of trades in one market, or in all (null). */
export function volumeOf(trades: readonly MarketDay[], only: number | null = null): number {
  return trades.reduce(
    (sum, { market, volume }) => sum + (only === null || market === only ? volume : 0),
    0,
  )
}

type Mark = Pick<Closing, 'usdc' | 'deposits' | 'withdrawals'>
const NO_MARK: Mark = { usdc: 0, deposits: 0, withdrawals: 0 }
/** The largest gain or loss of a public participant, as a share of its volume. */
const PUBLIC_RESULT = 0.0005

type Span = { readonly startDay: number; readonly endDay: number; readonly nowMs: number }

/** A participant at the start and at the end of a campaign, or now while it runs; nothing before it starts. */
function valuesOf(
  { simulation }: VenueState,
  { account, number, endowment }: Participant,
  { startDay, endDay, nowMs }: Span,
  volume: number,
): { readonly start: Mark; readonly end: Mark } {
  if (nowMs < startDay * DAY_MS) return { start: NO_MARK, end: NO_MARK }
  if (!account) {
    const pnl = Math.round(volume * PUBLIC_RESULT * (2 * draw(number, startDay) - 1))
    const start = { ...NO_MARK, usdc: endowment }
    return { start, end: { ...start, usdc: endowment + pnl } }
  }
  const closings = simulation().closings.of(account)
  const before = (day: number) => closings.findLast((each) => each.day < day) ?? NO_MARK
  const isOver = nowMs >= endDay * DAY_MS
  return {
    start: before(startDay),
    end: isOver ? before(endDay) : markOf(account),
  }
}

/** The figures of several accounts of one wallet together. */
export function sumOf(results: readonly Result[]): Result {
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

/** A campaign of a world with all participants. */
export type Contest = {
  readonly campaign: Campaign
  readonly beginsAtMs: number
  readonly contestants: readonly Contestant[]
}

/** Who joined with codes of these accounts during a campaign, and how many of all who ever joined traded in it. */
export function referralsIn(
  affiliates: Affiliates,
  { campaign, beginsAtMs, contestants }: Contest,
  keys: readonly string[],
) {
  const { startMs, endMs } = timesOf(campaign, beginsAtMs)
  const referees = keys.flatMap((key) => affiliates.refereesOf(key))
  const traded = new Set(
    contestants.filter(({ trades }) => trades.length > 0).map(({ participant }) => participant.key),
  )
  return {
    invited: referees.filter(
      ({ joined }) => joined && joined.atMs >= startMs && joined.atMs < endMs,
    ).length,
    traded: referees.filter(({ accountId }) => traded.has(accountId)).length,
  }
}
