import { MINUTE_MS } from '../../contract/durations.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import type { EntityStore } from '../../core/ports.ts'
import type { Bar } from '../past/bar.ts'
import type { FinishedDay } from '../state/market-history.ts'
import type { EngineWorld } from '../state/world.ts'
import { packJson, unpackJson } from './packed.ts'

/** The minute candles of earlier days, one stored row per market and day. Charts read them. */
export type MinuteArchive = {
  /** Stores the days that have ended, and deletes days that are too old. */
  readonly put: (world: EngineWorld) => void
  readonly of: (symbol: string) => (day: number) => ReadonlyMap<number, Bar>
}

/** Maximum number of cached days: enough for all days of one market, or the latest days of a few. */
const DAYS_HELD_MAX = 64

type Day = ReadonlyMap<number, Bar>

export function createMinuteArchive(entities: EntityStore): MinuteArchive {
  const held = createBoundedMap<string, Day>(DAYS_HELD_MAX)

  function putDay(symbol: string, finished: FinishedDay): void {
    const kind = archiveKind(symbol, finished.day)
    entities.commit([{ kind, key: KEY, json: packJson(finished.minutes.map(barRow)) }])
    // An earlier read may have cached that this day is missing.
    held.drop(kind)
    if (finished.dropped !== null)
      entities.commit([{ kind: archiveKind(symbol, finished.dropped), key: KEY, json: null }])
  }

  function read(kind: string): Day {
    const known = held.get(kind)
    if (known) return known
    const [row] = entities.load(kind)
    const day = barsByStart(row ? (unpackJson(row.json) as BarRow[]).map(toBar) : [], MINUTE_MS)
    held.put(kind, day)
    return day
  }

  return {
    put: ({ scenes }) => {
      for (const { history, market } of scenes)
        for (const finished of history.finished.splice(0)) putDay(market.spec.symbol, finished)
    },
    of: (symbol) => (day) => read(archiveKind(symbol, day)),
  }
}

const KEY = 'minutes'

function archiveKind(symbol: string, day: number): string {
  return `engine-minutes ${symbol} ${day}`
}

/** A bar as a row of numbers. */
export type BarRow = readonly number[]

/** A bar as a row with few digits: its end is relative to its beginning, and its prices are relative to its open. */
export function barRow(bar: Bar): BarRow {
  const { firstAtMs, open } = bar
  return [
    firstAtMs,
    bar.lastAtMs - firstAtMs,
    open,
    bar.high - open,
    bar.low - open,
    bar.close - open,
    bar.volume,
    bar.amount,
    bar.count,
  ]
}

/** The bar that a row stands for. */
export function toBar(row: BarRow): Bar {
  const [
    firstAtMs = 0,
    lasted = 0,
    open = 0,
    high = 0,
    low = 0,
    close = 0,
    volume = 0,
    amount = 0,
    count = 0,
  ] = row
  return {
    firstAtMs,
    lastAtMs: firstAtMs + lasted,
    open,
    high: open + high,
    low: open + low,
    close: open + close,
    volume,
    amount,
    count,
  }
}

/** Bars of equal length by their start times. */
export function barsByStart(bars: readonly Bar[], lengthMs: number): Map<number, Bar> {
  return new Map(bars.map((bar) => [bar.firstAtMs - (bar.firstAtMs % lengthMs), bar]))
}
