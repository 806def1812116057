import { DAY_MS } from '../../contract/durations.ts'
import { nextRandom, normal, type Rng } from '../base/rng.ts'
import type { CommonFactor, EngineWorld, ReplayedPrices, Scene } from '../state/world.ts'

/** Moves a market's index to a time, including the operator's trend, unless the index is frozen. */
export function moveIndex(world: EngineWorld, scene: Scene, atMs: number): void {
  const { overrides, steppedAtMs } = scene
  if (atMs < overrides.frozenUntilMs) {
    scene.followed = world.factor.level
    scene.steppedAtMs = atMs
    return
  }
  const growth = Math.exp(overrides.trend * (atMs - steppedAtMs))
  overrides.scale *= growth
  if (world.prices.kind === 'seeded') {
    stepIndex(scene, world.factor, atMs)
    scene.index *= growth
  } else replayIndex(world, scene, atMs)
}

/**
 * Sets a market's index to the recorded price at a time. The index stays unchanged while it is frozen, and before the
 * first candle.
 */
export function replayIndex({ prices }: EngineWorld, scene: Scene, atMs: number): void {
  if (prices.kind !== 'replayed' || atMs < scene.overrides.frozenUntilMs) return
  scene.index = recordedPrice(prices, scene, atMs) ?? scene.index
  scene.steppedAtMs = atMs
}

/** A market's recorded price in ticks, including the operator's shocks and trends; null before the first candle. */
export function recordedPrice(
  prices: ReplayedPrices,
  { market, overrides }: Scene,
  atMs: number,
): number | null {
  const price = prices.priceAt(market.spec.symbol, atMs)
  return price === null ? null : price * overrides.scale
}

/** The size of a market's own moves relative to its listed volatility. */
const OWN_SHARE = 1.2
const FACTOR_VOLATILITY = 0.02
const FACTOR_JUMPS_PER_DAY = 0.3
const OWN_JUMPS_PER_DAY = 0.4
/** Prices return to the listed reference price within months. Otherwise a falling price would make ticks too coarse. */
const RETURN_MS = 45 * DAY_MS
/** Factors on volatility in calm, usual and wild periods. */
const REGIMES = [0.6, 1, 1, 2.4] as const
const REGIME_CHANGES_PER_DAY = 6

/** Advances the common factor of all markets: a trend that sometimes turns, periods of volatility, and jumps. */
export function stepFactor(factor: CommonFactor, elapsedMs: number): void {
  const { rng } = factor
  const days = elapsedMs / DAY_MS
  if (nextRandom(rng) < days * REGIME_CHANGES_PER_DAY) {
    factor.volatility = drawRegime(rng)
    factor.drift = normal(rng) * FACTOR_VOLATILITY
  }
  const shock = normal(rng) * FACTOR_VOLATILITY * factor.volatility * Math.sqrt(days)
  factor.level += factor.drift * days + shock + drawJump(rng, days * FACTOR_JUMPS_PER_DAY)
}

/**
 * Advances the index of a market to a time. The index follows the common factor and random moves of the market, and is
 * pulled to its reference price.
 */
function stepIndex(scene: Scene, factor: CommonFactor, atMs: number): void {
  const { rng, listed } = scene
  const elapsedMs = atMs - scene.steppedAtMs
  const days = elapsedMs / DAY_MS
  const { dailyVolatility } = listed.tier
  const beta = dailyVolatility / FACTOR_VOLATILITY
  if (nextRandom(rng) < days * REGIME_CHANGES_PER_DAY) scene.volatility = drawRegime(rng)
  const own = normal(rng) * dailyVolatility * OWN_SHARE * scene.volatility * Math.sqrt(days)
  const pull = Math.log(listed.referenceTicks / scene.index) * (elapsedMs / RETURN_MS)
  const together = (factor.level - scene.followed) * beta * FACTOR_SHARE
  const move = together + own + pull + drawJump(rng, days * OWN_JUMPS_PER_DAY)
  scene.index *= Math.exp(Math.max(-MOVE_MAX, Math.min(MOVE_MAX, move)))
  scene.followed = factor.level
  scene.steppedAtMs = atMs
}

const FACTOR_SHARE = 2
const MOVE_MAX = 0.25

function drawRegime(rng: Rng): number {
  return REGIMES[Math.floor(nextRandom(rng) * REGIMES.length)] ?? 1
}

/** A jump by 0.5 % to 3 % with the given probability; otherwise 0. */
function drawJump(rng: Rng, probability: number): number {
  if (nextRandom(rng) >= probability) return 0
  const size = 0.005 + 0.025 * nextRandom(rng) ** 2
  return nextRandom(rng) < 0.5 ? -size : size
}
