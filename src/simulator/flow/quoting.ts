import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../contract/durations.ts'
import { exp, power } from '../base/mathematics.ts'
import { createRng } from '../base/rng.ts'
import type { FlowProfile, MakerState, MarketFlow, Quoting } from '../state/flow.ts'
import {
  MEMORY_SPANS,
  orderImpact,
  PUBLIC_PREDICTION,
  predicted,
  RECENT_MS,
  recentRate,
  surpriseGain,
  updateImpactAverages,
} from './arrivals.ts'
import { relaxationStep } from './value.ts'

/** How one maker quotes. Distances are in half widths, quantities in units. */
export type Style = {
  readonly levels: number
  readonly first: number
  readonly step: number
  readonly size: number
  /** How far a quote may be from its target price before it is moved. */
  readonly tolerance: number
  /** The position beyond which the maker does not add to it. */
  readonly limit: number
  readonly stake: number
  /** Maximum number of looks at the reference prices between two checks of the maker's quotes. */
  readonly everyLooks: number
  /** Whether the maker quotes closer on the side that reduces its position. */
  readonly sheds: boolean
}

// biome-ignore format: one maker a row
export const MAKERS: readonly Style[] = [
  { levels: 1, first: 1, step: 0, size: 1, tolerance: 0.75, limit: 40, stake: 60, everyLooks: 1, sheds: false },
  { levels: 2, first: 1.4, step: 2.6, size: 1.2, tolerance: 1.3, limit: 50, stake: 70, everyLooks: 1, sheds: true },
  { levels: 4, first: 5, step: 4, size: 2, tolerance: 3, limit: 80, stake: 80, everyLooks: 5, sheds: true },
  { levels: 5, first: 20, step: 14, size: 4, tolerance: 10, limit: 200, stake: 120, everyLooks: 20, sheds: true },
]

const NOISE_WIDTHS = 0.15
const NOISE_MS = 20 * SECOND_MS
const WIDTHS = [0.6, 2.5] as const
const FILL_MS = 10 * SECOND_MS
const FILL_BUCKETS = 4
/** A maker's edge is averaged over eight hours. */
const EDGE_MS = 480 * MINUTE_MS
/** The usual size of an order, in units. */
const MEAN_SIZE = 0.16
/** Number of orders over which makers average the size. */
const MEAN_SIZE_ORDERS = 3000

type Opening = { readonly ticksLog: number; readonly atMs: number; readonly lookMs: number }

/** The makers' estimates when a world begins: the value, and the usual volatility and order rate. */
export function openQuoting(
  seed: number,
  name: string,
  profile: FlowProfile,
  { ticksLog, atMs, lookMs }: Opening,
): Quoting {
  const variance = (profile.dailyVolatility ** 2 * lookMs) / DAY_MS
  return {
    rng: createRng(seed, 'flow/makers', name),
    estimate: ticksLog,
    lastEstimate: ticksLog,
    quick: variance,
    slow: variance,
    averages: MEMORY_SPANS.map(() => 0),
    recent: (profile.rate * RECENT_MS) / SECOND_MS,
    seenAtMs: atMs,
    meanSize: MEAN_SIZE,
    grown: 1,
    changedAtMs: atMs,
    makers: MAKERS.map(() => ({
      noise: 0,
      width: 1,
      isHit: false,
      anchor: ticksLog,
      fills: [{ units: 0, cost: 0, volume: 0 }],
      gain: 0,
      volume: 0,
    })),
  }
}

/** The unit of makers' distances: the measured standard deviation of the value's move between two looks. */
export function halfWidth({ quick, slow }: Quoting): number {
  return Math.sqrt((quick + slow) / 2)
}

/** Updates the makers' estimates after a part of an order has filled. Makers do not know whose order it is. */
export function learnFromFill(
  { quoting, lookMs }: Pick<MarketFlow, 'quoting' | 'lookMs'>,
  order: { side: number; from: number; to: number },
  atMs: number,
): void {
  const { side, from, to } = order
  quoting.recent *= exp((quoting.seenAtMs - atMs) / RECENT_MS)
  quoting.seenAtMs = atMs
  const lambda = surpriseGain(
    halfWidth(quoting) * Math.sqrt(SECOND_MS / lookMs),
    Math.max(0.05, recentRate(quoting.recent)),
    PUBLIC_PREDICTION.variance,
  )
  const isNew = from === 0
  const after = weighted(side, to)
  const expected = isNew
    ? predicted(quoting.averages, PUBLIC_PREDICTION, 0) * Math.min(1, to / SMALL)
    : 0
  quoting.estimate += lambda * (after - weighted(side, from) - expected)
  if (!isNew) return
  quoting.recent += 1
  updateImpactAverages(quoting.averages, after)
  quoting.meanSize += (to - quoting.meanSize) / MEAN_SIZE_ORDERS
}

