import { MINUTE_MS, SECOND_MS } from '../../contract/durations.ts'
import { exp, log, power, tanh } from '../base/mathematics.ts'
import { createRng, nextRandom, normal, randomBetween } from '../base/rng.ts'
import type { Arrivals, FlowProfile, HiddenOrder, HiddenValue, Mood } from '../state/flow.ts'
import { MOOD_MS, ORDER_VARIANCE_SHARE, relaxationStep } from './value.ts'

/** Number of hidden orders that are active at the same time. */
const HIDDEN = 3
/** Exponent of the Pareto distribution of the number of children of a hidden order. */
const CHILDREN_EXPONENT = 1.4
/** Maximum number of children of a hidden order. */
const CHILDREN_MAX = 200
/** The share of orders that are noise, which belong to no hidden order. */
const NOISE_SHARE = 0.14
/** Maximum size of an order, in units. */
export const SIZE_MAX = 4
/** Base size of a hidden order's children, in units. */
const SIZE_BASE = 0.056
const SIZE_GROWTH = 0.3
const SIZE_SPREAD = 1.4
const SIZE_PROCESSES = [
  { ms: 400 * SECOND_MS, variance: 0.5, weight: 1 },
  { ms: 180 * MINUTE_MS, variance: 0.81, weight: 0.3 },
] as const
/** How strongly new hidden orders lean against their total holding. */
const NET_LEAN = 0.3
/** The total holding, in units, at which hidden orders lean strongly. */
const NET_UNITS = 40
/** Each average of the signed impact spans one of these numbers of orders. */
export const MEMORY_SPANS = [2, 8, 40, 200, 1000] as const
export const RECENT_MS = 30 * SECOND_MS
const FILLER_MS = { least: 2500, most: 4900 } as const
const RATE_MIN = 0.52

/**
 * The arrivals of a market when its world begins, as if orders had arrived before at the usual rate (orders per
 * second).
 */
export function openArrivals(
  seed: number,
  name: string,
  profile: FlowProfile,
  { atMs, usual }: { readonly atMs: number; readonly usual: number },
): Arrivals {
  const rng = createRng(seed, 'flow/orders', name)
  const arrivals: Arrivals = {
    rng,
    timeRng: createRng(seed, 'flow/times', name),
    noiseRng: createRng(seed, 'flow/noise', name),
    excited: profile.kernels.map(() => 0),
    recent: 0,
    atMs,
    fillerAtMs: profile.isFilled ? atMs + FILLER_MS.least : null,
    hidden: [],
    net: 0,
    sizes: SIZE_PROCESSES.map(({ variance }) => Math.sqrt(variance) * normal(rng)),
    averages: MEMORY_SPANS.map(() => 0),
  }
  arriveAsUsual(arrivals, profile, usual)
  for (let at = 0; at < HIDDEN; at += 1) arrivals.hidden.push(hiddenOrder(arrivals))
  return arrivals
}

/** Orders per second that arrive at the current volatility and hour. */
export function usualRate(
  profile: FlowProfile,
  { mood, burst }: HiddenValue,
  activity: number,
): number {
  const busy = exp(0.4 * mood.level + mood.hour + 0.5 * burst)
  return profile.rate * activity * Math.max(RATE_MIN, busy)
}

/** The time of the next order in ms: a self-exciting process (Hawkes 1971), drawn by thinning (Ogata 1981). */
export function nextArrival(arrivals: Arrivals, profile: FlowProfile, usual: number): number {
  const { timeRng } = arrivals
  const base = usual * (1 - profile.kernels.reduce((sum, { share }) => sum + share, 0))
  let { atMs } = arrivals
  for (;;) {
    const bound = base + excitation(arrivals)
    const waitMs = (-1000 * log(1 - nextRandom(timeRng))) / bound
    atMs += waitMs
    decay(arrivals, profile, waitMs)
    arrivals.atMs = atMs
    if (nextRandom(timeRng) * bound < base + excitation(arrivals)) return atMs
  }
}

/** Resets the arrivals to their usual rate, as if the usual number of orders had arrived before. */
export function arriveAsUsual(arrivals: Arrivals, profile: FlowProfile, usual: number): void {
  for (const [at, { share }] of profile.kernels.entries()) arrivals.excited[at] = share * usual
  arrivals.recent = (usual * RECENT_MS) / SECOND_MS
}

/** Counts an arrival, which makes further arrivals more likely. */
export function countArrival(arrivals: Arrivals, profile: FlowProfile): void {
  let at = 0
  for (const { share, ms } of profile.kernels) {
    arrivals.excited[at] = (arrivals.excited[at] ?? 0) + (1000 * share) / ms
    at += 1
  }
  arrivals.recent += 1
}

function excitation({ excited }: Arrivals): number {
  let sum = 0
  for (const each of excited) sum += each
  return sum
}

function decay(arrivals: Arrivals, { kernels }: FlowProfile, ms: number): void {
  for (let at = 0; at < kernels.length; at += 1)
    arrivals.excited[at] = (arrivals.excited[at] ?? 0) * exp(-ms / (kernels[at]?.ms ?? 1))
  arrivals.recent *= exp(-ms / RECENT_MS)
}

