import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts'
import { draw, type Stream, stream } from '../base/rng.ts'
import type { Market } from '../listing/instruments.ts'

/** The length of a bucket, in which the seeded book, mark and index do not change. */
export const BUCKET_MS = 5000

/** A market's prices in whole ticks, by bucket number. */
export type PricePath = {
  readonly index: (bucket: number) => number
  readonly mark: (bucket: number) => number
}

/** The intensity of a market at a time before its world began, where it differs from its table. */
export type Intensity = {
  /** The moves of a minute as a multiple of the table's. */
  readonly moves: (atMs: number) => number
  /** The volume of a minute as a multiple of the table's. */
  readonly volume: (atMs: number) => number
}

const SHORTEST_PERIOD_MS = 25_000
const PERIOD_GROWTH = 6
const LAYERS = 8

// The perpetual trades a little above or below its index, which changes within hours.
const BASIS_LAYERS: readonly Layer[] = [
  { periodMs: 1_800_000, amplitude: 0.0002 },
  { periodMs: 21_600_000, amplitude: 0.0003 },
]

/**
 * The path of a market: layered noise over the logarithm of its reference price, from swings of seconds to a trend of
 * nearly three months. The layers' swings grow with the square root of time, as those of a random walk. Unlike a walk
 * the path stays within its range, so that any instant can be computed alone.
 */
export function createPricePath(
  market: Market,
  seed: number,
  intensity: Intensity | null = null,
): PricePath {
  const drift = createNoise(
    stream(seed, 'price', market.symbol),
    driftLayers(market),
    intensity?.moves ?? null,
  )
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

/** A smooth function of time that wanders between minus and plus the sum of its amplitudes. */
type Noise = (atMs: number) => number

/** One layer: random values `periodMs` apart, joined smoothly. */
export type Layer = { readonly periodMs: number; readonly amplitude: number }

/** Layers with a shorter period are multiplied by a market's intensity. */
const SCALED_PERIOD_MS = 7_200_000

type Octave = {
  readonly isScaled: boolean
  readonly source: Stream
  readonly cellsPerMs: number
  readonly amplitude: number
  readonly phase: number
  cell: number
  left: number
  right: number
}

const SLOW_PERIOD_MIN_MS = 900_000

/**
 * Sums layers of value noise. Any time can be computed alone; times in ascending order are fastest.
 *
 * Layers of a quarter of an hour and longer are read once per minute: they hardly move within it, and a day of trades
 * takes half the time. With an intensity, also read once per minute, layers below two hours are multiplied by it.
 */
export function createNoise(
  source: Stream,
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

function createOctave({ periodMs, amplitude }: Layer, source: Stream): Octave {
  // Phases keep layers from being flat at the same time: value noise is flat where its cells meet.
  const phase = draw(source, -1)
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

// The cell is remembered because neighbouring times share it.
function enter(octave: Octave, cell: number): void {
  octave.left = cell === octave.cell + 1 ? octave.right : edge(octave, cell)
  octave.right = edge(octave, cell + 1)
  octave.cell = cell
}

function edge({ source, amplitude }: Octave, cell: number): number {
  return (2 * draw(source, cell) - 1) * amplitude
}
