import type { Seen } from '../../tape/observe.ts'
import {
  autocorrelation,
  busiestHour,
  correlation,
  finiteOf,
  flowsOf,
  gapsOf,
  impactExponent,
  kurtosis,
  mean,
  median,
  moves,
  signMemory,
  sizeOf,
  spreadWithVolatility,
  variation,
} from '../../tape/statistics.ts'

const MINUTES_A_DAY = 1440
const HOUR_MINUTES = 60
const DAY_MINUTES = 1440

/** A figure of a market, and of how many minutes it takes to say anything. */
export type Figure = {
  readonly name: string
  readonly of: (seen: Seen) => number
  readonly leastMinutes: number
  /** Of a figure that a profile is fitted to: the share of the tape's by which the model's may differ. */
  readonly within?: number
}

/** Basis points between the best prices, the median of all seconds. */
export const SPREAD: Figure['of'] = ({ spreads }) => median(spreads)

/** Orders that traded a minute. */
export const TRADES: Figure['of'] = ({ prints, spreads }) =>
  (60 * prints.length) / finiteOf(spreads).length

/** USDC of an order that traded. */
export const MEAN_ORDER: Figure['of'] = ({ prints }) => mean(prints.map(({ usdc }) => usdc))

/** The geometric mean of the USDC of an order that traded: a few large ones say little. */
export const USUAL_ORDER: Figure['of'] = ({ prints }) =>
  Math.exp(mean(prints.map(({ usdc }) => Math.log(usdc))))

/** The standard deviation of a day's move, by those of minutes. */
export const DAILY_VOLATILITY: Figure['of'] = ({ middles }) =>
  sizeOf(moves(middles, 1)) * Math.sqrt(MINUTES_A_DAY)

/** The correlation of a minute's move and its net flow. */
const flowAndMove: Figure['of'] = (seen) =>
  correlation(moves(seen.middles, 1), flowsOf(seen).slice(1))

const sizes = ({ middles }: Seen) => moves(middles, 1).map(Math.abs)

// biome-ignore format: one figure a row
export const FIGURES: readonly Figure[] = [
  { name: 'spread, median, bp', of: SPREAD, leastMinutes: 0, within: 0.15 },
  { name: 'changes of the best prices a minute, seen once a second', of: ({ bestChanges, spreads }) => (60 * bestChanges) / finiteOf(spreads).length, leastMinutes: 0 },
  { name: 'offer at the best prices, median, USDC', of: ({ offers }) => median(offers), leastMinutes: 0 },
  { name: 'orders that traded a minute', of: TRADES, leastMinutes: 0, within: 0.1 },
  { name: 'variation of the gaps between them', of: ({ prints }) => variation(gapsOf(prints)), leastMinutes: 0 },
  { name: 'their value, mean, USDC', of: MEAN_ORDER, leastMinutes: 0 },
  { name: 'their value, geometric mean, USDC', of: USUAL_ORDER, leastMinutes: 0, within: 0.25 },
  { name: 'their value, median, USDC', of: ({ prints }) => median(prints.map(({ usdc }) => usdc)), leastMinutes: 0 },
  { name: 'autocorrelation of their signs, 1', of: ({ prints }) => signMemory(prints, 1), leastMinutes: 0 },
  { name: 'autocorrelation of their signs, 50', of: ({ prints }) => signMemory(prints, 50), leastMinutes: HOUR_MINUTES },
  { name: 'volatility of minutes, as of a day', of: DAILY_VOLATILITY, leastMinutes: 0, within: 0.25 },
  { name: 'correlation of a minute\'s flow and move', of: flowAndMove, leastMinutes: HOUR_MINUTES },
  { name: 'impact exponent of a minute\'s flow', of: impactExponent, leastMinutes: DAY_MINUTES },
  { name: 'autocorrelation of one-minute moves', of: ({ middles }) => autocorrelation(moves(middles, 1), 1), leastMinutes: 6 * HOUR_MINUTES },
  { name: 'autocorrelation of their sizes, 5 min', of: (seen) => autocorrelation(sizes(seen), 5), leastMinutes: 6 * HOUR_MINUTES },
  { name: 'autocorrelation of their sizes, 4 h', of: (seen) => autocorrelation(sizes(seen), 240), leastMinutes: DAY_MINUTES },
  { name: 'kurtosis of hourly moves', of: ({ middles }) => kurtosis(moves(middles, 60)), leastMinutes: 2 * DAY_MINUTES },
  { name: 'correlation of hourly spread and volatility', of: spreadWithVolatility, leastMinutes: DAY_MINUTES },
  { name: 'busiest hour over the quietest', of: ({ prints }) => busiestHour(prints), leastMinutes: DAY_MINUTES },
]
