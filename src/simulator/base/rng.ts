import { cosTurns, log } from './mathematics.ts'

/** A source of deterministic random numbers. The same seed and names always give the same numbers. */
export type RandomStream = number

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193
/** The odd number nearest to 2^32 ÷ golden ratio, which sends neighbouring positions far apart. */
const GOLDEN = 0x9e3779b1
const TWO_TO_THE_32 = 4_294_967_296

/** The stream for a seed and a path of names, such as `stream(7, 'tape', 'PERP_BTC_USDC')`. */
export function randomStream(seed: number, ...names: readonly string[]): RandomStream {
  let hash = FNV_OFFSET
  const path = [seed, ...names].join('/')
  for (let at = 0; at < path.length; at++) hash = Math.imul(hash ^ path.charCodeAt(at), FNV_PRIME)
  return mix(hash)
}

/** The random number of a stream at an integer position, in [0, 1). Positions are taken modulo 2^32. */
export function randomAt(source: RandomStream, position: number): number {
  return (mix((Math.imul(position, GOLDEN) + source) | 0) >>> 0) / TWO_TO_THE_32
}

/** A wave between -1 and 1: linear between random heights at whole positions. */
export function waveAt(source: RandomStream, position: number): number {
  const from = Math.floor(position)
  const heightAt = (at: number) => 2 * randomAt(source, at) - 1
  return heightAt(from) + (heightAt(from + 1) - heightAt(from)) * (position - from)
}

// A hash of two multiplications and three shifts, with one of the lowest known biases:
// github.com/skeeto/hash-prospector.
function mix(value: number): number {
  let bits = value ^ (value >>> 16)
  bits = Math.imul(bits, 0x21f0aaad)
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97)
  return bits ^ (bits >>> 15)
}

/** A stream with the number of draws used so far, so that it can be stored and continued. */
export type Rng = { readonly source: RandomStream; used: number }

export function createRng(seed: number, ...names: readonly string[]): Rng {
  return { source: randomStream(seed, ...names), used: 0 }
}

/** The next random number, in [0, 1). */
export function nextRandom(rng: Rng): number {
  rng.used += 1
  return randomAt(rng.source, rng.used)
}

/** The next random number between two bounds. */
export function randomBetween(rng: Rng, low: number, high: number): number {
  return low + (high - low) * nextRandom(rng)
}

/** The next random number of a standard normal distribution. */
export function normal(rng: Rng): number {
  return toNormal(nextRandom(rng), nextRandom(rng))
}

/** A normally distributed number from two uniformly distributed numbers in [0, 1) (Box and Muller, 1958). */
export function toNormal(radius: number, turns: number): number {
  return Math.sqrt(-2 * log(1 - radius)) * cosTurns(turns)
}

/** Milliseconds until the next random event, given the mean interval; at least 1. */
export function waitMs(rng: Rng, meanMs: number): number {
  return Math.max(1, Math.round(-meanMs * log(1 - nextRandom(rng))))
}
