import { DAY_MS, MINUTE_MS } from '../../../spec/durations.ts'
import type { Simulation } from '../../exchange/simulation.ts'
import type { VenueState } from '../../exchange/state.ts'
import { ownerOf, tradersOf } from '../../exchange/trading-context.ts'
import { marginOf } from '../../margin/margin.ts'
import type { Account } from '../../state/state.ts'

export const TRADER_WINDOWS = { '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS } as const

export type TraderWindow = keyof typeof TRADER_WINDOWS

/** A trader's figures in a window: USDC with six decimals, the share of winning trades in hundredths. */
type TraderRecord = {
  readonly volume: bigint
  readonly pnl: bigint
  readonly winPercent: number
}

export type Trader = {
  /** Lower-case. */
  readonly address: string
  readonly brokerId: string
  /** The value of all open positions, USDC with six decimals. */
  readonly notional: bigint
  readonly positionCount: number
  readonly tradeCount24h: number
  readonly records: Readonly<Record<TraderWindow, TraderRecord>>
}

/** The figures for rankings of traders. */
export type Figure = 'notional' | { readonly name: 'volume' | 'pnl'; readonly window: TraderWindow }

/** The first `count` traders at a time by a figure, largest first. */
export type Traders = (
  by: Figure,
  count: number,
  nowMs: number,
) => {
  readonly atMs: number
  readonly rows: readonly Trader[]
}

/** The users and agents that have traded or hold a position, without the insurance fund. */
export function createTraders(exchange: VenueState): Traders {
  return function traders(by, count, nowMs) {
    // The ranking figure is computed for all traders, other figures only for those in the answer.
    const ranked = tradersOf(exchange)
      .filter(isTrading)
      .map((account) => ({ account, figure: figureOf(account, by, nowMs) }))
      .sort((a, b) => b.figure - a.figure)
      .slice(0, count)
    const rows = ranked.map(({ account }) => traderOf(exchange, account, nowMs))
    return { atMs: nowMs - (nowMs % MINUTE_MS), rows }
  }
}

function figureOf(account: Account, by: Figure, nowMs: number): number {
  if (by === 'notional') return notionalOf(account)
  const daily = by.name === 'pnl' ? pnlOn : volumeOn
  return Math.round(sumOver(account.days, TRADER_WINDOWS[by.window], nowMs, daily))
}

type Day = Account['days'][number]

const volumeOn = ({ volume }: Day) => volume
const pnlOn = ({ realizedPnl }: Day) => realizedPnl

function isTrading({ volume, used }: Account): boolean {
  return volume > 0 || used.some(({ quantity }) => quantity !== 0)
}

function traderOf(exchange: VenueState, account: Account, nowMs: number): Trader {
  const days = exchange.simulation().rankings.of(account)
  return {
    ...ownerOf(exchange, account),
    notional: BigInt(notionalOf(account)),
    positionCount: account.used.filter(({ quantity }) => quantity !== 0).length,
    tradeCount24h: Math.round(sumOver(days, DAY_MS, nowMs, ({ trades }) => trades)),
    records: {
      '24h': recordOf(account, days, DAY_MS, nowMs),
      '7d': recordOf(account, days, TRADER_WINDOWS['7d'], nowMs),
      '30d': recordOf(account, days, TRADER_WINDOWS['30d'], nowMs),
    },
  }
}

function notionalOf(account: Account): number {
  const { notional } = marginOf(account)
  return account.used.reduce(
    (sum, marketAccount) => (marketAccount.isolated ? sum + marketAccount.notional : sum),
    notional,
  )
}

function recordOf(
  account: Account,
  rankings: ReturnType<Simulation['rankings']['of']>,
  windowMs: number,
  nowMs: number,
): TraderRecord {
  const closes = sumOver(rankings, windowMs, nowMs, (day) => day.closes)
  const wins = sumOver(rankings, windowMs, nowMs, (day) => day.wins)
  const sum = (daily: (day: Day) => number) =>
    BigInt(Math.round(sumOver(account.days, windowMs, nowMs, daily)))
  return {
    volume: sum(volumeOn),
    pnl: sum(pnlOn),
    winPercent: closes === 0 ? 0 : Math.round((100 * wins) / closes),
  }
}

/** The sum of a figure over the UTC days of a window that ends now; the first counts by the part of it within. */
function sumOver<Day extends { readonly day: number }>(
  days: readonly Day[],
  windowMs: number,
  nowMs: number,
  figureOf: (day: Day) => number,
): number {
  const fromMs = nowMs - windowMs
  let sum = 0
  for (const each of days) {
    const left = Math.min(1, each.day + 1 - fromMs / DAY_MS)
    if (left > 0) sum += figureOf(each) * left
  }
  return sum
}
