import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts'
import { ONE } from '../../base/units.ts'
import { choiceOf } from '../../messages/page.ts'
import type { VenueCall } from '../../messages/row.ts'
import { amountOf, rateOf } from '../../messages/values.ts'
import { type Book, type Owner, pnlOf, type Sample, samplesOf, stakeOf } from '../../vaults/book.ts'

/** How far back a chart or a figure reaches, and its resolution. */
const WINDOWS = {
  '24h': { lengthMs: DAY_MS, stepMs: HOUR_MS },
  '7d': { lengthMs: 7 * DAY_MS, stepMs: HOUR_MS },
  '30d': { lengthMs: 30 * DAY_MS, stepMs: DAY_MS },
  all_time: { lengthMs: Number.POSITIVE_INFINITY, stepMs: DAY_MS },
} as const

type Window = keyof typeof WINDOWS
const WINDOW_NAMES = Object.keys(WINDOWS) as Window[]

/** One moment of a vault, or of a stake in it. */
type Point = Pick<Sample, 'atMs' | 'main' | 'volume'> & {
  readonly value: number
  readonly pnl: number
}

/** The moments of a vault or stake in a window, from the last one before it; and where its figures began. */
type Span = { readonly base: Pick<Point, 'pnl' | 'volume'>; readonly points: readonly Point[] }

/** The results of a vault by window. */
export function vaultPerformance(book: Book) {
  const { feeOfTurnover } = book.vault.terms
  const rows = WINDOW_NAMES.map((name) => {
    const span = within(book, name, null)
    const volume = grown(span, 'volume')
    const fees = amountOf(Math.floor(volume * feeOfTurnover))
    return { ...resultOf(name, span), fees, volume: amountOf(volume) }
  })
  return { rows }
}

/** The results of a stake by window. */
export function stakePerformance(book: Book, owner: Owner) {
  return { rows: WINDOW_NAMES.map((name) => resultOf(name, within(book, name, owner))) }
}

/** The value of a vault, or of a stake in it, or its profit in a window. Throws -1005. */
export function chart(book: Book, owner: Owner | null, { query }: VenueCall) {
  const kind = choiceOf(query, 'type', ['PNL', 'TVL'])
  const { base, points } = within(book, choiceOf(query, 'time_range', WINDOW_NAMES), owner)
  return {
    rows: points.map(({ atMs, value, pnl }) => ({
      timestamp: atMs,
      value: amountOf(kind === 'TVL' ? value : pnl - base.pnl),
    })),
  }
}

/**
 * The moments of a vault or a stake in a window. A window that reaches back to the beginning, and a stake that began
 * in it, start from zero.
 */
function within(book: Book, name: Window, owner: Owner | null): Span {
  const { lengthMs, stepMs } = WINDOWS[name]
  const fromMs = Math.max(0, book.nowMs - lengthMs)
  const points = samplesOf(book, stepMs, fromMs).flatMap((sample) => {
    const of = owner ? stakeOf(book, owner, sample) : sample
    // A stake begins with its first executed deposit.
    if (owner && of.paidIn === 0) return []
    return { ...sample, value: of.nav + of.idle, pnl: pnlOf(of) }
  })
  const [first] = points
  return { base: first && first.atMs <= fromMs ? first : { pnl: 0, volume: 0 }, points }
}

function resultOf(name: Window, span: Span) {
  const { points } = span
  return {
    time_range: name,
    incremental_net_pnl: amountOf(grown(span, 'pnl')),
    max_drawdown: rateOf(fallOf(points.map(({ main }) => ({ level: main, base: main })))),
    pnl_max_drawdown: rateOf(fallOf(points.map(({ pnl, value }) => ({ level: pnl, base: value })))),
  }
}

function grown({ base, points }: Span, figure: 'pnl' | 'volume'): number {
  const last = points.at(-1)
  return last ? last[figure] - base[figure] : 0
}

type Height = { readonly level: number; readonly base: number }

/** The largest fall from a peak, as a share of the base at that peak; eight decimals. */
function fallOf(heights: readonly Height[]): number {
  let [peak] = heights
  let fall = 0
  for (const height of heights) {
    if (!peak || height.level >= peak.level) peak = height
    else if (peak.base > 0) fall = Math.max(fall, (peak.level - height.level) / peak.base)
  }
  return Math.round(fall * ONE)
}
