import { draw, type Stream, stream } from './chance.ts'

/** A source of chance with a memory of how much of it was used, so that it can be stored and go on. */
export type Rng = { readonly source: Stream; used: number }

export function rngOf(seed: number, ...names: readonly string[]): Rng {
  return { source: stream(seed, ...names), used: 0 }
}

/** The next draw, in [0, 1). */
export function next(rng: Rng): number {
  rng.used += 1
  return draw(rng.source, rng.used)
}

/** The next draw between two bounds. */
export function between(rng: Rng, low: number, high: number): number {
  return low + (high - low) * next(rng)
}

/** A draw of the normal distribution (Box and Muller, 1958). */
export function normal(rng: Rng): number {
  const radius = Math.sqrt(-2 * Math.log(1 - next(rng)))
  return radius * Math.cos(2 * Math.PI * next(rng))
}

/** Whole milliseconds until the next of some events that come at random with a mean distance. */
export function waitMs(rng: Rng, meanMs: number): number {
  return Math.max(1, Math.round(-meanMs * Math.log(1 - next(rng))))
}
