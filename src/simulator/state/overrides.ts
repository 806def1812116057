import type { SideSign } from './state.ts'

/** The operator's overrides of a market's price and makers, each until a time of the world; 0 is inactive. */
export type Overrides = {
  /** Added drift of the logarithm of the index per millisecond. */
  trend: number
  trendUntilMs: number
  /** The index does not move before this time. */
  frozenUntilMs: number
  /** The offset of makers' quotes from the index, as a share of it. */
  lean: number
  leanUntilMs: number
  /** The part of their usual size that makers quote. */
  depth: number
  depthUntilMs: number
  /** The side on which makers do not quote; 0 when they quote both. */
  bare: SideSign | 0
  bareUntilMs: number
  /** The factor by which shocks and trends have moved replayed prices. */
  scale: number
}

/** A market without overrides. */
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

/** Ends overrides whose time has come. */
export function expire(overrides: Overrides, atMs: number): void {
  if (overrides.trendUntilMs <= atMs) overrides.trend = 0
  if (overrides.leanUntilMs <= atMs) overrides.lean = 0
  if (overrides.depthUntilMs <= atMs) overrides.depth = 1
  if (overrides.bareUntilMs <= atMs) overrides.bare = 0
}
