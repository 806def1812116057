import { DAY_MS, HOUR_MS } from '../../../spec/durations.ts'
import { ONE } from '../../base/units.ts'
import { choiceOf } from '../../messages/page.ts'
import type { VenueCall, VenueRow } from '../../messages/row.ts'
import { amountOf, rateOf } from '../../messages/values.ts'
import { type Book, pnlOf, type Sample, samplesOf } from '../../vaults/book.ts'
import { stakeOf } from '../../vaults/stakes.ts'
import { oneVaultReads, type VaultParts, walletOf } from './query.ts'

const CHARTS = ['PNL', 'TVL'] as const

/** How far back a chart or a figure reaches, and its resolution; null is since the vault began. */
const WINDOWS = {
  '24h': { lengthMs: DAY_MS, stepMs: HOUR_MS },
  '7d': { lengthMs: 7 * DAY_MS, stepMs: HOUR_MS },
  '30d': { lengthMs: 30 * DAY_MS, stepMs: DAY_MS },
  all_time: { lengthMs: null, stepMs: DAY_MS },
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

/** The results of vaults and of stakes in them, by period and as charts. */
export function performanceRows(parts: VaultParts): readonly VenueRow[] {
  const stake = (book: Book, { query }: VenueCall) => stakePoints(book, walletOf(query))
  return oneVaultReads(parts, {
    'vault/performance': (book) => ({
      rows: WINDOW_NAMES.map((name) => {
        const span = within(book, name, vaultPoint)
        const volume = grown(span, 'volume')
        const fees = amountOf(Math.floor(volume * book.vault.terms.feeOfTurnover))
        return { ...resultOf(name, span), fees, volume: amountOf(volume) }
      }),
    }),
    'vault/performance_chart': (book, call) => chart(book, call, vaultPoint),
    'lp/performance': (book, call) => ({
      rows: WINDOW_NAMES.map((name) => resultOf(name, within(book, name, stake(book, call)))),
    }),
    'lp/performance_chart': (book, call) => chart(book, call, stake(book, call)),
  })
}

type PointOf = (sample: Sample) => Point | null

function vaultPoint(sample: Sample): Point {
  return { ...sample, value: sample.nav + sample.idle, pnl: pnlOf(sample) }
}

/** The points of a stake, from its first executed deposit on. */
function stakePoints(book: Book, wallet: string): PointOf {
  return (sample) => {
    const stake = stakeOf(book, { role: 'lp', wallet }, sample)
    if (stake.paidIn === 0) return null
    return { ...sample, volume: 0, value: stake.nav + stake.idle, pnl: pnlOf(stake) }
  }
}

/** A window that reaches back to the beginning, and a stake that began in it, begin with nothing. */
function within(book: Book, name: Window, pointOf: PointOf): Span {
  const { lengthMs, stepMs } = WINDOWS[name]
  const fromMs = lengthMs === null ? 0 : book.nowMs - lengthMs
  const points = samplesOf(book, stepMs, fromMs).flatMap((sample) => pointOf(sample) ?? [])
  const [first] = points
  return { base: first && first.atMs <= fromMs ? first : { pnl: 0, volume: 0 }, points }
}

function chart(book: Book, { query }: VenueCall, pointOf: PointOf) {
  const kind = choiceOf(query, 'type', CHARTS)
  const { base, points } = within(book, choiceOf(query, 'time_range', WINDOW_NAMES), pointOf)
  return {
    rows: points.map(({ atMs, value, pnl }) => ({
      timestamp: atMs,
      value: amountOf(kind === 'TVL' ? value : pnl - base.pnl),
    })),
  }
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
