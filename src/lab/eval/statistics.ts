import { DAY_MS } from '../../contract/durations.ts'

/** A year of 365 days, since crypto markets never close. */
const YEAR_MS = 365 * DAY_MS
/** Number of resamples per interval, and of sampled sign changes in a test with many pairs. */
const RESAMPLES = 2000
/** Maximum number of pairs for which all sign changes are tried. */
const EXACT_PAIRS_MAX = 12
const INTERVAL = { low: 0.025, high: 0.975 } as const

/** A figure with its interval. */
export type Estimate = { readonly value: number; readonly low: number; readonly high: number }

export type Distribution = {
  readonly mean: number
  readonly deviation: number
  readonly least: number
  readonly quarter: number
  readonly median: number
  readonly threeQuarters: number
  readonly most: number
}

export function mean(values: readonly number[]): number {
  let sum = 0
  for (const value of values) sum += value
  return values.length === 0 ? 0 : sum / values.length
}

/** Sample standard deviation (n - 1); zero for fewer than two values, and exactly zero for equal values. */
function deviation(values: readonly number[]): number {
  if (values.every((value) => value === values[0])) return 0
  const middle = mean(values)
  let squares = 0
  for (const value of values) squares += (value - middle) ** 2
  return Math.sqrt(squares / (values.length - 1))
}

/**
 * The returns: each value divided by the previous value, minus one. A value of zero or less ends the list, since later
 * returns are undefined.
 */
export function periodReturns(values: readonly number[]): readonly number[] {
  const returns: number[] = []
  for (let at = 1; at < values.length; at += 1) {
    const [before = 0, now = 0] = [values[at - 1], values[at]]
    if (before <= 0) break
    returns.push(now / before - 1)
  }
  return returns
}

/**
 * Annualised Sharpe ratio: mean over sample standard deviation of the returns of one period; null without variation.
 * Source: Sharpe (1994), with a risk-free rate of zero.
 */
export function sharpeRatio(returns: readonly number[], periodMs: number): number | null {
  const spread = deviation(returns)
  return spread === 0 ? null : (mean(returns) / spread) * Math.sqrt(YEAR_MS / periodMs)
}

/**
 * Annualised Sortino ratio: mean over downside deviation of the returns of one period; null without a negative return.
 * Source: Sortino and Price (1994), with a target of zero.
 */
export function sortinoRatio(returns: readonly number[], periodMs: number): number | null {
  const downside = Math.sqrt(mean(returns.map((each) => Math.min(each, 0) ** 2)))
  return downside === 0 ? null : (mean(returns) / downside) * Math.sqrt(YEAR_MS / periodMs)
}

/** Sample standard deviation of the returns of one period, scaled to a year; null for fewer than two returns. */
export function annualVolatility(returns: readonly number[], periodMs: number): number | null {
  return returns.length < 2 ? null : deviation(returns) * Math.sqrt(YEAR_MS / periodMs)
}

/**
 * Calmar ratio: return scaled to a year without compounding, over the maximum drawdown; null without a drawdown.
 * Source: Young (1991).
 */
export function calmarRatio(values: readonly number[], lengthMs: number): number | null {
  const [first = 0, last = 0, drawdown] = [values[0], values.at(-1), maxDrawdown(values)]
  return drawdown === 0 || first <= 0
    ? null
    : ((last / first - 1) * (YEAR_MS / lengthMs)) / drawdown
}

/** Maximum drawdown: the largest fall from an earlier maximum, as a share of this maximum. Zero without a fall. */
export function maxDrawdown(values: readonly number[]): number {
  let [top, worst] = [Number.NEGATIVE_INFINITY, 0]
  for (const value of values) {
    top = Math.max(top, value)
    if (top > 0) worst = Math.max(worst, 1 - value / top)
  }
  return worst
}

export function toDistribution(values: readonly number[]): Distribution {
  const sorted = values.toSorted((a, b) => a - b)
  return {
    mean: mean(values),
    deviation: deviation(values),
    least: quantile(sorted, 0),
    quarter: quantile(sorted, 0.25),
    median: quantile(sorted, 0.5),
    threeQuarters: quantile(sorted, 0.75),
    most: quantile(sorted, 1),
  }
}

/** A quantile of sorted values with linear interpolation (Hyndman and Fan 1996, definition 7); zero without values. */
function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share
  const [low = 0, high = low] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  return low + (high - low) * (place - Math.floor(place))
}

/**
 * The 95 % bootstrap interval of a figure: the middle 95 % of its values over resamples. Because returns are dependent,
 * resamples consist of blocks; their mean length grows with the cube root of the number of returns. Null for an unknown
 * figure or too few returns. Source: stationary bootstrap, Politis and Romano (1994).
 */
export function bootstrapInterval(
  returns: readonly number[],
  figure: (returns: readonly number[]) => number | null,
  random: () => number,
): Estimate | null {
  const value = figure(returns)
  if (value === null || returns.length < 20) return null
  const ends = 1 / Math.cbrt(returns.length)
  const found: number[] = []
  for (let drawn = 0; drawn < RESAMPLES; drawn += 1) {
    const resampled = figure(resample(returns, ends, random))
    if (resampled !== null) found.push(resampled)
  }
  found.sort((a, b) => a - b)
  return { value, low: quantile(found, INTERVAL.low), high: quantile(found, INTERVAL.high) }
}

function resample(returns: readonly number[], ends: number, random: () => number): number[] {
  let at = 0
  return returns.map((_, drawn) => {
    const begins = drawn === 0 || random() < ends
    at = begins ? Math.floor(random() * returns.length) : (at + 1) % returns.length
    return returns[at] ?? 0
  })
}

/**
 * The two-sided p-value of Fisher's randomisation test: the probability of a mean difference at least this far from
 * zero if every sign were random. Few pairs: all sign changes. Many pairs: a random sample of sign changes plus the
 * given signs.
 */
export function pairedTest(differences: readonly number[], random: () => number): number {
  const wanted = Math.abs(mean(differences)) * (1 - 1e-12)
  const isExact = differences.length <= EXACT_PAIRS_MAX
  const tries = isExact ? 2 ** differences.length : RESAMPLES
  let asFar = isExact ? 0 : 1
  for (let drawn = 0; drawn < tries; drawn += 1) {
    const signed = differences.map((each, at) =>
      (isExact ? (drawn >> at) & 1 : random() < 0.5) ? each : -each,
    )
    if (Math.abs(mean(signed)) >= wanted) asFar += 1
  }
  return asFar / (isExact ? tries : tries + 1)
}
