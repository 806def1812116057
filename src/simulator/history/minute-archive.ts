import { MINUTE_MS } from '../../contract/durations.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import type { EntityChange, EntityStore } from '../../core/ports.ts'
import type { Bar } from '../past/bar.ts'
import type { FinishedDay } from '../state/market-history.ts'
import type { EngineWorld } from '../state/world.ts'
import { packJson, unpackJson } from './packed.ts'

/** The minute candles of earlier days, one stored row per market and day. Charts read them. */
export type MinuteArchive = {
  /** Stores some of the days that have ended, and deletes days that are too old. Returns whether all are stored. */
  readonly put: () => boolean
  /** Stores all days that have ended. */
  readonly putAll: (into: Pick<EntityStore, 'commit'>) => void
  readonly of: (symbol: string) => (day: number) => ReadonlyMap<number, Bar>
}

/**
 * Maximum number of days that are stored per commit, about two milliseconds each. At midnight a day of each market ends.
 */
const DAYS_PER_COMMIT = 4
/** Maximum number of cached days: enough for all days of one market, or the latest days of a few. */
const DAYS_HELD_MAX = 64

type Day = ReadonlyMap<number, Bar>

export function createMinuteArchive(entities: EntityStore, { scenes }: EngineWorld): MinuteArchive {
  const held = createBoundedMap<string, Day>(DAYS_HELD_MAX)

  function put(into: Pick<EntityStore, 'commit'>, daysMax: number): boolean {
    let left = daysMax
    for (const { history, market } of scenes)
      for (const finished of history.finished.slice(0, left)) {
        into.commit(dayChanges(market.spec.symbol, finished))
        // Only now, because a commit that fails must leave the day in memory.
        history.finished.shift()
        left -= 1
      }
    return scenes.every(({ history }) => history.finished.length === 0)
  }

  function load(symbol: string, day: number): readonly Bar[] {
    const scene = scenes.find(({ market }) => market.spec.symbol === symbol)
    const finished = scene?.history.finished.find((each) => each.day === day)
    if (finished) return finished.minutes
    const [row] = entities.load(archiveKind(symbol, day))
    return row ? (unpackJson(row.json) as BarRow[]).map(toBar) : []
  }

  function read(symbol: string, day: number): Day {
    const kind = archiveKind(symbol, day)
    const known = held.get(kind)
    if (known) return known
    const bars = barsByStart(load(symbol, day), MINUTE_MS)
    held.put(kind, bars)
    return bars
  }

  return {
    put: () => put(entities, DAYS_PER_COMMIT),
    putAll: (into) => void put(into, Number.POSITIVE_INFINITY),
    of: (symbol) => (day) => read(symbol, day),
  }
}

/** The changes that store a day of a market and delete the day that is too old. */
function dayChanges(symbol: string, { day, minutes, dropped }: FinishedDay): EntityChange[] {
  const kept = { kind: archiveKind(symbol, day), key: KEY, json: packJson(minutes.map(barRow)) }
  if (dropped === null) return [kept]
  return [kept, { kind: archiveKind(symbol, dropped), key: KEY, json: null }]
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