/** Below this size in units, an order changes the estimate less. */
const SMALL = 0.02

function weighted(side: number, size: number): number {
  return size <= 0 ? 0 : orderImpact(side, size) * Math.min(1, size / SMALL)
}

/** Sets the makers' estimate from the reference prices, and updates their measured volatility. */
export function observeReferences(
  { quoting, lookMs }: Pick<MarketFlow, 'quoting' | 'lookMs'>,
  referenceLog: number,
  atMs: number,
): void {
  quoting.estimate = referenceLog
  const move = quoting.estimate - quoting.lastEstimate
  quoting.lastEstimate = quoting.estimate
  const square = Math.min(move * move, 25 * Math.min(quoting.quick, quoting.slow))
  quoting.quick += ((square - quoting.quick) * lookMs) / MINUTE_MS
  quoting.slow += ((square - quoting.slow) * lookMs) / (15 * MINUTE_MS)
  for (let rank = 0; rank < quoting.makers.length; rank += 1) {
    const maker = quoting.makers[rank]
    const style = MAKERS[rank]
    if (!maker || !style || atMs % (style.everyLooks * lookMs) !== 0) continue
    const share = Math.min(1, (style.everyLooks * lookMs) / NOISE_MS)
    maker.noise = relaxationStep(quoting.rng, maker.noise, share, NOISE_WIDTHS ** 2)
  }
}

/**
 * Sets the makers' estimate from the reference prices after a coarse step. The current volatility of the value replaces
 * the measured volatility.
 */
export function observeAfterCoarseStep(
  { quoting, lookMs }: Pick<MarketFlow, 'quoting' | 'lookMs'>,
  referenceLog: number,
  sigma: number,
): void {
  quoting.estimate = referenceLog
  quoting.lastEstimate = referenceLog
  quoting.quick = (sigma * sigma * lookMs) / SECOND_MS
  quoting.slow = quoting.quick
}

/** Records a fill of a maker. Its gain is computed half a minute later. */
export function noteFill(maker: MakerState, units: number, log: number): void {
  maker.isHit = true
  const last = maker.fills.at(-1)
  if (!last) return
  last.units += units
  last.cost += units * log
  last.volume += Math.abs(units)
}

/** Called every ten seconds. Books the gain of fills from half a minute ago, and adapts quote sizes to order sizes. */
export function closeFills(quoting: Quoting): void {
  const width = halfWidth(quoting)
  quoting.grown = Math.max(0.5, Math.min(4, power(quoting.meanSize / MEAN_SIZE, 0.7)))
  for (const maker of quoting.makers) {
    maker.fills.push({ units: 0, cost: 0, volume: 0 })
    if (maker.fills.length <= FILL_BUCKETS) continue
    const known = maker.fills.shift()
    if (!known) continue
    const kept = 1 - FILL_MS / EDGE_MS
    maker.gain = maker.gain * kept + (known.units * quoting.estimate - known.cost) / width
    maker.volume = maker.volume * kept + known.volume
  }
}

/** Called every ten minutes. Makers with a high gain quote closer, makers with a low gain or a loss quote wider. */
export function adaptWidths(quoting: Quoting): void {
  for (const [rank, maker] of quoting.makers.entries()) {
    const edge = maker.volume === 0 ? 0 : maker.gain / maker.volume
    const missing = 0.1 * (MAKERS[rank]?.first ?? 1) - edge
    const width = maker.width * exp(0.02 * Math.min(1, Math.max(-1, 3 * missing)))
    maker.width = Math.max(WIDTHS[0], Math.min(WIDTHS[1], width))
  }
}

/** Whether a maker should check its quotes: after a fill, after a move of the estimate, or after `everyLooks` looks. */
export function isLookDue(
  { quoting, lookMs }: Pick<MarketFlow, 'quoting' | 'lookMs'>,
  rank: number,
  atMs: number,
): boolean {
  const style = MAKERS[rank]
  const maker = quoting.makers[rank]
  if (!style || !maker) return false
  if (maker.isHit || atMs % (style.everyLooks * lookMs) === 0) return true
  const gone = Math.abs(quoting.estimate - maker.anchor)
  return gone > (style.tolerance / 2) * halfWidth(quoting) * maker.width
}
