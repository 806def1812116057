import { draw, type Stream, stream } from '../market/price/chance.ts'

/** A source of chance with a memory of how much of it was used, so that it can be stored and go on. */
export type Chance = { readonly source: Stream; used: number }

export function chanceOf(seed: number, ...names: readonly string[]): Chance {
  return { source: stream(seed, ...names), used: 0 }
}

/** The next draw, in [0, 1). */
export function next(chance: Chance): number {
  chance.used += 1
  return draw(chance.source, chance.used)
}

/** The next draw between two bounds. */
export function between(chance: Chance, low: number, high: number): number {
  return low + (high - low) * next(chance)
}

/** A draw of the normal distribution (Box and Muller, 1958). */
export function normal(chance: Chance): number {
  const radius = Math.sqrt(-2 * Math.log(1 - next(chance)))
  return radius * Math.cos(2 * Math.PI * next(chance))
}

/** Whole milliseconds until the next of some events that come at random with a mean distance. */
export function waitMs(chance: Chance, meanMs: number): number {
  return Math.max(1, Math.round(-meanMs * Math.log(1 - next(chance))))
}
