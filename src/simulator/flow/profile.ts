import { DAY_SECONDS, SECOND_MS } from '../../contract/durations.ts'
import { type Activity, FLOW_RATES } from '../../contract/venue/activity.ts'
import type { Market as Listed } from '../listing/instruments.ts'
import type { FlowProfile } from '../state/flow.ts'

const QUICK = [
  { share: 0.66, ms: 100 },
  { share: 0.15, ms: 4 * SECOND_MS },
  { share: 0.12, ms: 60 * SECOND_MS },
] as const

const SLOW = [
  { share: 0.4, ms: 300 },
  { share: 0.2, ms: 8 * SECOND_MS },
  { share: 0.15, ms: 120 * SECOND_MS },
] as const

const MAJOR = {
  dailyVolatility: 0.024,
  rate: 1,
  referenceNoise: 0.00003,
  gridMs: 250,
  kernels: QUICK,
  isFilled: true,
  waveVariance: 0.37,
  arbitrageEdge: 0.0003,
  limitRate: 0.35,
} as const

const LARGE = {
  ...MAJOR,
  dailyVolatility: 0.04,
  rate: 0.6,
  referenceNoise: 0.00005,
  kernels: SLOW,
  isFilled: false,
  arbitrageEdge: 0.0004,
} as const

const SMALL = {
  ...LARGE,
  dailyVolatility: 0.055,
  rate: 0.33,
  referenceNoise: 0.0001,
  gridMs: 500,
  arbitrageEdge: 0.0005,
  limitRate: 0.25,
} as const

const LARGE_OTHERS: FlowProfile = { ...LARGE, dailyVolatility: 0.045 }
const ASSET: FlowProfile = { ...SMALL, dailyVolatility: 0.014 }

/** The profiles of markets with a special profile, by base asset. */
const OWN: ReadonlyMap<string, FlowProfile> = new Map<string, FlowProfile>([
  ['BTC', MAJOR],
  ['ETH', { ...MAJOR, dailyVolatility: 0.03, referenceNoise: 0.00004 }],
  ['SOL', LARGE],
  ['XRP', LARGE_OTHERS],
  ['BNB', LARGE_OTHERS],
  ['DOGE', LARGE_OTHERS],
  ['HYPE', LARGE_OTHERS],
  ['SUI', LARGE_OTHERS],
])

/** The profile of a market. A market outside of crypto is less volatile. */
export function flowProfile({ base, tier }: Pick<Listed, 'base' | 'tier'>): FlowProfile {
  return OWN.get(base) ?? (tier.isRwa ? ASSET : SMALL)
}

/** The rate of orders in a market, as a multiple of its profile's rate; null for an activity without an order flow. */
export function flowRate(activity: Activity, listed: Listed): number | null {
  if (activity === 'sparse') return null
  // Small markets have half the rate.
  const isSmall = flowProfile(listed).gridMs > MAJOR.gridMs
  return FLOW_RATES[activity] * (isSmall ? 0.5 : 1)
}

/** The mean value of an order, in units. */
export const MEAN_ORDER = 0.2

/** The number of steps in one unit, at an index in ticks. It makes a usual day's turnover equal the listed turnover. */
export function flowUnitSteps(listed: Listed, { rate }: FlowProfile, index: number): number {
  const orders = DAY_SECONDS * rate
  const usdc = listed.dailyTurnoverUsdc / (orders * MEAN_ORDER)
  return Math.max(1, usdc / (index * listed.unitUsdc))
}
