import { createBoundedMap } from '../../../core/bounded-map.ts'
import type { EntityStore } from '../../../core/ports.ts'
import { MINUTE_MS } from '../../../spec/durations.ts'
import type { Bar } from '../../market/price/bar.ts'
import type { World } from '../world.ts'
import { type BarRow, barOf, barRow, barsByStart } from './bar-rows.ts'
import type { FinishedDay } from './history.ts'

/** The minutes of days that are over, in the store: one row a market and day, read when a chart goes back so far. */
export type MinuteArchive = {
  /** Notes the days that have finished since, and drops those that are too old. */
  readonly put: (world: World) => void
  readonly of: (symbol: string) => (day: number) => ReadonlyMap<number, Bar>
}

/** A chart looks at all days of one market, or at the last ones of a few. */
const DAYS_HELD_MAX = 64

type Day = ReadonlyMap<number, Bar>

export function createMinuteArchive(entities: EntityStore): MinuteArchive {
  const held = createBoundedMap<string, Day>(DAYS_HELD_MAX)

  function putDay(symbol: string, finished: FinishedDay): void {
    const kind = kindOf(symbol, finished.day)
    entities.commit([{ kind, key: KEY, json: JSON.stringify(finished.minutes.map(barRow)) }])
    // Who asked too early was told of nothing.
    held.drop(kind)
    if (finished.dropped !== null)
      entities.commit([{ kind: kindOf(symbol, finished.dropped), key: KEY, json: null }])
  }

  function read(kind: string): Day {
    const known = held.get(kind)
    if (known) return known
    const [row] = entities.load(kind)
    const rows = row ? (JSON.parse(row.json) as BarRow[]) : []
    const day = barsByStart(rows.map(barOf), MINUTE_MS)
    held.put(kind, day)
    return day
  }

  return {
    put: ({ scenes }) => {
      for (const { history, market } of scenes)
        for (const finished of history.finished.splice(0)) putDay(market.spec.symbol, finished)
    },
    of: (symbol) => (day) => read(kindOf(symbol, day)),
  }
}

const KEY = 'minutes'

function kindOf(symbol: string, day: number): string {
  return `engine-minutes ${symbol} ${day}`
}
