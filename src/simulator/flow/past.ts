import { DAY_SECONDS } from '../../contract/durations.ts'
import type { Activity } from '../../contract/venue/activity.ts'
import { exp } from '../base/mathematics.ts'
import type { Market as Listed } from '../listing/instruments.ts'
import type { Intensity } from '../past/path.ts'
import { flowProfile, flowRate } from './profile.ts'
import { hourEffect, moodBefore, openValue } from './value.ts'

/** A minute of the seeded path moves this many times less than a random walk of equal volatility (measured). */
const SMOOTHNESS = 1.6

/**
 * Volatility and volume of a market with an order flow before its world began. They follow the same slow waves and
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
