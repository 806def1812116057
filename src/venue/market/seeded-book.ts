import type { Book, Level, Tick } from './feed.ts'
import type { Market } from './instruments.ts'
import { draw, stream } from './price/chance.ts'
import { createNoise, type Layer } from './price/noise.ts'
import { BUCKET_MS, type PricePath } from './price/path.ts'

type Side = Tick['side']

/** The seeded book of a market, by bucket number: prices in ticks, quantities in steps of the base tick. */
export type SeededBook = {
  /** The best price that a taker of this side meets: the ask for BUY, the bid for SELL. */
  readonly touch: (bucket: number, takerSide: Side) => number
  readonly touchQuantity: (bucket: number, takerSide: Side, price: number) => number
  readonly levels: (bucket: number) => Book
}

const LEVELS = 40
/** The last level lies about this far from the mark: half of what the price range allows a taker. */
const REACH = 0.015
const DEPTH_GROWTH = 0.3
const KEYS_PER_SIDE = 64

/** What a taker takes of the touch on average, see tape.ts. */
const MEAN_TAKE = 0.55

// Busy and quiet hours: books thicken and trades grow together.
const ACTIVITY_LAYERS: readonly Layer[] = [
  { periodMs: 5_400_000, amplitude: 0.2 },
  { periodMs: 43_200_000, amplitude: 0.2 },
]

/** Builds a market's book around its mark: strictly below and above it, on tick, deeper further out. */
export function createSeededBook(market: Market, seed: number, path: PricePath): SeededBook {
  const { tier, unitUsdc } = market
  const gaps = stream(seed, 'gaps', market.symbol)
  const sizes = stream(seed, 'sizes', market.symbol)
  const activity = createNoise(stream(seed, 'activity', market.symbol), ACTIVITY_LAYERS)
  const tradesPerDay = tier.tradesPerMinute * 1440
  const touchSteps = market.dailyTurnoverUsdc / (tradesPerDay * MEAN_TAKE) / unitUsdc
  const stepsMax = Number(market.baseMax / market.baseTick)

  function gap(bucket: number, side: Side, level: number, mark: number): number {
    const random = draw(gaps, keyOf(bucket, side, level))
    if (level === 0) return 1 + Math.floor(random * mark * tier.touchDistanceMax)
    const mean = (mark * REACH * level * 2) / (LEVELS * (LEVELS - 1))
    return Math.max(1, Math.round(mean * (0.5 + random)))
  }

  function quantity(bucket: number, side: Side, level: number, price: number): number {
    const weight = 0.5 + draw(sizes, keyOf(bucket, side, level))
    const busy = 1 + activity(bucket * BUCKET_MS)
    const steps = (touchSteps * weight * busy * (1 + DEPTH_GROWTH * level)) / price
    return Math.min(stepsMax, Math.max(1, Math.round(steps)))
  }

  function ladder(bucket: number, side: Side): readonly Level[] {
    const mark = path.mark(bucket)
    let distance = 0
    return Array.from({ length: LEVELS }, (_, level) => {
      distance += gap(bucket, side, level, mark)
      const price = side === 'BUY' ? mark + distance : mark - distance
      return levelOf(market, price, quantity(bucket, side, level, price))
    })
  }

  return {
    touch: (bucket, side) => {
      const mark = path.mark(bucket)
      const distance = gap(bucket, side, 0, mark)
      return side === 'BUY' ? mark + distance : mark - distance
    },
    touchQuantity: (bucket, side, price) => quantity(bucket, side, 0, price),
    levels: (bucket) => ({ bids: ladder(bucket, 'SELL'), asks: ladder(bucket, 'BUY') }),
  }
}

function keyOf(bucket: number, side: Side, level: number): number {
  const offset = side === 'BUY' ? KEYS_PER_SIDE + level : level
  return (Math.imul(bucket, KEYS_PER_SIDE * 2) + offset) | 0
}

function levelOf(market: Market, ticks: number, steps: number): Level {
  return { price: BigInt(ticks) * market.quoteTick, quantity: BigInt(steps) * market.baseTick }
}
