import { MINUTE_MS } from '../../contract/durations.ts'
import { randomAt, randomStream } from '../base/rng.ts'
import type { Tick } from '../listing/feed.ts'
import type { Market } from '../listing/instruments.ts'
import { BUCKET_MS, createNoise, type Intensity, type Layer, type PricePath } from './path.ts'

/** Receives a trade: price in ticks, quantity in steps. Plain numbers, as a day has hundreds of thousands of trades. */
export type OnTrade = (atMs: number, side: Tick['side'], price: number, quantity: number) => void

/** Passes on the seeded trades with fromMs <= atMs < toMs, oldest first. */
export type SeededTape = (fromMs: number, toMs: number, onTrade: OnTrade) => void

const KEYS_PER_MINUTE = 16

/**
 * Creates the seeded trades of a market. Each minute is divided into equal slots, and each slot has one trade at a
 * random time, so every minute has trades. A trade takes between a tenth and all of the best quantity.
 */
export function createTape(market: Market, seed: number, bbo: SeededBbo): SeededTape {
  const counts = randomStream(seed, 'counts', market.symbol)
  const moments = randomStream(seed, 'moments', market.symbol)
  const takes = randomStream(seed, 'takes', market.symbol)
  const { tradesPerMinute } = market.tier

  function trade(key: number, atMs: number, onTrade: OnTrade): void {
    const bucket = Math.floor(atMs / BUCKET_MS)
    // One random number from 0 to 2 gives the side by its whole part and the share of the best quantity by its
    // fraction.
    const drawn = 2 * randomAt(takes, key)
    const side = drawn < 1 ? 'BUY' : 'SELL'
    const price = bbo.price(bucket, side)
    const take = 0.1 + 0.9 * (drawn % 1)
    onTrade(atMs, side, price, Math.ceil(bbo.quantity(bucket, side, price) * take))
  }

  function minute(number: number, fromMs: number, toMs: number, onTrade: OnTrade): void {
    const count = tradesPerMinute - 1 + Math.floor(randomAt(counts, number) * 3)
    const slotMs = Math.floor(MINUTE_MS / count)
    for (let slot = 0; slot < count; slot++) {
      const key = number * KEYS_PER_MINUTE + slot
      const atMs = number * MINUTE_MS + Math.floor((slot + randomAt(moments, key)) * slotMs)
      if (atMs >= fromMs && atMs < toMs) trade(key, atMs, onTrade)
    }
  }

  return function tape(fromMs, toMs, onTrade) {
    const end = Math.ceil(toMs / MINUTE_MS)
    for (let number = Math.floor(fromMs / MINUTE_MS); number < end; number++) {
      minute(number, fromMs, toMs, onTrade)
    }
  }
}

type Side = Tick['side']

/** The best prices before the world began, by bucket number: prices in ticks, quantities in steps. */
type SeededBbo = {
  /** The best price for a taker of this side: the ask for BUY, the bid for SELL. */
  readonly price: (bucket: number, takerSide: Side) => number
  readonly quantity: (bucket: number, takerSide: Side, price: number) => number
}

const KEYS_PER_SIDE = 64

/** The share of the best level that a taker takes on average. */
export const MEAN_TAKE = 0.55

// Layers that make busy and quiet hours. Book depth and trade sizes grow and shrink together.
const ACTIVITY_LAYERS: readonly Layer[] = [
  { periodMs: 5_400_000, amplitude: 0.2 },
  { periodMs: 43_200_000, amplitude: 0.2 },
]

/** Creates a market's best prices on ticks around its mark price: the bid strictly below, the ask strictly above. */
export function createSeededBbo(
  market: Market,
  seed: number,
  path: PricePath,
  intensity: Intensity | null,
): SeededBbo {
  const { tier, unitUsdc } = market
  const gaps = randomStream(seed, 'gaps', market.symbol)
  const sizes = randomStream(seed, 'sizes', market.symbol)
  const activity = createNoise(randomStream(seed, 'activity', market.symbol), ACTIVITY_LAYERS)
  const tradesPerDay = tier.tradesPerMinute * 1440
  const usualSteps = market.dailyTurnoverUsdc / (tradesPerDay * MEAN_TAKE) / unitUsdc
  const stepsMax = Number(market.baseMax / market.baseTick)
  return {
    price: (bucket, side) => {
      const mark = path.mark(bucket)
      const random = randomAt(gaps, bucketKey(bucket, side))
      const distance = 1 + Math.floor(random * mark * tier.bboDistanceMax)
      return side === 'BUY' ? mark + distance : mark - distance
    },
    quantity: (bucket, side, price) => {
      const weight = 0.5 + randomAt(sizes, bucketKey(bucket, side))
      const atMs = bucket * BUCKET_MS
      const volume = intensity?.volume(atMs) ?? 1
      const steps = (usualSteps * weight * volume * (1 + activity(atMs))) / price
      return Math.min(stepsMax, Math.max(1, Math.round(steps)))
    },
  }
}

function bucketKey(bucket: number, side: Side): number {
  return (Math.imul(bucket, KEYS_PER_SIDE * 2) + (side === 'BUY' ? KEYS_PER_SIDE : 0)) | 0
}
