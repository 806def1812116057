import { MINUTE_MS } from '../../../spec/durations.ts'
import { draw, type Stream } from './chance.ts'

/** A smooth function of time that wanders between minus and plus the sum of its amplitudes. */
export type Noise = (atMs: number) => number

/** One layer: random values `periodMs` apart, joined smoothly. */
export type Layer = { readonly periodMs: number; readonly amplitude: number }

type Octave = {
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
 * Sums layers of value noise. Any time can be asked for at once; times in order are the quickest. Layers of a
 * quarter of an hour and longer are read once a minute: they hardly move in it, and a day of trades takes half the time.
 */
export function createNoise(source: Stream, layers: readonly Layer[]): Noise {
  const slow: Octave[] = []
  const quick: Octave[] = []
  for (const [position, layer] of layers.entries()) {
    const octaves = layer.periodMs < SLOW_PERIOD_MIN_MS ? quick : slow
    octaves.push(octaveOf(layer, (source + position * 7919) | 0))
  }
  let minute = Number.NaN
  let slowSum = 0
  return function noise(atMs) {
    const current = Math.floor(atMs / MINUTE_MS)
    if (current !== minute) {
      minute = current
      slowSum = sumAt(slow, current * MINUTE_MS)
    }
    return slowSum + sumAt(quick, atMs)
  }
}

function octaveOf({ periodMs, amplitude }: Layer, source: Stream): Octave {
  // Without a phase all layers would stand still at the same instants: value noise is flat where its cells meet.
  const phase = draw(source, -1)
  return {
    source,
    cellsPerMs: 1 / periodMs,
    amplitude,
    phase,
    cell: Number.NEGATIVE_INFINITY,
    left: 0,
    right: 0,
  }
}

function sumAt(octaves: readonly Octave[], atMs: number): number {
  let sum = 0
  for (let position = 0; position < octaves.length; position++) {
    const octave = octaves[position]
    if (octave !== undefined) sum += valueAt(octave, atMs)
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
