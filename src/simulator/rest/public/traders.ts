import { DAY_MS } from '../../../contract/durations.ts'
import { microUsdcText } from '../../base/decimals.ts'
import type { VenueState } from '../../exchange/state.ts'
import { accountOwner, traderAccounts } from '../../exchange/trading-context.ts'
import { accountMargin } from '../../margin/margin.ts'
import type { Account, AccountDay } from '../../state/state.ts'

/** The time windows of trader rankings. */
export const TRADER_WINDOWS = { '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS } as const

export type TraderWindow = keyof typeof TRADER_WINDOWS

/** The figures by which traders can be ranked. */
export type Figure = 'notional' | { readonly name: 'volume' | 'pnl'; readonly window: TraderWindow }

/** The first `count` users and agents that have traded or hold a position, by a figure, largest first. */
export function tradersBy(by: Figure, count: number, exchange: VenueState, nowMs: number) {
  // The ranking figure is computed for all traders, every other figure only for the traders in the answer.
  const ranked = traderAccounts(exchange)
    .filter(isTrading)
    .map((account) => ({ account, figure: traderFigure(account, by, nowMs) }))
    .sort((a, b) => b.figure - a.figure)
  return ranked.slice(0, count).map(({ account }) => traderRow(exchange, account, nowMs))
}

function traderFigure(account: Account, by: Figure, nowMs: number): number {
  if (by === 'notional') return openNotional(account)
  const daily = by.name === 'pnl' ? pnlOn : volumeOn
  return Math.round(sumOver(account.days, TRADER_WINDOWS[by.window], nowMs, daily))
}

const volumeOn = ({ volume }: AccountDay) => volume
const pnlOn = ({ realizedPnl }: AccountDay) => realizedPnl

function isTrading({ volume, used }: Account): boolean {
  return volume > 0 || used.some(({ quantity }) => quantity !== 0)
}

function traderRow(exchange: VenueState, account: Account, nowMs: number) {
  const { address, brokerId } = accountOwner(exchange, account)
  const days = exchange.simulation().rankings.of(account)
  const inWindow = (window: TraderWindow) => {
    const windowMs = TRADER_WINDOWS[window]
    const closes = sumOver(days, windowMs, nowMs, (day) => day.closes)
    const wins = sumOver(days, windowMs, nowMs, (day) => day.wins)
    const sum = (daily: (day: AccountDay) => number) =>
      BigInt(Math.round(sumOver(account.days, windowMs, nowMs, daily)))
    const winRate = closes === 0 ? 0 : Math.round((100 * wins) / closes) / 100
    return { volume: sum(volumeOn), pnl: sum(pnlOn), winRate }
  }
  const [day, week, month] = [inWindow('24h'), inWindow('7d'), inWindow('30d')]
  const trades = Math.round(sumOver(days, DAY_MS, nowMs, (each) => each.trades))
  return {
    address,
    broker_id: brokerId,
    total_notional: microUsdcText(BigInt(openNotional(account))),
    pnl_24h: microUsdcText(day.pnl),
    pnl_7d: microUsdcText(week.pnl),
    pnl_30d: microUsdcText(month.pnl),
    volume_24h: microUsdcText(day.volume),
    volume_7d: microUsdcText(week.volume),
    volume_30d: microUsdcText(month.volume),
    trade_count_24h: trades,
    win_rate_24h: day.winRate,
    win_rate_7d: week.winRate,
    win_rate_30d: month.winRate,
    avg_trade_size: microUsdcText(day.volume / BigInt(Math.max(1, trades))),
    position_count: account.used.filter(({ quantity }) => quantity !== 0).length,
  }
}

/** The notional of all open positions of an account, in micro-USDC. */
function openNotional(account: Account): number {
  const { notional } = accountMargin(account)
  return account.used.reduce((sum, own) => (own.isolated ? sum + own.notional : sum), notional)
}

/**
 * The sum of a figure over the UTC days of a window that ends now. Of the first day, only the share that lies within
 * the window counts.
 */
function sumOver<Row extends { readonly day: number }>(
  days: readonly Row[],
  windowMs: number,
  nowMs: number,
  figureOfDay: (day: Row) => number,
): number {
  const fromMs = nowMs - windowMs
  let sum = 0
  for (const each of days) {
    const left = Math.min(1, each.day + 1 - fromMs / DAY_MS)
    if (left > 0) sum += figureOfDay(each) * left
  }
  return sum
}
