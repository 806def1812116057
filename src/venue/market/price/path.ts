import { DAY_MS } from '../../../spec/durations.ts'
import type { Market } from '../instruments.ts'
import { stream } from './chance.ts'
import { createNoise, type Layer } from './noise.ts'

/** How long the seeded book, mark and index of a market stand still. */
export const BUCKET_MS = 5000

/** A market's prices in whole ticks, by bucket number. */
export type PricePath = {
  readonly index: (bucket: number) => number
  readonly mark: (bucket: number) => number
}

const SHORTEST_PERIOD_MS = 25_000
const PERIOD_GROWTH = 6
const LAYERS = 8

// The perpetual trades a little above or below its index, and changes its mind within hours.
const BASIS_LAYERS: readonly Layer[] = [
  { periodMs: 1_800_000, amplitude: 0.0002 },
  { periodMs: 21_600_000, amplitude: 0.0003 },
]

/**
 * The path of a market: layered noise over the logarithm of its reference price, from swings of seconds to a trend of
 * nearly three months. A random walk's swings grow with the square root of time, and so do the layers'; unlike a walk it never
 * leaves its range, so any instant can be computed without those before it.
 */
export function createPricePath(market: Market, seed: number): PricePath {
  const drift = createNoise(stream(seed, 'price', market.symbol), driftLayers(market))
  const basis = createNoise(stream(seed, 'basis', market.symbol), BASIS_LAYERS)
  const exact = (bucket: number) => market.referenceTicks * Math.exp(drift(bucket * BUCKET_MS))
  return {
    index: (bucket) => Math.round(exact(bucket)),
    mark: (bucket) => Math.round(exact(bucket) * (1 + basis(bucket * BUCKET_MS))),
  }
}

function driftLayers(market: Market): readonly Layer[] {
  return Array.from({ length: LAYERS }, (_, position) => {
    const periodMs = SHORTEST_PERIOD_MS * PERIOD_GROWTH ** position
    return { periodMs, amplitude: market.tier.dailyVolatility * Math.sqrt(periodMs / DAY_MS) }
  })
}
