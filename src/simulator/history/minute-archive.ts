import { MINUTE_MS } from '../../contract/durations.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import type { EntityStore } from '../../core/ports.ts'
import type { Bar } from '../past/bar.ts'
import type { FinishedDay } from '../state/market-history.ts'
import type { EngineWorld } from '../state/world.ts'
import { packJson, unpackJson } from './packed.ts'

/** The minute candles of past days in the store, one row per market and day, read for charts. */
export type MinuteArchive = {
  /** Stores the days that have ended, and deletes those that are too old. */
  readonly put: (world: EngineWorld) => void
  readonly of: (symbol: string) => (day: number) => ReadonlyMap<number, Bar>
}

/** The cached days: enough for all days of one market or the last days of a few. */
const DAYS_HELD_MAX = 64

type Day = ReadonlyMap<number, Bar>

export function createMinuteArchive(entities: EntityStore): MinuteArchive {
  const held = createBoundedMap<string, Day>(DAYS_HELD_MAX)

  function putDay(symbol: string, finished: FinishedDay): void {
    const kind = archiveKind(symbol, finished.day)
    entities.commit([{ kind, key: KEY, json: packJson(finished.minutes.map(barRow)) }])
    // An earlier read has cached that the day is missing.
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

/** A bar in few digits: its end relative to its beginning, prices relative to the open. */
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

/** The bar of a row. */
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

/** Bars of one length by their starts. */
export function barsByStart(bars: readonly Bar[], lengthMs: number): Map<number, Bar> {
  return new Map(bars.map((bar) => [bar.firstAtMs - (bar.firstAtMs % lengthMs), bar]))
}
