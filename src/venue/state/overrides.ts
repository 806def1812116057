import type { Side } from './state.ts'

/** What an operator has laid upon a market's price and makers, each until a time of the world; a time of 0 is over. */
export type Overrides = {
  /** Logarithm of the index a millisecond, on top of its own way. */
  trend: number
  trendUntilMs: number
  /** Until then the index stands. */
  frozenUntilMs: number
  /** A share of the index by which makers quote beside it. */
  lean: number
  leanUntilMs: number
  /** The part of their usual sizes that makers quote. */
  depth: number
  depthUntilMs: number
  /** The side that makers do not quote; 0 for none. */
  bare: Side | 0
  bareUntilMs: number
  /** How far shocks and trends have taken replayed prices from their file. */
  scale: number
}

/** A market left to itself. */
export function noOverrides(): Overrides {
  return {
    trend: 0,
    trendUntilMs: 0,
    frozenUntilMs: 0,
    lean: 0,
    leanUntilMs: 0,
    depth: 1,
    depthUntilMs: 0,
    bare: 0,
    bareUntilMs: 0,
    scale: 1,
  }
}

/** Ends what was laid on until a time that has come. */
export function expire(overrides: Overrides, atMs: number): void {
  if (overrides.trendUntilMs <= atMs) overrides.trend = 0
  if (overrides.leanUntilMs <= atMs) overrides.lean = 0
  if (overrides.depthUntilMs <= atMs) overrides.depth = 1
  if (overrides.bareUntilMs <= atMs) overrides.bare = 0
}
