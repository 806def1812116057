import type { Tick } from './feed.ts'
import type { Market } from './instruments.ts'
import { draw, stream } from './price/chance.ts'
import { createNoise, type Layer } from './price/noise.ts'
import { BUCKET_MS, type PricePath } from './price/path.ts'

type Side = Tick['side']

/** The best prices before genesis, by bucket number: prices in ticks, quantities in steps of the base tick. */
export type SeededTouch = {
  /** The best price that a taker of this side meets: the ask for BUY, the bid for SELL. */
  readonly price: (bucket: number, takerSide: Side) => number
  readonly quantity: (bucket: number, takerSide: Side, price: number) => number
}

const KEYS_PER_SIDE = 64

/** What a taker takes of the touch on average, see tape.ts. */
const MEAN_TAKE = 0.55

// Busy and quiet hours: books thicken and trades grow together.
const ACTIVITY_LAYERS: readonly Layer[] = [
  { periodMs: 5_400_000, amplitude: 0.2 },
  { periodMs: 43_200_000, amplitude: 0.2 },
]

/** Builds a market's best prices around its mark: strictly below and above it, on tick. */
export function createSeededTouch(market: Market, seed: number, path: PricePath): SeededTouch {
  const { tier, unitUsdc } = market
  const gaps = stream(seed, 'gaps', market.symbol)
  const sizes = stream(seed, 'sizes', market.symbol)
  const activity = createNoise(stream(seed, 'activity', market.symbol), ACTIVITY_LAYERS)
  const tradesPerDay = tier.tradesPerMinute * 1440
  const usualSteps = market.dailyTurnoverUsdc / (tradesPerDay * MEAN_TAKE) / unitUsdc
  const stepsMax = Number(market.baseMax / market.baseTick)
  return {
    price: (bucket, side) => {
      const mark = path.mark(bucket)
      const random = draw(gaps, keyOf(bucket, side))
      const distance = 1 + Math.floor(random * mark * tier.touchDistanceMax)
      return side === 'BUY' ? mark + distance : mark - distance
    },
    quantity: (bucket, side, price) => {
      const weight = 0.5 + draw(sizes, keyOf(bucket, side))
      const steps = (usualSteps * weight * (1 + activity(bucket * BUCKET_MS))) / price
      return Math.min(stepsMax, Math.max(1, Math.round(steps)))
    },
  }
}

function keyOf(bucket: number, side: Side): number {
  return (Math.imul(bucket, KEYS_PER_SIDE * 2) + (side === 'BUY' ? KEYS_PER_SIDE : 0)) | 0
}