function hiddenOrder(arrivals: Arrivals): HiddenOrder {
  const { rng, net } = arrivals
  const side = nextRandom(rng) < 0.5 - NET_LEAN * tanh(net / NET_UNITS) ? 1 : -1
  const drawn = power(1 - nextRandom(rng), -1 / CHILDREN_EXPONENT)
  const left = Math.max(1, Math.min(CHILDREN_MAX, Math.floor(drawn)))
  return { side, left, taker: -1, size: SIZE_BASE * power(left, SIZE_GROWTH) }
}

/** An order that arrives. */
export type ArrivingOrder = {
  readonly side: number
  /** Size in units. */
  readonly size: number
  /** The hidden order whose child this is; null for a noise order. */
  readonly of: HiddenOrder | null
  /** The order's signed impact minus the predicted impact; 0 for a noise order. */
  readonly surprise: number
}

/** Draws the next order: a child of a hidden order, or a noise order whose side `noiseSide` chooses. */
export function draftOrder(
  arrivals: Arrivals,
  mood: Mood,
  noiseSide: (random: number) => number,
): ArrivingOrder {
  const { rng, hidden } = arrivals
  const regime = sizeRegime(arrivals, mood)
  const [kind, pick] = [nextRandom(rng), nextRandom(rng)]
  const spread = exp(SIZE_SPREAD * (normal(rng) - SIZE_SPREAD / 2))
  if (kind < NOISE_SHARE) {
    const size = Math.min(SIZE_MAX, SIZE_BASE * spread * regime)
    return { side: noiseSide(nextRandom(arrivals.noiseRng)), size, of: null, surprise: 0 }
  }
  const at = Math.floor(pick * HIDDEN)
  const order = hidden[at] ?? hiddenOrder(arrivals)
  const size = Math.min(SIZE_MAX, order.size * spread * regime)
  const impact = orderImpact(order.side, size)
  const surprise = impact - predicted(arrivals.averages, PREDICTION, arrivals.net)
  updateImpactAverages(arrivals.averages, impact)
  arrivals.net += order.side * size
  order.left -= 1
  if (order.left <= 0) hidden[at] = hiddenOrder(arrivals)
  return { side: order.side, size, of: order, surprise }
}

/** The signed impact of an order, which depends mostly on its side and little on its size. */
export function orderImpact(side: number, size: number): number {
  return side * power(10 * size, 0.25)
}

/** Updates the averages with an order's signed impact. */
export function updateImpactAverages(averages: number[], impact: number): void {
  for (let at = 0; at < MEMORY_SPANS.length; at += 1)
    averages[at] = (averages[at] ?? 0) + (impact - (averages[at] ?? 0)) / (MEMORY_SPANS[at] ?? 1)
}

/**
 * Coefficients that predict the signed impact of the next order: the weights of the averages, the weight of `net` (what
 * the hidden orders hold), and the variance of the residual. They were fitted by least squares to a simulated flow.
 * `PREDICTION` is used to move the value; it includes `net`, because the simulator knows which orders are children of
 * hidden orders. `PUBLIC_PREDICTION` is for makers, who see all orders alike.
 */
export const PREDICTION = {
  averages: [0.063, 0.556, 0.15, 0.078, -0.027],
  net: -0.085,
  variance: 0.745,
} as const
export const PUBLIC_PREDICTION = {
  averages: [0.022, 0.506, 0.264, 0.05, 0],
  net: 0,
  variance: 0.748,
} as const

/** The signed impact that is predicted for the next order. */
export function predicted(
  averages: readonly number[],
  weights: { readonly averages: readonly number[]; readonly net: number },
  net: number,
): number {
  let sum = weights.net === 0 ? 0 : weights.net * tanh(net / NET_UNITS)
  for (let at = 0; at < weights.averages.length; at += 1)
    sum += (weights.averages[at] ?? 0) * (averages[at] ?? 0)
  return sum
}

/** The current factor on order sizes. It changes slowly, so that large orders come together. */
function sizeRegime({ sizes }: Arrivals, mood: Mood): number {
  let sum = -0.4 * mood.centred
  for (const [at, { weight }] of SIZE_PROCESSES.entries()) sum += weight * (sizes[at] ?? 0)
  return exp(sum)
}

/** Advances the slow processes behind order sizes by a time, by default `MOOD_MS`. */
export function stepSizes({ rng, sizes }: Arrivals, passedMs: number = MOOD_MS): void {
  for (const [at, { ms, variance }] of SIZE_PROCESSES.entries())
    sizes[at] = relaxationStep(rng, sizes[at] ?? 0, passedMs / ms, variance)
}

/**
 * How far one unit of surprise moves the value, given the value's volatility per second, the orders per second and the
 * variance of surprises.
 */
export function surpriseGain(sigma: number, rate: number, variance: number): number {
  return (Math.sqrt(ORDER_VARIANCE_SHARE) * sigma) / Math.sqrt(rate * (1 - NOISE_SHARE) * variance)
}

/** Plans a small order. It is sent if the market has no trade until its time. */
export function planFiller(arrivals: Arrivals, atMs: number): void {
  if (arrivals.fillerAtMs === null) return
  const waitMs = randomBetween(arrivals.noiseRng, FILLER_MS.least, FILLER_MS.most)
  arrivals.fillerAtMs = atMs + Math.ceil(waitMs)
}

/** Orders per second, from an exponentially decaying count over half a minute. */
export function recentRate(recent: number): number {
  return recent / (RECENT_MS / SECOND_MS)
}
