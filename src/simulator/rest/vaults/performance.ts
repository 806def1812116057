import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts'
import { RATE_ONE } from '../../base/units.ts'
import { queryChoice } from '../../messages/page.ts'
import type { VenueCall } from '../../messages/row.ts'
import { wireRate, wireUsdc } from '../../messages/values.ts'
import {
  type Owner,
  ownerStake,
  stakePnl,
  type VaultBook,
  type VaultSample,
  vaultSamples,
} from '../../vaults/book.ts'

/** How far back each window reaches, and its resolution. */
const WINDOWS = {
  '24h': { lengthMs: DAY_MS, stepMs: HOUR_MS },
  '7d': { lengthMs: 7 * DAY_MS, stepMs: HOUR_MS },
  '30d': { lengthMs: 30 * DAY_MS, stepMs: DAY_MS },
  all_time: { lengthMs: Number.POSITIVE_INFINITY, stepMs: DAY_MS },
} as const

type Window = keyof typeof WINDOWS
const WINDOW_NAMES = Object.keys(WINDOWS) as Window[]

/** The state of a vault, or of a stake in it, at one time. */
type Point = Pick<VaultSample, 'atMs' | 'main' | 'volume'> & {
  readonly value: number
  readonly pnl: number
}

/**
 * The points of a vault or stake in a window, starting with the last point before the window. `base` has the figures at
 * the window's start.
 */
type Span = { readonly base: Pick<Point, 'pnl' | 'volume'>; readonly points: readonly Point[] }

/** The results of a vault per window. */
export function vaultPerformance(book: VaultBook) {
  const { feeOfTurnover } = book.vault.terms
  const rows = WINDOW_NAMES.map((name) => {
    const span = within(book, name, null)
    const volume = grown(span, 'volume')
    const fees = wireUsdc(Math.floor(volume * feeOfTurnover))
    return { ...windowResult(name, span), fees, volume: wireUsdc(volume) }
  })
  return { rows }
}

/** The results of a stake per window. */
export function stakePerformance(book: VaultBook, owner: Owner) {
  return { rows: WINDOW_NAMES.map((name) => windowResult(name, within(book, name, owner))) }
}

/**
 * The value or the profit of a vault, or of a stake in it, over a window. Throws -1005 for an unknown figure or window.
 */
export function chart(book: VaultBook, owner: Owner | null, { query }: VenueCall) {
  const kind = queryChoice(query, 'type', ['PNL', 'TVL'])
  const { base, points } = within(book, queryChoice(query, 'time_range', WINDOW_NAMES), owner)
  return {
    rows: points.map(({ atMs, value, pnl }) => ({
      timestamp: atMs,
      value: wireUsdc(kind === 'TVL' ? value : pnl - base.pnl),
    })),
  }
}

/**
 * The points of a vault or stake within a window. Figures start from 0 if the window reaches back to the beginning, or
 * if the stake began within it.
 */
function within(book: VaultBook, name: Window, owner: Owner | null): Span {
  const { lengthMs, stepMs } = WINDOWS[name]
  const fromMs = Math.max(0, book.nowMs - lengthMs)
  const points = vaultSamples(book, stepMs, fromMs).flatMap((sample) => {
    const of = owner ? ownerStake(book, owner, sample) : sample
    // A stake begins when its first deposit is executed.
    if (owner && of.paidIn === 0) return []
    return { ...sample, value: of.nav + of.idle, pnl: stakePnl(of) }
  })
  const [first] = points
  return { base: first && first.atMs <= fromMs ? first : { pnl: 0, volume: 0 }, points }
}

function windowResult(name: Window, span: Span) {
  const { points } = span
  return {
    time_range: name,
    incremental_net_pnl: wireUsdc(grown(span, 'pnl')),
    max_drawdown: wireRate(largestFall(points.map(({ main }) => ({ level: main, base: main })))),
    pnl_max_drawdown: wireRate(
      largestFall(points.map(({ pnl, value }) => ({ level: pnl, base: value }))),
    ),
  }
}

function grown({ base, points }: Span, figure: 'pnl' | 'volume'): number {
  const last = points.at(-1)
  return last ? last[figure] - base[figure] : 0
}

type Height = { readonly level: number; readonly base: number }

/** The largest fall from a peak as a share of the peak's `base`, with eight decimals. */
function largestFall(heights: readonly Height[]): number {
  let [peak] = heights
  let fall = 0
  for (const height of heights) {
    if (!peak || height.level >= peak.level) peak = height
    else if (peak.base > 0) fall = Math.max(fall, (peak.level - height.level) / peak.base)
  }
  return Math.round(fall * RATE_ONE)
}
