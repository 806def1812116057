import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/contract/durations.ts'

/** An order that traded: several matches of one taker are one. */
export type Print = { readonly atMs: number; readonly side: number; quantity: number; usdc: number }

/** What was seen of one market. */
export type Observed = {
  readonly prints: readonly Print[]
  /** When its first minute began. */
  readonly beganAtMs: number
  /** The logarithm of the middle of the book each minute; NaN where the book was unknown. */
  readonly middles: readonly number[]
  /** Basis points, once a second; NaN where the book was unknown. */
  readonly spreads: readonly number[]
}

type Prints = readonly Pick<Print, 'atMs' | 'side' | 'quantity'>[]

/** Differences of values so many places apart, NaN where one of them is. */
export function moves(logs: readonly number[], lag: number): number[] {
  const every = logs.filter((_, at) => at % lag === 0)
  return every.slice(1).map((log, at) => log - (every[at] ?? log))
}

/** The mean of the finite values. */
export function mean(values: readonly number[]): number {
  let [sum, count] = [0, 0]
  for (const value of values) {
    if (!Number.isFinite(value)) continue
    sum += value
    count += 1
  }
  return sum / count
}

/** The correlation of a series with itself so many places later. */
export function autocorrelation(values: readonly number[], lag: number): number {
  return correlation(values.slice(lag), values.slice(0, -lag))
}

/** Pearson's correlation of the pairs of which both are finite. */
export function correlation(ones: readonly number[], others: readonly number[]): number {
  const pairs = ones.map((one, at) => [one, others[at] ?? Number.NaN] as const)
  const finite = pairs.filter((pair) => pair.every(Number.isFinite))
  const [one, other] = [mean(finite.map(([a]) => a)), mean(finite.map(([, b]) => b))]
  let [both, a2, b2] = [0, 0, 0]
  for (const [a, b] of finite) {
    both += (a - one) * (b - other)
    a2 += (a - one) ** 2
    b2 += (b - other) ** 2
  }
  return both / Math.sqrt(a2 * b2)
}

/** The fourth moment over the square of the second: three of a normal distribution. */
export function kurtosis(values: readonly number[]): number {
  const middle = mean(values)
  const moment = (power: number) => mean(values.map((value) => (value - middle) ** power))
  return moment(4) / moment(2) ** 2
}

/** The mean product of the signs of orders so many places apart. */
export function signMemory(prints: Prints, lag: number): number {
  return mean(prints.slice(lag).map(({ side }, at) => side * (prints[at]?.side ?? 0)))
}

/** Milliseconds between orders that traded. */
export function gapsOf(prints: Prints): number[] {
  return prints.slice(1).map(({ atMs }, at) => atMs - (prints[at]?.atMs ?? atMs))
}

/** Standard deviation over the mean. */
export function variation(values: readonly number[]): number {
  const middle = mean(values)
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2))) / middle
}

/** The median of the finite values; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = finiteOf(values).sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

function finiteOf(values: readonly number[]): number[] {
  return values.filter(Number.isFinite)
}

/** The root of the mean square. */
export function sizeOf(values: readonly number[]): number {
  return Math.sqrt(mean(values.map((value) => value * value)))
}

/** The correlation of an hour's median spread and the volatility of its minutes. */
export function spreadWithVolatility({ middles, spreads }: Observed): number {
  const hours = Array.from({ length: Math.floor(middles.length / 60) }, (_, hour) => hour)
  return correlation(
    hours.map((hour) => sizeOf(moves(middles.slice(hour * 60, hour * 60 + 60), 1))),
    hours.map((hour) => median(spreads.slice(hour * 3600, hour * 3600 + 3600))),
  )
}

/** Volume of the busiest hour of the day over that of the quietest. */
export function busiestHour(prints: Prints): number {
  const hours = new Array<number>(24).fill(0)
  for (const { atMs, quantity } of prints) {
    const hour = Math.floor((atMs % DAY_MS) / HOUR_MS)
    hours[hour] = (hours[hour] ?? 0) + quantity
  }
  return Math.max(...hours) / Math.min(...hours)
}

const BUCKETS = 12
/** The smallest flows say nothing of the exponent: noise moves the price in their minutes. */
const BUCKETS_LEFT_OUT = 2

/** Moves beyond so many usual ones are news: the rest of them is no impact of orders. */
const USUAL_MOVES_MAX = 10

/**
 * The exponent of impact: the slope of the logarithm of a minute's mean move over that of its net flow, by buckets of equal
 * counts. Source: Bouchaud, Farmer and Lillo (2009).
 */
export function impactExponent(observed: Omit<Observed, 'spreads'>): number {
  const pairs = flowAndMove(observed)
  const points: (readonly [number, number])[] = []
  for (let at = BUCKETS_LEFT_OUT; at < BUCKETS; at += 1) {
    const [from, to] = [at, at + 1].map((edge) => Math.floor((edge * pairs.length) / BUCKETS))
    const bucket = pairs.slice(from, to)
    const move = mean(bucket.map((pair) => pair.move))
    if (move > 0) points.push([Math.log(mean(bucket.map(({ flow }) => flow))), Math.log(move)])
  }
  return slope(points)
}

/** The net quantity that was bought in each minute, the first of which ends with the first middle. */
function flowsOf({ prints, middles, beganAtMs }: Omit<Observed, 'spreads'>): number[] {
  const flows = new Array<number>(middles.length).fill(0)
  for (const { atMs, side, quantity } of prints) {
    const minute = Math.floor((atMs - beganAtMs) / MINUTE_MS)
    const before = flows[minute]
    if (before !== undefined) flows[minute] = before + side * quantity
  }
  return flows
}

/** The size of each minute's net flow, the smallest first, with the move in its direction. */
function flowAndMove(observed: Omit<Observed, 'spreads'>) {
  const flows = flowsOf(observed)
  const logs = moves(observed.middles, 1)
  const most = USUAL_MOVES_MAX * median(logs.map(Math.abs))
  return logs
    .map((move, at) => ({ flow: flows[at + 1] ?? 0, move: Math.max(-most, Math.min(most, move)) }))
    .filter(({ flow, move }) => flow !== 0 && Number.isFinite(move))
    .map(({ flow, move }) => ({ flow: Math.abs(flow), move: move * Math.sign(flow) }))
    .sort((a, b) => a.flow - b.flow)
}

/** The slope of the line of least squares through points. */
function slope(points: readonly (readonly [number, number])[]): number {
  const [x0, y0] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))]
  let [xy, xx] = [0, 0]
  for (const [x, y] of points) {
    xy += (x - x0) * (y - y0)
    xx += (x - x0) ** 2
  }
  return xy / xx
}
