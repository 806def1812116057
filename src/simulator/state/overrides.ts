import type { SideSign } from './state.ts'

/** The operator's overrides of a market's price and makers. Each lasts until a time of the world; 0 means inactive. */
export type Overrides = {
  /** Drift per ms that is added to the logarithm of the index. */
  trend: number
  trendUntilMs: number
  /** Until this time the index does not move. */
  frozenUntilMs: number
  /** Offset of the makers' quotes from the index, as a share of the index. */
  lean: number
  leanUntilMs: number
  /** The size that makers quote, as a share of their usual size. */
  depth: number
  depthUntilMs: number
  /** The side on which makers do not quote; 0 if they quote both. */
  bare: SideSign | 0
  bareUntilMs: number
  /** The factor by which shocks and trends have moved recorded prices. */
  scale: number
}

/** The overrides of a market for which the operator has set no override. */
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

/** Ends the overrides whose time has come. */
export function expire(overrides: Overrides, atMs: number): void {
  if (overrides.trendUntilMs <= atMs) overrides.trend = 0
  if (overrides.leanUntilMs <= atMs) overrides.lean = 0
  if (overrides.depthUntilMs <= atMs) overrides.depth = 1
  if (overrides.bareUntilMs <= atMs) overrides.bare = 0
}
