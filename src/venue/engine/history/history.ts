import { DAY_MS, MINUTE_MS } from '../../../spec/durations.ts'
import { type Bar, emptyBar, foldTrade, mergeBar } from '../../market/price/bar.ts'
import { spanStart } from '../../market/price/spans.ts'
import type { Match } from '../observer.ts'
import type { Side } from '../state.ts'

/** One trade as the public sees it: the taker's side, ticks and steps. */
export type Trade = {
  readonly id: number
  readonly atMs: number
  readonly side: Side
  readonly price: number
  readonly quantity: number
}

/** A market's trades since genesis, as candles of a minute for a day and of half an hour for two months. */
export type MarketHistory = {
  /** Oldest first. */
  readonly trades: Trade[]
  readonly minutes: Map<number, Bar>
  readonly blocks: Map<number, Bar>
  /** The bars that the last trade went into. */
  minute: Bar | null
  minuteStartMs: number
  block: Bar | null
  blockStartMs: number
}

/** At least so many of a market's latest trades are kept, when there were so many. */
export const TRADES_KEPT_MAX = 500
const BLOCK_MS = 30 * MINUTE_MS
const MINUTES_KEPT_MS = DAY_MS + 2 * BLOCK_MS
const BLOCKS_KEPT_MS = 61 * DAY_MS

export function createHistory(): MarketHistory {
  return {
    trades: [],
    minutes: new Map(),
    blocks: new Map(),
    minute: null,
    minuteStartMs: -1,
    block: null,
    blockStartMs: -1,
  }
}

/** Adds a match to tape and candles. */
export function recordMatch(history: MarketHistory, match: Match): void {
  const { id, atMs, price, quantity } = match
  const { side } = match.taker
  if (history.trades.length >= 2 * TRADES_KEPT_MAX) history.trades.splice(0, TRADES_KEPT_MAX)
  history.trades.push({ id, atMs, side, price, quantity })
  enter(history, atMs)
  if (history.minute) foldTrade(history.minute, atMs, price, quantity)
  if (history.block) foldTrade(history.block, atMs, price, quantity)
}

/** The trades with fromMs <= atMs < toMs as one bar: to the minute, or to the half hour beyond a day ago. */
export function barBetween(history: MarketHistory, fromMs: number, toMs: number): Bar {
  const bar = emptyBar()
  let atMs = spanStart(MINUTE_MS, fromMs)
  while (atMs < toMs) {
    const block = atMs % BLOCK_MS === 0 && atMs + BLOCK_MS <= toMs ? history.blocks.get(atMs) : null
    const isWhole = atMs % BLOCK_MS === 0 && atMs + BLOCK_MS <= toMs
    const found = isWhole ? block : history.minutes.get(atMs)
    if (found) mergeBar(bar, found)
    atMs += isWhole ? BLOCK_MS : MINUTE_MS
  }
  return bar
}

function enter(history: MarketHistory, atMs: number): void {
  const minuteStartMs = atMs - (atMs % MINUTE_MS)
  if (minuteStartMs === history.minuteStartMs) return
  history.minuteStartMs = minuteStartMs
  history.minute = open(history.minutes, minuteStartMs, MINUTES_KEPT_MS)
  history.blockStartMs = atMs - (atMs % BLOCK_MS)
  history.block = open(history.blocks, history.blockStartMs, BLOCKS_KEPT_MS)
}

/** The bar that begins at a time; those older than are kept go, oldest first. */
function open(bars: Map<number, Bar>, startMs: number, keptMs: number): Bar {
  const known = bars.get(startMs)
  if (known) return known
  const bar = emptyBar()
  bars.set(startMs, bar)
  for (const oldest of bars.keys()) {
    if (oldest >= startMs - keptMs) break
    bars.delete(oldest)
  }
  return bar
}
