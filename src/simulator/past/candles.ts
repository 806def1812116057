import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import { VALUE_PER_MICRO } from '../base/decimals.ts'
import type { Market } from '../listing/instruments.ts'
import { type Bar, emptyBar, mergeBar } from './bar.ts'
import { spanEnd, spanStart } from './spans.ts'

/** Prices and volume have eight decimals, the amount in USDC has six. */
type CandleFigures = {
  readonly open: bigint
  readonly high: bigint
  readonly low: bigint
  readonly close: bigint
  readonly volume: bigint
  readonly amount: bigint
}

export type Candle = CandleFigures & { readonly startMs: number }

/** The figures of a day, with its number of trades. */
export type DayFigures = CandleFigures & { readonly count: number }

/** The candles of one market. They are computed from its trades when they are requested. */
export type Candles = {
  /** The candles with fromMs <= startMs < toMs, oldest first. The last candle may still grow. */
  readonly range: (
    resolutionMs: number,
    fromMs: number,
    toMs: number,
    nowMs: number,
  ) => readonly Candle[]
  /** The current minute and the 1440 minutes before it, as one candle. */
  readonly day: (nowMs: number) => DayFigures
}

/** How far back candles reach. */
export const HISTORY_MS = 60 * DAY_MS

const BLOCK_MS = HOUR_MS / 2

// Maximum number of cached blocks. It covers the history and one more day, so that no block at the beginning of the
// history is computed repeatedly.
const BLOCKS_KEPT_MAX = (HISTORY_MS + DAY_MS) / BLOCK_MS

/** Summarises the trades with fromMs <= atMs < toMs in one bar. */
type Fold = (fromMs: number, toMs: number) => Bar

export type CandleSources = {
  readonly market: Market
  readonly beginsAtMs: number
  /** Trades before the world began, which never change. */
  readonly before: Fold
  /** Trades since the world began. */
  readonly since: Fold
  /** The price shown for a day without trades, in ticks. */
  readonly lastTicks: () => number
}

/**
 * Candles computed from trades. Each whole half hour before the world began is cached as a block. A block takes about
 * 30 microseconds to compute. A longer candle is a sum of blocks. All other trades are summarised on request. Candles
 * of all lengths agree, because they come from the same trades.
 */
export function createCandles(sources: CandleSources): Candles {
  const { market, beginsAtMs, before, since } = sources
  const blocks = createBoundedMap<number, Bar>(BLOCKS_KEPT_MAX)

  function block(startMs: number): Bar {
    const bar = blocks.get(startMs) ?? before(startMs, startMs + BLOCK_MS)
    blocks.put(startMs, bar)
    return bar
  }

  /** The trades with fromMs <= atMs < toMs as one bar. `toMs` is at most 1 ms after now. */
  function between(fromMs: number, toMs: number): Bar {
    const bar = emptyBar()
    const beforeMs = Math.min(toMs, beginsAtMs)
    for (let atMs = fromMs; atMs < beforeMs; ) {
      const endMs = Math.min(beforeMs, (Math.floor(atMs / BLOCK_MS) + 1) * BLOCK_MS)
      mergeBar(bar, endMs - atMs === BLOCK_MS ? block(atMs) : before(atMs, endMs))
      atMs = endMs
    }
    if (toMs > beginsAtMs) mergeBar(bar, since(Math.max(fromMs, beginsAtMs), toMs))
    return bar
  }

  return {
    range: (resolutionMs, fromMs, toMs, nowMs) => {
      const candles: Candle[] = []
      const end = Math.min(toMs, nowMs + 1)
      let startMs = firstStart(resolutionMs, Math.max(fromMs, nowMs - HISTORY_MS))
      while (startMs < end) {
        const endMs = spanEnd(resolutionMs, startMs)
        const bar = between(startMs, Math.min(endMs, nowMs + 1))
        if (bar.volume > 0) candles.push({ startMs, ...candleFigures(market, bar) })
        startMs = endMs
      }
      return candles
    },
    day: (nowMs) => {
      const bar = between(spanStart(MINUTE_MS, nowMs) - DAY_MS, nowMs + 1)
      const shown = bar.volume > 0 ? bar : unchanged(sources.lastTicks())
      return { ...candleFigures(market, shown), count: bar.count }
    },
  }
}

/** A candle without trades, all of whose prices are equal. */
function unchanged(price: number): Bar {
  return { ...emptyBar(), open: price, high: price, low: price, close: price }
}

/** The start of the first candle that begins at or after a time. */
function firstStart(resolutionMs: number, atMs: number): number {
  const startMs = spanStart(resolutionMs, atMs)
  return startMs < atMs ? spanEnd(resolutionMs, startMs) : startMs
}

function candleFigures({ quoteTick, baseTick }: Market, bar: Bar): CandleFigures {
  return {
    open: BigInt(bar.open) * quoteTick,
    high: BigInt(bar.high) * quoteTick,
    low: BigInt(bar.low) * quoteTick,
    close: BigInt(bar.close) * quoteTick,
    volume: BigInt(bar.volume) * baseTick,
    // The division is exact, because one tick × one step is always a whole number of micro-USDC.
    amount: (BigInt(bar.amount) * quoteTick * baseTick) / VALUE_PER_MICRO,
  }
}
