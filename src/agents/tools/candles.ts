import {
  DAY_MS,
  HOUR_MS,
  INTERVALS,
  type Interval,
  MINUTE_MS,
  SECOND_MS,
} from '../../contract/durations.ts'
import { CLAMPS } from '../../contract/limits.ts'
import { isObject, type Row, rowsAt } from '../../core/json.ts'
import { invalidArgument } from '../refusal.ts'
import { listAnswer } from '../results.ts'
import { chosenFields } from '../rows.ts'
import type { ToolContext } from '../tool.ts'
import {
  argumentSchema,
  choice,
  fields,
  optional,
  rows,
  since,
  symbolArgument,
  until,
} from '../tool-arguments.ts'
import { publicTool } from '../tool-kinds.ts'
import { atSymbol, symbolIn } from '../views/market.ts'

/** Default number of candles, so that the answer stays below 1,000 tokens. */
const CANDLES_DEFAULT = 24

export const getCandles = publicTool({
  name: 'get_candles',
  description:
    'Candles, oldest first: a summary, columns, rows of values; prices in USDC, volume in the base asset, timestamp (start) in ms. The last candle is still open.',
  arguments: argumentSchema({
    symbol: symbolArgument,
    interval: choice(INTERVALS, 'Length of a candle.', '1h'),
    start_t: optional(since),
    end_t: optional(until),
    fields: optional(fields),
    limit: rows(CLAMPS.candles.max, CANDLES_DEFAULT),
  }),
  run: async (context, { symbol, interval, fields: chosen, limit, start_t, end_t }) => {
    const columns = chosenFields(chosen, CANDLE_COLUMNS, CANDLE_COLUMNS)
    const query = { interval, limit: String(limit) }
    const isRange = start_t !== undefined || end_t !== undefined
    const found = isRange
      ? await candlesIn(context, await symbolIn(context, symbol), {
          interval,
          start_t,
          end_t,
          limit,
        })
      : rowsAt(await atSymbol(context, symbol, '/api/prep/candles', query), 'rows')
    const candles = found.slice(-limit)
    const more = isRange ? OLDER_STEP : 'Pass a longer interval, or fewer fields.'
    const values = candles.map((row) => candleValues(row, columns))
    const list = listAnswer(values, { rows: 'rows', keep: 'last', total: found.length, more })
    const older = { limit_max: CLAMPS.candles.max }
    return { summary: candleSummary(candles, interval), columns, ...list, ...older }
  },
})

const OLDER_STEP =
  'The newest of the range: pass a longer interval, a larger limit, fewer fields, or an end_t before the first row.'

/** The columns of a row of candles, in this order. */
const CANDLE_COLUMNS = ['timestamp', 'open', 'high', 'low', 'close', 'volume'] as const

/** The values of a candle by column; null for a missing value. */
function candleValues(candle: Row, columns: readonly string[]): readonly unknown[] {
  return columns.map((column) => candle[column] ?? null)
}

/** One sentence about candles, oldest first: their number, first and last price, change, high and low. */
function candleSummary(candles: readonly Row[], interval: string): string {
  const [first, last] = [candles[0], candles.at(-1)]
  if (!first || !last) return 'No candles.'
  const [open, close] = [Number(first['open']), Number(last['close'])]
  const change = open > 0 ? `${(((close - open) / open) * 100).toFixed(2)}%` : 'unknown'
  const high = candles.reduce((most, { high: price }) => Math.max(most, Number(price)), -Infinity)
  const low = candles.reduce((least, { low: price }) => Math.min(least, Number(price)), Infinity)
  return `${candles.length} candles of ${interval}: ${open} to ${close} (${change}), high ${high}, low ${low}.`
}

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
 * Reads the candles that start in a time range (ms), oldest first, as far back as the venue has candles. Without a
 * start, reads the last `limit` candles before the end. Throws invalid_request for a range that ends before it starts.
 */
async function candlesIn(
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
