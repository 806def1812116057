import { DAY_MS } from '../../spec/durations.ts'
import { draw } from '../base/rng.ts'
import { sumOf } from '../base/units.ts'
import type { VenueState } from '../exchange/state.ts'
import { type Closing, type MarketDay, markOf } from '../history/days.ts'
import type { Affiliates } from './affiliates/affiliates.ts'
import { type Participant, participantsOf } from './participants.ts'
import { type Campaign, timesOf } from './tables.ts'

/** A participant of a campaign with its trades, and its account at the start and at the end, or now. */
export type Contestant = {
  readonly participant: Participant
  readonly trades: readonly MarketDay[]
  readonly start: Mark
  readonly end: Mark
}

type Mark = Pick<Closing, 'usdc' | 'deposits' | 'withdrawals'>
const NO_MARK: Mark = { usdc: 0, deposits: 0, withdrawals: 0 }

/** All participants in a campaign; without trades where none counts. */
export function contestantsOf(
  exchange: VenueState,
  campaign: Campaign,
  nowMs: number,
): readonly Contestant[] {
  const { beginsAtMs, exchange: engine } = exchange.simulation().engine.world
  const counted = campaign.symbols?.map((symbol) => engine.bySymbol.get(symbol)?.number)
  const { startMs, endMs } = timesOf(campaign, beginsAtMs)
  const span = { startDay: startMs / DAY_MS, endDay: endMs / DAY_MS, nowMs }
  return participantsOf(exchange, nowMs).map((participant) => {
    const trades = participant.trades.filter(
      ({ day, market }) =>
        day >= span.startDay && day < span.endDay && (counted?.includes(market) ?? true),
    )
    return { participant, trades, ...marksOf(exchange, participant, span, volumeOf(trades)) }
  })
}

/** The volume of trades in one market, or in all (null). */
export function volumeOf(trades: readonly MarketDay[], only: number | null = null): number {
  return sumOf(trades, ({ market, volume }) => (only === null || market === only ? volume : 0))
}

/** The largest gain or loss of a public participant, as a share of its volume. */
const PUBLIC_RESULT = 0.0005

type Span = { readonly startDay: number; readonly endDay: number; readonly nowMs: number }

/** A participant at the start and at the end of a campaign, or now while it runs; nothing before it starts. */
function marksOf(
  { simulation }: VenueState,
  { account, number, endowment }: Participant,
  { startDay, endDay, nowMs }: Span,
  volume: number,
): Pick<Contestant, 'start' | 'end'> {
  if (nowMs < startDay * DAY_MS) return { start: NO_MARK, end: NO_MARK }
  if (!account) {
    const pnl = Math.round(volume * PUBLIC_RESULT * (2 * draw(number, startDay) - 1))
    const start = { ...NO_MARK, usdc: endowment }
    return { start, end: { ...start, usdc: endowment + pnl } }
  }
  const closings = simulation().closings.of(account)
  const before = (day: number) => closings.findLast((each) => each.day < day) ?? NO_MARK
  const isOver = nowMs >= endDay * DAY_MS
  return { start: before(startDay), end: isOver ? before(endDay) : markOf(account) }
}

/** The figures of some contestants together, micro-USDC. */
export type Result = ReturnType<typeof resultOf>

export function resultOf(contestants: readonly Contestant[]) {
  const trades = contestants.flatMap((each) => each.trades)
  const grown = (figure: keyof Mark) =>
    sumOf(contestants, ({ start, end }) => end[figure] - start[figure])
  const [deposits, withdrawals] = [grown('deposits'), grown('withdrawals')]
  return {
    volume: volumeOf(trades),
    orders: sumOf(trades, ({ orders }) => orders),
    pnl: grown('usdc') - deposits + withdrawals,
    ...{ deposits, withdrawals },
    startValue: sumOf(contestants, ({ start }) => start.usdc),
    endValue: sumOf(contestants, ({ end }) => end.usdc),
    /** The last trade that counted; zero without one. */
    updatedAtMs: Math.max(0, ...trades.map(({ lastMs }) => lastMs)),
  }
}

/** A campaign of a world with all participants. */
export type Contest = {
  readonly campaign: Campaign
  readonly beginsAtMs: number
  readonly contestants: readonly Contestant[]
}

/** The referrals that joined through these accounts during a campaign, and those of all times that traded in it. */
export function referralsIn(
  affiliates: Affiliates,
  { campaign, beginsAtMs, contestants }: Contest,
  keys: readonly string[],
) {
  const { startMs, endMs } = timesOf(campaign, beginsAtMs)
  const referees = keys.flatMap((key) => affiliates.refereesOf(key))
  const hasTraded = (id: string) =>
    contestants.some(({ participant, trades }) => participant.key === id && trades.length > 0)
  return {
    invited: referees.filter(({ joined: at }) => at && at.atMs >= startMs && at.atMs < endMs)
      .length,
    traded: referees.filter(({ accountId }) => hasTraded(accountId)).length,
  }
}
