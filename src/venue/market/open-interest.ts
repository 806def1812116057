import { DAY_MS } from '../../spec/durations.ts'
import type { Market } from './instruments.ts'
import { stream } from './price/chance.ts'
import { createNoise, type Layer } from './price/noise.ts'
import { BUCKET_MS, type PricePath } from './price/path.ts'

/** Open contracts in the base asset, eight decimals: all of them, and the traders' share of each side. */
export type OpenInterest = {
  readonly total: bigint
  readonly tradersLong: bigint
  readonly tradersShort: bigint
}

/** Contracts are open for about this part of a day's turnover. */
const TURNOVER_SHARE = 0.6
/** What market makers hold of each side is not counted among the traders'. */
const TRADERS_SHARE = 0.7

const SIZE_LAYERS: readonly Layer[] = [
  { periodMs: 1_800_000, amplitude: 0.01 },
  { periodMs: DAY_MS, amplitude: 0.1 },
  { periodMs: 9 * DAY_MS, amplitude: 0.2 },
]
const SKEW_LAYERS: readonly Layer[] = [{ periodMs: DAY_MS, amplitude: 0.15 }]

/** The open interest of a market over time: it breathes around a part of the usual turnover. */
export function createOpenInterest(
  market: Market,
  seed: number,
  path: PricePath,
): (atMs: number) => OpenInterest {
  const size = createNoise(stream(seed, 'interest', market.symbol), SIZE_LAYERS)
  const skew = createNoise(stream(seed, 'skew', market.symbol), SKEW_LAYERS)
  return function openInterest(atMs) {
    const bucket = Math.floor(atMs / BUCKET_MS)
    const sampledAtMs = bucket * BUCKET_MS
    const notional = market.dailyTurnoverUsdc * TURNOVER_SHARE * (1 + size(sampledAtMs))
    const steps = notional / (path.mark(bucket) * market.unitUsdc)
    const quantity = (share: number) => BigInt(Math.round(steps * share)) * market.baseTick
    const lean = skew(sampledAtMs)
    return {
      total: quantity(1),
      tradersLong: quantity(TRADERS_SHARE + lean),
      tradersShort: quantity(TRADERS_SHARE - lean),
    }
  }
}
