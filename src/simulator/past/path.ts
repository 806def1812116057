import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts'
import { type RandomStream, randomAt, randomStream } from '../base/rng.ts'
import type { Market } from '../listing/instruments.ts'

/** Length of a bucket in ms. The seeded book, mark and index do not change within a bucket. */
export const BUCKET_MS = 5000

/** The prices of a market in whole ticks, by bucket number. */
export type PricePath = {
  readonly index: (bucket: number) => number
  readonly mark: (bucket: number) => number
}

/** How active a market was before its world began, relative to its usual activity. */
export type Intensity = {
  /** The price moves of a minute, as a multiple of the usual moves. */
  readonly moves: (atMs: number) => number
  /** The volume of a minute, as a multiple of the usual volume. */
  readonly volume: (atMs: number) => number
}

const SHORTEST_PERIOD_MS = 25_000
const PERIOD_GROWTH = 6
const LAYERS = 8

// The perpetual trades slightly above or below its index. The difference changes within hours.
const BASIS_LAYERS: readonly Layer[] = [
  { periodMs: 1_800_000, amplitude: 0.0002 },
  { periodMs: 21_600_000, amplitude: 0.0003 },
]

/**
 * The price path of a market: layers of noise on the logarithm of its reference price, from swings of seconds to a
 * trend of almost three months. The size of a layer grows with the square root of its period, as in a random walk.
 * Unlike a random walk, the path stays within a range, and the price at any time can be computed directly.
 */
export function createPricePath(
  market: Market,
  seed: number,
  intensity: Intensity | null,
): PricePath {
  const drift = createNoise(
    randomStream(seed, 'price', market.symbol),
    driftLayers(market),
    intensity?.moves ?? null,
  )
  const basis = createNoise(randomStream(seed, 'basis', market.symbol), BASIS_LAYERS)
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

/** A smooth function of time whose absolute value is at most the sum of its layers' amplitudes. */
type Noise = (atMs: number) => number

/** One layer of noise: random values at intervals of `periodMs`, joined smoothly. */
export type Layer = { readonly periodMs: number; readonly amplitude: number }

/** Layers with a shorter period are multiplied by the market's intensity. */
const SCALED_PERIOD_MS = 7_200_000

type Octave = {
  readonly isScaled: boolean
  readonly source: RandomStream
  readonly cellsPerMs: number
  readonly amplitude: number
  readonly phase: number
  cell: number
  left: number
  right: number
}

const SLOW_PERIOD_MIN_MS = 900_000

/**
 * Sums layers of value noise. The value at any time can be computed directly; ascending times are fastest. Layers with
 * a period of a quarter of an hour or longer are computed once per minute, because they hardly change within a minute.
 * This halves the time for a day of trades. An intensity is also read once per minute, and multiplies layers below two
 * hours.
 */
export function createNoise(
  source: RandomStream,
  layers: readonly Layer[],
  intensity: Intensity['moves'] | null = null,
): Noise {
  const slow: Octave[] = []
  const quick: Octave[] = []
  for (const [position, layer] of layers.entries()) {
    const octaves = layer.periodMs < SLOW_PERIOD_MIN_MS ? quick : slow
    octaves.push(createOctave(layer, (source + position * 7919) | 0))
  }
  let minute = Number.NaN
  let slowSum = 0
  let scale = 1
  return function noise(atMs) {
    const current = Math.floor(atMs / MINUTE_MS)
    if (current !== minute) {
      minute = current
      scale = intensity?.(current * MINUTE_MS) ?? 1
      slowSum = sumAt(slow, current * MINUTE_MS, scale)
    }
    return slowSum + sumAt(quick, atMs, scale)
  }
}

function createOctave({ periodMs, amplitude }: Layer, source: RandomStream): Octave {
  // Value noise is flat where its cells meet. Different phases keep the layers from being flat at the same time.
  const phase = randomAt(source, -1)
  return {
    isScaled: periodMs < SCALED_PERIOD_MS,
    source,
    cellsPerMs: 1 / periodMs,
    amplitude,
    phase,
    cell: Number.NEGATIVE_INFINITY,
    left: 0,
    right: 0,
  }
}

function sumAt(octaves: readonly Octave[], atMs: number, scale: number): number {
  let sum = 0
  for (let position = 0; position < octaves.length; position++) {
    const octave = octaves[position]
    if (octave !== undefined) sum += valueAt(octave, atMs) * (octave.isScaled ? scale : 1)
  }
  return sum
}

function valueAt(octave: Octave, atMs: number): number {
  const position = atMs * octave.cellsPerMs + octave.phase
  const cell = Math.floor(position)
  if (cell !== octave.cell) enter(octave, cell)
  const along = position - cell
  return octave.left + (octave.right - octave.left) * along * along * (3 - 2 * along)
}

// Neighbouring times are in the same cell, so the cell's values are kept.
function enter(octave: Octave, cell: number): void {
  octave.left = cell === octave.cell + 1 ? octave.right : edge(octave, cell)
  octave.right = edge(octave, cell + 1)
  octave.cell = cell
}

function edge({ source, amplitude }: Octave, cell: number): number {
  return (2 * randomAt(source, cell) - 1) * amplitude
}
