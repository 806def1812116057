import { DAY_MS, HOUR_MS, type Interval, MINUTE_MS, SECOND_MS } from '../../contract/durations.ts'
import { isObject, type Row } from '../../core/json.ts'
import { invalidArgument } from '../refusal.ts'
import type { ToolContext } from '../tool.ts'

const INTERVAL_MS: Readonly<Record<Interval, number>> = {
  ...{ '1m': MINUTE_MS, '5m': 5 * MINUTE_MS, '15m': 15 * MINUTE_MS, '30m': 30 * MINUTE_MS },
  ...{ '1h': HOUR_MS, '4h': 4 * HOUR_MS, '12h': 12 * HOUR_MS, '1d': DAY_MS, '1w': 7 * DAY_MS },
}

type Range = {
  readonly interval: Interval
  readonly start_t?: number | undefined
  readonly end_t?: number | undefined
  readonly limit: number
}

/**
 * Reads the candles that start in a time range (ms), oldest first, as far back as the venue has them. Without a start,
 * the last `limit` candles before the end. Throws invalid_request for a range that ends before it starts.
 */
export async function candlesIn(
  context: ToolContext,
  symbol: string,
  { interval, start_t, end_t = context.venueClock.nowMs(), limit }: Range,
): Promise<readonly Row[]> {
  const startMs = start_t ?? end_t - limit * INTERVAL_MS[interval]
  if (startMs > end_t) {
    throw invalidArgument('end_t', 'out_of_range', {
      start_t: startMs,
      next: 'end_t is after start_t.',
    })
  }
  const chart = await context.client.get('/api/prep/op/charts.klineHistory', {
    ...{ symbol, resolution: interval },
    from: String(Math.max(0, Math.floor(startMs / SECOND_MS))),
    to: String(Math.ceil(end_t / SECOND_MS)),
  })
  return barRows(chart).filter(({ timestamp }) => timestamp >= startMs && timestamp <= end_t)
}

const COLUMNS = { o: 'open', h: 'high', l: 'low', c: 'close', v: 'volume' } as const

function barRows(chart: unknown): readonly (Row & { readonly timestamp: number })[] {
  const times = isObject(chart) && Array.isArray(chart['t']) ? chart['t'] : []
  const columns = isObject(chart) ? chart : {}
  return times.map((time, at) => {
    const values = Object.entries(COLUMNS).map(([column, name]) => {
      const cells: unknown = columns[column]
      return [name, Array.isArray(cells) ? String(cells[at]) : null]
    })
    return { timestamp: Number(time) * SECOND_MS, ...Object.fromEntries(values) }
  })
}
