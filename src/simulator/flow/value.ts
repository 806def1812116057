import { DAY_MS, DAY_SECONDS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../contract/durations.ts'
import type { Activity } from '../../contract/venue/activity.ts'
import { cosTurns, exp } from '../base/mathematics.ts'
import {
  createRng,
  nextRandom,
  normal,
  type RandomStream,
  type Rng,
  randomAt,
  randomBetween,
  toNormal,
} from '../base/rng.ts'
import type { Market as Listed } from '../listing/instruments.ts'
import type { Intensity } from '../past/path.ts'
import type { FlowProfile, HiddenValue, MarketFlow, Mood } from '../state/flow.ts'
import { flowProfile, flowRate } from './profile.ts'

/** The logarithm of volatility is the sum of these processes. Each has a relaxation time and a variance. */
const WAVES = [
  { ms: 2 * MINUTE_MS, variance: 0.036 },
  { ms: 15 * MINUTE_MS, variance: 0.076 },
  { ms: HOUR_MS, variance: 0.02 },
  { ms: 6 * HOUR_MS, variance: 0.014 },
] as const
/** Further waves with a fixed period and a random phase. */
const SLOW_WAVES_MS = [29 * HOUR_MS, 47 * HOUR_MS] as const
const WAVES_VARIANCE = WAVES.reduce((sum, { variance }) => sum + variance, 0)

/** How many grid steps each of the three reference prices lags behind the value. */
const REFERENCE_DELAYS = [1, 2, 4] as const
/** Relaxation time of the references' noise. */
const REFERENCE_MS = MINUTE_MS
/** How often volatility and rates are updated. */
export const MOOD_MS = 10 * SECOND_MS

const BURST_MS = 21 * MINUTE_MS
const NEWS_STRATUM_MS = (7 / 3) * DAY_MS
/** The size of the move after news, in hourly standard deviations. */
const NEWS_MOVE = { least: 3.4, most: 3.6 } as const
/** The initial effect of news on the logarithm of volatility. */
const NEWS_BURST = 0.78
/** Time within which a value returns to the price at which its market was listed. */
const RETURN_MS = 45 * DAY_MS
/** The share of the value's variance that comes from orders. */
export const ORDER_VARIANCE_SHARE = 0.6
/** Of the variance that does not come from orders, the share that all markets have in common. */
const COMMON = 0.85

/** The hidden value of a market, given the logarithm of its price in ticks. */
export function openValue(
  seed: number,
  name: string,
  profile: FlowProfile,
  { ticksLog, atMs }: { readonly ticksLog: number; readonly atMs: number },
): HiddenValue {
  const rng = createRng(seed, 'flow/value', name)
  const waves = WAVES.map(({ variance }) => Math.sqrt(variance) * normal(rng))
  const phases = SLOW_WAVES_MS.map(() => nextRandom(rng))
  return {
    rng,
    waves,
    phases,
    mood: moodAt(waves, phases, profile, atMs),
    newsRng: createRng(seed, 'flow/news', name),
    log: ticksLog,
    before: [ticksLog, ticksLog, ticksLog, ticksLog],
    burst: 0,
    news: [],
    newsUntilMs: 0,
    noise: 0,
    pending: ticksLog,
  }
}

const DAY_SECONDS_ROOT = Math.sqrt(DAY_SECONDS)

/** The expected volatility and rates at a time before the value was opened, given the waves at its opening. */
function moodBefore(
  { waves, phases }: HiddenValue,
  profile: FlowProfile,
  atMs: number,
  openedAtMs: number,
): Mood {
  const goneMs = Math.max(0, openedAtMs - atMs)
  let sum = 0
  for (let at = 0; at < waves.length; at += 1)
    sum += (waves[at] ?? 0) * remaining(goneMs / (WAVES[at]?.ms ?? 1))
  return moodFromSum(sum, phases, profile, atMs)
}

/** `exp` gives exactly 0 for numbers below its negative. */
const EXP_ZERO = 700

/** The share of a wave that is left after this many relaxation times. Most waves of a distant time are gone. */
function remaining(times: number): number {
  return times > EXP_ZERO ? 0 : exp(-times)
}

/** The state of volatility and rates at a time. */
function moodAt(
  waves: readonly number[],
  phases: readonly number[],
  profile: FlowProfile,
  atMs: number,
): Mood {
  let sum = 0
  for (const wave of waves) sum += wave
  return moodFromSum(sum, phases, profile, atMs)
}

/** The same, from the sum of the waves. */
function moodFromSum(
  sum: number,
  phases: readonly number[],
  profile: FlowProfile,
  atMs: number,
): Mood {
  const amplitude = Math.sqrt(2 * profile.waveVariance)
  let level = sum
  // An index loop, because a start computes this some hundred thousand times.
  for (let at = 0; at < SLOW_WAVES_MS.length; at += 1) {
    const ms = SLOW_WAVES_MS[at] ?? 1
    level += amplitude * cosTurns((atMs % ms) / ms + (phases[at] ?? 0))
  }
  const variance = WAVES_VARIANCE + SLOW_WAVES_MS.length * profile.waveVariance
  const hour = hourEffect(atMs)
  const wildness = Math.max(0.45, Math.min(2.9, exp(level - variance + 0.6 * hour)))
  return {
    level: level - 0.3 * variance,
    centred: level - variance,
    hour,
    sigma: (profile.dailyVolatility * wildness) / DAY_SECONDS_ROOT,
  }
}

/** Standard deviation of the value's move per second, including the effect that recent news still has. */
export function momentarySigma({ mood, burst }: HiddenValue): number {
  return burst < 0.001 ? mood.sigma : mood.sigma * exp(burst)
}

/** The effects of the hour of day that are known, in steps of a day. All markets share them. */
const HOUR_EFFECT_MS = 5 * SECOND_MS
const HOUR_EFFECTS = new Float64Array(DAY_MS / HOUR_EFFECT_MS).fill(Number.NaN)

/** The effect of the hour of day on the logarithm of rates: two waves, busiest in the afternoon (UTC). */
function hourEffect(atMs: number): number {
  const ofDayMs = atMs % DAY_MS
  const step = ofDayMs / HOUR_EFFECT_MS
  const known = HOUR_EFFECTS[step]
  if (known !== undefined && !Number.isNaN(known)) return known
  const day = ofDayMs / DAY_MS
  const effect = 0.5 * cosTurns(day - 15 / 24) + 0.1 * cosTurns(2 * (day - 14 / 24))
  if (known !== undefined) HOUR_EFFECTS[step] = effect
  return effect
}

/** The shortest grid step. Every other grid step is a multiple of it. */
const COMMON_MS = 250

/**
 * The last draw for each length of a grid step, counted in shortest steps. All markets ask for the same draw at the
 * same time.
 */
const LATEST: { source: RandomStream; atMs: number; value: number }[] = []

/** The move that all markets have in common: a sum of normal draws, one per shortest grid step. */
function commonDraw(source: RandomStream, atMs: number, gridMs: number): number {
  const steps = gridMs / COMMON_MS
  const latest = LATEST[steps]
  if (latest?.atMs === atMs && latest.source === source) return latest.value
  let sum = 0
  for (let step = 0; step < steps; step += 1) sum += commonNormal(source, atMs / COMMON_MS + step)
  const value = sum / Math.sqrt(steps)
  LATEST[steps] = { source, atMs, value }
  return value
}

function commonNormal(source: RandomStream, position: number): number {
  const at = position | 0
  return toNormal(randomAt(source, 2 * at), randomAt(source, 2 * at + 1))
}

/** A hidden value, its reference price, and the source of the common moves. */
type Moving = Pick<MarketFlow, 'value' | 'referenceLog' | 'common'>

/** Advances a value by one grid step: diffusion, news, and the pull towards its reference price. */
export function stepValue(
  { value, referenceLog, common }: Moving,
  profile: FlowProfile,
  atMs: number,
): void {
  const { gridMs } = profile
  shiftBefore(value)
  const together = commonDraw(common, atMs, gridMs)
  const own = normal(value.rng)
  const shock = Math.sqrt(COMMON) * together + Math.sqrt(1 - COMMON) * own
  const spread = momentarySigma(value) * Math.sqrt(((1 - ORDER_VARIANCE_SHARE) * gridMs) / 1000)
  value.log += shock * spread + (referenceLog - value.log) * (gridMs / RETURN_MS)
  value.burst -= (value.burst * gridMs) / BURST_MS
  stepNews(value, profile, atMs)
}

/** Advances a value by a longer time at once, including the part of its variance that orders would have added. */
export function advanceValueCoarsely(
  { value, referenceLog, common }: Moving,
  profile: FlowProfile,
  atMs: number,
  ms: number,
): void {
  const share = COMMON * (1 - ORDER_VARIANCE_SHARE)
  const together = Math.sqrt(share) * commonNormal(common, atMs / COMMON_MS)
  const shock = together + Math.sqrt(1 - share) * normal(value.rng)
  const spread = momentarySigma(value) * Math.sqrt(ms / SECOND_MS)
  value.log += shock * spread + (referenceLog - value.log) * (ms / RETURN_MS)
  value.burst *= Math.max(0, 1 - ms / BURST_MS)
  stepNews(value, profile, atMs)
  value.before.fill(value.log)
}

/** Sets a value to a recorded price's logarithm. */
export function followValue(value: HiddenValue, recorded: number): void {
  shiftBefore(value)
  value.log = recorded
}

function shiftBefore({ before, log }: HiddenValue): void {
  for (let at = before.length - 1; at > 0; at -= 1) before[at] = before[at - 1] ?? log
  before[0] = log
}

function stepNews(value: HiddenValue, profile: FlowProfile, atMs: number): void {
  if (atMs >= value.newsUntilMs) planNews(value, profile, atMs)
  while ((value.news[0]?.atMs ?? Number.POSITIVE_INFINITY) <= atMs) {
    const news = value.news.shift()
    if (!news) return
    value.log += news.move
    value.burst = NEWS_BURST
  }
}

/** Plans a period's news at the start of a minute. A jump across a minute's end would look like momentum. */
function planNews(value: HiddenValue, profile: FlowProfile, atMs: number): void {
  const { news, newsRng: rng } = value
  value.newsUntilMs = atMs + NEWS_STRATUM_MS
  const hourly = profile.dailyVolatility / Math.sqrt(24)
  const side = nextRandom(rng) < 0.5 ? -1 : 1
  const move = side * randomBetween(rng, NEWS_MOVE.least, NEWS_MOVE.most) * hourly
  const newsAtMs = atMs + nextRandom(rng) * NEWS_STRATUM_MS
  news.push({ atMs: newsAtMs - (newsAtMs % MINUTE_MS), move })
}

/** Advances volatility and rates by a time, by default `MOOD_MS`. */
export function stepMood(
  value: HiddenValue,
  profile: FlowProfile,
  atMs: number,
  passedMs: number = MOOD_MS,
): void {
  for (const [at, { ms, variance }] of WAVES.entries())
    value.waves[at] = relaxationStep(value.rng, value.waves[at] ?? 0, passedMs / ms, variance)
  value.mood = moodAt(value.waves, value.phases, profile, atMs)
}

/** One step of an Ornstein-Uhlenbeck process with mean 0. `share` is the step's time divided by the relaxation time. */
export function relaxationStep(rng: Rng, from: number, share: number, variance: number): number {
  return from * (1 - share) + Math.sqrt(variance * share * (2 - share)) * normal(rng)
}

/**
 * The mean of the reference prices at a second: `late` for the public index, `now` for the makers. The errors of the
 * reference prices are independent and identically distributed, so one draw gives the error of the mean.
 */
export function references(value: HiddenValue, { referenceNoise }: FlowProfile) {
  const variance = referenceNoise ** 2 / 2 / REFERENCE_DELAYS.length
  value.noise = relaxationStep(value.rng, value.noise, SECOND_MS / REFERENCE_MS, variance)
  const error = value.noise + Math.sqrt(variance) * normal(value.rng)
  let sum = 0
  for (const delay of REFERENCE_DELAYS) sum += value.before[delay - 1] ?? value.log
  return { late: sum / REFERENCE_DELAYS.length + error, now: value.log + error }
}

/** A minute of the seeded path moves this many times less than a random walk of equal volatility (measured). */
const SMOOTHNESS = 1.6

/**
 * Volatility and volume of a market with an order flow before its world began. Both follow the same slow waves and
 * hours of day as afterwards. Null for an activity without an order flow.
 */
export function intensityBefore(
  seed: number,
  listed: Listed,
  activity: Activity,
  beganAtMs: number,
): Intensity | null {
  const rate = flowRate(activity, listed)
  if (rate === null) return null
  const profile = flowProfile(listed)
  const value = openValue(seed, listed.symbol, profile, { ticksLog: 0, atMs: beganAtMs })
  const usual = listed.tier.dailyVolatility / SMOOTHNESS / Math.sqrt(DAY_SECONDS)
  return {
    moves: (atMs) => moodBefore(value, profile, atMs, beganAtMs).sigma / usual,
    volume: (atMs) => rate * exp(hourEffect(atMs)),
  }
}
