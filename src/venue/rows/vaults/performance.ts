import { ONE } from '../../engine/units.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../wire/row.ts'
import { amountOf, rateOf } from '../figures.ts'
import { type History, type Point, pointsOf } from './history.ts'
import { stakePoints } from './holdings.ts'
import { choiceOf, vaultOf, WINDOWS, type Window, walletOf, windowOf } from './lookup.ts'
import type { VaultParts } from './parts.ts'

const CHARTS = ['PNL', 'TVL'] as const

/** What vaults and stakes in them have won, by period and as charts. */
export function performanceRows(parts: VaultParts): readonly VenueRow[] {
  const { floor, histories } = parts
  const historyOf = ({ query, nowMs }: VenueCall) => histories(vaultOf(floor(), query), nowMs)
  const vault = (history: History) => (isHourly: boolean) => pointsOf(history, isHourly)
  const stake = (history: History, wallet: string) => (isHourly: boolean) =>
    stakePoints(history, wallet, isHourly)
  return [
    publicRead('/v1/public/strategy_vault/vault/performance', (call) =>
      figures(call.nowMs, vault(historyOf(call)), (span) => ({
        ...resultOf(span),
        ...turnoverOf(span),
      })),
    ),
    publicRead('/v1/public/strategy_vault/vault/performance_chart', (call) =>
      chart(call, vault(historyOf(call))),
    ),
    publicRead('/v1/public/strategy_vault/lp/performance', (call) =>
      figures(call.nowMs, stake(historyOf(call), walletOf(call.query)), resultOf),
    ),
    publicRead('/v1/public/strategy_vault/lp/performance_chart', (call) =>
      chart(call, stake(historyOf(call), walletOf(call.query))),
    ),
  ]
}

type Points = (isHourly: boolean) => readonly Point[]

/** What a figure has grown by from the beginning of a window to its end. */
type Span = { readonly base: Figures; readonly points: readonly Point[] }

type Figures = Pick<Point, 'pnl' | 'volume' | 'fees'>

function figures(nowMs: number, points: Points, figuresOf: (span: Span) => object) {
  const windows = Object.keys(WINDOWS) as Window[]
  return {
    rows: windows.map((window) => ({
      time_range: window,
      ...figuresOf(within(points, window, nowMs)),
    })),
  }
}

function chart({ query, nowMs }: VenueCall, pointsOf: Points) {
  const kind = choiceOf(query, 'type', CHARTS)
  const { base, points } = within(pointsOf, windowOf(query), nowMs)
  return {
    rows: points.map(({ atMs, value, pnl }) => ({
      timestamp: atMs,
      value: amountOf(kind === 'TVL' ? value : pnl - base.pnl),
    })),
  }
}

/** The moments of a window, from the last one before it; what began within it, or has no window, began with nothing. */
function within(pointsOf: Points, window: Window, nowMs: number): Span {
  const lengthMs = WINDOWS[window]
  const points = pointsOf(window === '24h' || window === '7d')
  const fromMs = lengthMs === null ? Number.NEGATIVE_INFINITY : nowMs - lengthMs
  const at = points.findLastIndex(({ atMs }) => atMs <= fromMs)
  return { base: points[at] ?? NOTHING, points: points.slice(Math.max(0, at)) }
}

const NOTHING: Figures = { pnl: 0, volume: 0, fees: 0 }

function resultOf(span: Span) {
  const { points } = span
  return {
    incremental_net_pnl: amountOf(grown(span, 'pnl')),
    max_drawdown: rateOf(fallOf(points.map(({ price }) => ({ level: price, base: price })))),
    pnl_max_drawdown: rateOf(fallOf(points.map(({ pnl, value }) => ({ level: pnl, base: value })))),
  }
}

function turnoverOf(span: Span) {
  return { fees: amountOf(grown(span, 'fees')), volume: amountOf(grown(span, 'volume')) }
}

function grown({ base, points }: Span, figure: keyof Figures): number {
  const last = points.at(-1)
  return last ? last[figure] - base[figure] : 0
}

type Height = { readonly level: number; readonly base: number }

/** The largest fall from a peak, as a share of what there was at that peak; eight decimals. */
function fallOf(heights: readonly Height[]): number {
  let [peak] = heights
  let fall = 0
  for (const height of heights) {
    if (!peak || height.level >= peak.level) peak = height
    else if (peak.base > 0) fall = Math.max(fall, (peak.level - height.level) / peak.base)
  }
  return Math.round(fall * ONE)
}
