import { RATE_ONE } from '../base/units.ts'
import type { EngineWorld, Scene } from '../state/world.ts'
import { setMark } from './set-mark.ts'

const BASIS_MINUTES = 15

/**
 * The mark price of a market: the median of three prices, limited to a band around the index:
 * - the index with the remaining funding of the period,
 * - the index plus the average basis of the last 15 minutes,
 * - the median of best bid, best ask and last trade.
 *
 * If a tape has mark prices, the recorded mark price is used. While a mirrored market's book is unknown, the mark price
 * stays unchanged.
 */
function currentMark(scene: Scene, nowMs: number): number {
  const { market, index, lastRate, nextFundingAtMs, recordedMark } = scene
  if (market.isAway) return market.mark
  if (recordedMark !== null) return Math.max(1, Math.round(recordedMark * scene.overrides.scale))
  const { spec, book, last } = market
  const remaining = Math.max(0, nextFundingAtMs - nowMs) / spec.fundingPeriodMs
  const funded = index * (1 + (lastRate / RATE_ONE) * remaining)
  const based = index + averageBasis(scene)
  const traded = median(book.bids.best?.price ?? index, book.asks.best?.price ?? index, last)
  const band = (index * spec.markDeviation) / RATE_ONE
  const mark = Math.max(index - band, Math.min(index + band, median(funded, based, traded)))
  return Math.max(1, Math.round(mark))
}

/** Requests a new mark price for a market. It is computed after the current event. */
export function requestMarkUpdate({ stale }: EngineWorld, scene: Scene): void {
  if (scene.isStale) return
  scene.isStale = true
  stale.push(scene)
}

/** Computes a market's mark price, and applies it to margins and liquidations. */
export function refreshMark({ exchange }: EngineWorld, scene: Scene, nowMs: number): void {
  scene.isStale = false
  setMark(exchange, scene.market, currentMark(scene, nowMs), nowMs)
}

/** Called once per minute. Records the difference between mid price and index. */
export function sampleBasis(scene: Scene): void {
  const { bids, asks } = scene.market.book
  const middle = bids.best && asks.best ? (bids.best.price + asks.best.price) / 2 : scene.index
  scene.basis.push(middle - scene.index)
  if (scene.basis.length > BASIS_MINUTES) scene.basis.shift()
}

function averageBasis({ basis }: Scene): number {
  let sum = 0
  for (const sample of basis) sum += sample
  return basis.length === 0 ? 0 : sum / basis.length
}

function median(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
}
