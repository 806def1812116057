import { DAY_MS } from '../../contract/durations.ts'
import { randomAt } from '../base/rng.ts'
import { sumBy } from '../base/units.ts'
import type { VenueState } from '../exchange/state.ts'
import { accountMark, type Closing, type MarketDay } from '../history/days.ts'
import type { Affiliates } from './affiliates/affiliates.ts'
import { allParticipants, type Participant } from './participants.ts'
import { type Campaign, campaignTimes } from './tables.ts'

type Mark = Pick<Closing, 'usdc' | 'deposits' | 'withdrawals'>
const NO_MARK: Mark = { usdc: 0, deposits: 0, withdrawals: 0 }

/**
 * A participant with the trades that count in a campaign, and the state of its account at the start and at the end (or
 * now).
 */
export type Contestant = Participant & { readonly start: Mark; readonly end: Mark }

/** All participants in a campaign, each with the trades that count. */
export function campaignContestants(
  exchange: VenueState,
  campaign: Campaign,
  nowMs: number,
): readonly Contestant[] {
  const { engine, closings } = exchange.simulation()
  const { beginsAtMs, exchange: markets } = engine.world
  const counted = campaign.symbols?.map((symbol) => markets.bySymbol.get(symbol)?.number)
  const { startMs, endMs } = campaignTimes(campaign, beginsAtMs)
  const [startDay, endDay] = [startMs / DAY_MS, endMs / DAY_MS]
  return allParticipants(exchange, nowMs).map((participant) => {
    const { account, number, endowment } = participant
    const trades = participant.trades.filter(
      ({ day, market }) => day >= startDay && day < endDay && (counted?.includes(market) ?? true),
    )
    if (nowMs < startMs) return { ...participant, trades, start: NO_MARK, end: NO_MARK }
    if (!account) {
      const pnl = Math.round(
        tradedVolume(trades) * PUBLIC_RESULT * (2 * randomAt(number, startDay) - 1),
      )
      const [start, end] = [endowment, endowment + pnl].map((usdc) => ({ ...NO_MARK, usdc }))
      return { ...participant, trades, start: start ?? NO_MARK, end: end ?? NO_MARK }
    }
    const before = (day: number) =>
      closings.of(account).findLast((each) => each.day < day) ?? NO_MARK
    const end = nowMs < endMs ? accountMark(account) : before(endDay)
    return { ...participant, trades, start: before(startDay), end }
  })
}

/** Maximum gain or loss of a made-up public account, as a share of its volume. */
const PUBLIC_RESULT = 0.0005

/** The volume of trades in one market, or in all markets (null), in micro-USDC. */
export function tradedVolume(trades: readonly MarketDay[], only: number | null = null): number {
  return sumBy(trades, ({ market, volume }) => (only === null || market === only ? volume : 0))
}

/** The combined figures of some contestants, in micro-USDC. */
export type Result = ReturnType<typeof contestResult>

export function contestResult(contestants: readonly Contestant[]) {
  const trades = contestants.flatMap((each) => each.trades)
  const grown = (figure: keyof Mark) =>
    sumBy(contestants, ({ start, end }) => end[figure] - start[figure])
  const [deposits, withdrawals] = [grown('deposits'), grown('withdrawals')]
  return {
    volume: tradedVolume(trades),
    orders: sumBy(trades, ({ orders }) => orders),
    pnl: grown('usdc') - deposits + withdrawals,
    ...{ deposits, withdrawals },
    startValue: sumBy(contestants, ({ start }) => start.usdc),
    endValue: sumBy(contestants, ({ end }) => end.usdc),
    /** The time of the last trade that counted; 0 without a trade. */
    updatedAtMs: trades.reduce((latest, { lastMs }) => Math.max(latest, lastMs), 0),
  }
}

/** A campaign's times and participants. */
export type Contest = ReturnType<typeof campaignTimes> & {
  readonly contestants: readonly Contestant[]
}

/**
 * The number of referrals that joined through these accounts during a campaign, and the number of all their referrals
 * that traded in the campaign.
 */
export function referralsIn(
  affiliates: Affiliates,
  { startMs, endMs, contestants }: Contest,
  keys: readonly string[],
) {
  const referees = keys.flatMap((key) => affiliates.refereesOf(key))
  const traded = new Set(contestants.flatMap(({ key, trades }) => (trades[0] ? key : [])))
  return {
    invited: referees.filter(({ joined: at }) => at && at.atMs >= startMs && at.atMs < endMs)
      .length,
    traded: referees.filter(({ accountId }) => traded.has(accountId)).length,
  }
}
