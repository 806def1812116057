import type { Interval } from '../../contract/durations.ts'
import { HOUR_MS } from '../../contract/durations.ts'
import { STREAM_LIMITS } from '../../contract/stream/limits.ts'
import type { Row } from '../../core/json.ts'
import { candleRow, LIVE_TOPICS } from '../../upstream/wire/live.ts'
import { candleStartMs, mergeCandles } from './candle-merge.ts'
import type { Projection, ProjectionSources } from './projection.ts'

/** Intervals that the venue does not publish, merged from hourly candles. */
const HOURS_PER_INTERVAL: Partial<Record<Interval, number>> = { '4h': 4, '12h': 12 }

/** Candles of one market: rows by time; the last row is still changing. */
export function candlesProjection(
  { reads }: ProjectionSources,
  symbol: string,
  interval: Interval,
): Projection {
  const hours = HOURS_PER_INTERVAL[interval]
  const spanMs = hours === undefined ? 0 : hours * HOUR_MS
  let rows = new Map<number, Row>()
  let parts = new Map<number, Row>()
  let changed = new Map<number, Row>()

  function put(row: Row): void {
    const atMs = candleStartMs(row)
    const known = changed.get(atMs) ?? rows.get(atMs)
    if (JSON.stringify(known) === JSON.stringify(row) || atMs < lastStartMs(rows)) return
    changed.set(atMs, row)
  }

  function putHour(row: Row): void {
    parts.set(candleStartMs(row), row)
    const startMs = Math.floor(candleStartMs(row) / spanMs) * spanMs
    for (const atMs of parts.keys()) if (atMs < startMs) parts.delete(atMs)
    for (const merged of mergeCandles([...parts.values()], spanMs)) {
      if (candleStartMs(merged) === startMs) put(inOrder(merged))
    }
  }

  return {
    topics: [LIVE_TOPICS.candle(symbol, hours === undefined ? interval : '1h')],
    load: async () => {
      const [whole, hourly] = await Promise.all([
        reads.candles(symbol, interval, STREAM_LIMITS.candleRows),
        hours === undefined ? [] : reads.candles(symbol, '1h', hours),
      ])
      rows = byTime(whole)
      parts = byTime(hourly)
      changed = new Map()
    },
    apply: ({ data }) => {
      const row = candleRow(data)
      if (hours === undefined) put(row)
      else putHour(row)
      return true
    },
    snapshot: () => ({ rows: [...rows.values()] }),
    drainDelta: () => {
      if (changed.size === 0) return undefined
      const fresh = [...changed.values()]
      rows = byTime([...rows.values(), ...fresh].slice(-STREAM_LIMITS.candleRows - fresh.length))
      while (rows.size > STREAM_LIMITS.candleRows) rows.delete([...rows.keys()][0] ?? 0)
      changed = new Map()
      return { type: 'delta', data: { rows: fresh } }
    },
  }
}

function byTime(rows: readonly Row[]): Map<number, Row> {
  return new Map(rows.map((row) => [candleStartMs(row), row]))
}

function lastStartMs(rows: ReadonlyMap<number, Row>): number {
  return [...rows.keys()].at(-1) ?? 0
}

function inOrder({ open, high, low, close, volume, timestamp }: Row): Row {
  return { open, high, low, close, volume, timestamp }
}
