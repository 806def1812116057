import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts'
import { type Bar, emptyBar, foldTrade, mergeBar } from '../past/bar.ts'
import { spanStart } from '../past/spans.ts'
import type { Match } from './observer.ts'
import type { SideSign } from './state.ts'

/** A public trade: the taker's side, price in ticks, quantity in steps. */
export type Trade = {
  readonly id: number
  readonly atMs: number
  readonly side: SideSign
  readonly price: number
  readonly quantity: number
}

/** A UTC day that has ended: the market's minutes to archive, and the oldest archived day, to delete. */
export type FinishedDay = {
  readonly day: number
  readonly minutes: readonly Bar[]
  readonly dropped: number | null
}

/**
 * The trades of a market since the world began: minute candles for a day, half-hour candles for two months. The minutes
 * of a day are archived in the store before they are dropped here.
 */
export type MarketHistory = {
  /** The latest trades, oldest first. */
  readonly trades: Trade[]
  readonly minutes: Map<number, Bar>
  readonly blocks: Map<number, Bar>
  /** The bars to which the last trade was added. */
  minute: Bar | null
  minuteStartMs: number
  block: Bar | null
  blockStartMs: number
  /** The archived days, oldest first. */
  readonly archived: number[]
  /** The days that are to be archived. */
  readonly finished: FinishedDay[]
}

/** Minimum number of latest trades that are kept per market. */
export const TRADES_KEPT_MAX = 500
/** The length of a half-hour candle. */
export const BLOCK_MS = 30 * MINUTE_MS
const MINUTES_KEPT_MS = DAY_MS + 2 * BLOCK_MS
const BLOCKS_KEPT_MS = 61 * DAY_MS
/** Maximum number of archived days per market. */
const DAYS_ARCHIVED_MAX = 61

export function createHistory(): MarketHistory {
  return {
    trades: [],
    minutes: new Map(),
    blocks: new Map(),
    minute: null,
    minuteStartMs: -1,
    block: null,
    blockStartMs: -1,
    archived: [],
    finished: [],
  }
}

/** Adds a match to the latest trades and to the candles. */
export function recordMatch(history: MarketHistory, match: Match): void {
  const { id, atMs, price, quantity } = match
  const { side } = match.taker
  if (history.trades.length >= 2 * TRADES_KEPT_MAX) history.trades.splice(0, TRADES_KEPT_MAX)
  history.trades.push({ id, atMs, side, price, quantity })
  enter(history, atMs)
  if (history.minute) foldTrade(history.minute, atMs, price, quantity)
  if (history.block) foldTrade(history.block, atMs, price, quantity)
}

/** The minute candles of an archived day, by their start times. */
export type ArchivedDay = (day: number) => ReadonlyMap<number, Bar>

const NOTHING_ARCHIVED: ArchivedDay = () => new Map()

/** The trades with fromMs <= atMs < toMs as one bar, exact to the minute. */
export function barBetween(
  history: MarketHistory,
  fromMs: number,
  toMs: number,
  archivedOn: ArchivedDay = NOTHING_ARCHIVED,
): Bar {
  const bar = emptyBar()
  let atMs = spanStart(MINUTE_MS, fromMs)
  while (atMs < toMs) {
    const block = atMs % BLOCK_MS === 0 && atMs + BLOCK_MS <= toMs ? history.blocks.get(atMs) : null
    const isWhole = atMs % BLOCK_MS === 0 && atMs + BLOCK_MS <= toMs
    const found = isWhole ? block : minuteAt(history, atMs, archivedOn)
    if (found) mergeBar(bar, found)
    atMs += isWhole ? BLOCK_MS : MINUTE_MS
  }
  return bar
}

function minuteAt(history: MarketHistory, atMs: number, archivedOn: ArchivedDay) {
  const day = Math.floor(atMs / DAY_MS)
  return (
    history.minutes.get(atMs) ??
    (history.archived.includes(day) ? archivedOn(day).get(atMs) : undefined)
  )
}

function enter(history: MarketHistory, atMs: number): void {
  const minuteStartMs = atMs - (atMs % MINUTE_MS)
  if (minuteStartMs === history.minuteStartMs) return
  finish(history, minuteStartMs)
  history.minuteStartMs = minuteStartMs
  history.minute = open(history.minutes, minuteStartMs, MINUTES_KEPT_MS)
  history.blockStartMs = atMs - (atMs % BLOCK_MS)
  history.block = open(history.blocks, history.blockStartMs, BLOCKS_KEPT_MS)
}

/** Ends a day when the first trade of another day arrives, while all minutes of the day are still in memory. */
function finish(
  { minutes, minuteStartMs: lastMs, archived, finished }: MarketHistory,
  nowMs: number,
) {
  const day = Math.floor(lastMs / DAY_MS)
  if (lastMs < 0 || day === Math.floor(nowMs / DAY_MS)) return
  const bars = [...minutes].filter(([startMs]) => Math.floor(startMs / DAY_MS) === day)
  const dropped = archived.length >= DAYS_ARCHIVED_MAX ? (archived.shift() ?? null) : null
  archived.push(day)
  finished.push({ day, minutes: bars.map(([, bar]) => bar), dropped })
}

/** The bar that begins at a time. A missing bar is created, and bars older than the bound are dropped. */
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
