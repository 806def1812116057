import { INTERVALS, type Interval } from '../../contract/durations.ts'
import { CLAMPS } from '../../contract/limits.ts'
import { CANDLE_FIELDS } from '../../contract/market.ts'
import { ROUTES } from '../../contract/routes.ts'
import { invalidParameter } from '../../core/failure.ts'
import { isObject, type Row } from '../../core/json.ts'
import type { UpstreamResponse } from '../../core/ports.ts'
import { clampedCount, optionalValue, type Query } from '../../core/query.ts'
import { requiredSymbol } from '../../upstream/wire/symbol.ts'
import type { Answer } from '../cache/answer.ts'
import { chosenRows, type DecimalRows, lastRows, rowShape } from '../scrub/decimal-rows.ts'
import { parsePayload, queriedPayload, readVenue, sendQuery } from '../venue/read.ts'
import {
  answerFromCache,
  cachePolicyWith,
  type MarketAccess,
  publicRowsReply,
  type TimedMarketAccess,
} from './cached-answers.ts'
import { readListed } from './operations.ts'
import { decimalText, listIn, plainRows } from './rows.ts'
import { convertibleRows, toInteger } from './typed-rows.ts'

type Asked = { readonly symbol: string; readonly interval: Interval; readonly limit: number }

/** `{rows}`: candles of one market, oldest first, values as strings, `timestamp` in ms. */
export function candles(deps: TimedMarketAccess, query: Query): Promise<Answer> {
  const symbol = requiredSymbol(query)
  const interval = parseInterval(query)
  const limit = clampedCount(query, 'limit', CLAMPS.candles)
  const asked = { symbol, interval, limit }
  return answerFromCache(deps, cachePolicyWith(ROUTES.candles, asked), async () => {
    const read = () => (interval === '12h' ? readChartBars(deps, asked) : queryCandles(deps, asked))
    const rows = await readListed(deps, symbol, read, isNone)
    return publicRowsReply(deps, rows)
  })
}

/** Rows cut out of the venue's answer, or rows as JSON text, without the brackets of the list. */
type Rows = DecimalRows | string

function isNone(rows: Rows): boolean {
  return (typeof rows === 'string' ? rows : rows.text) === ''
}

/** The text of the last `limit` rows, oldest first. */
function candleRowsText(deps: MarketAccess, rows: readonly unknown[], limit: number): string {
  const shown = oldestFirst(convertibleRows(deps, 'candles', rows, candleRow)).slice(-limit)
  return JSON.stringify(shown).slice(1, -1)
}

/** A candle with its values as text and its time as an integer; null if a value or the time is missing. */
function candleRow(row: unknown): Row | null {
  if (!isObject(row)) return null
  const entries = CANDLE_FIELDS.map((name) => [
    name,
    name === 'timestamp' ? toInteger(row[name]) : decimalText(row[name]),
  ])
  return entries.some(([, value]) => value === undefined || value === null)
    ? null
    : Object.fromEntries(entries)
}

/** Sorts only if necessary: the venue usually sends rows in order, and a check is cheaper than a sort. */
function oldestFirst(rows: readonly Row[]): readonly Row[] {
  const times = rows.map((row) => Number(row['timestamp']))
  const isSorted = times.every((time, at) => at === 0 || (times[at - 1] ?? 0) <= time)
  return isSorted ? rows : rows.toSorted((a, b) => Number(a['timestamp']) - Number(b['timestamp']))
}

function parseInterval(query: Query): Interval {
  if (query.get('interval')?.includes('')) throw invalidParameter('interval')
  const text = optionalValue(query, 'interval') ?? '1h'
  const interval = INTERVALS.find((known) => known === text)
  if (!interval) throw invalidParameter('interval')
  return interval
}

async function queryCandles(deps: MarketAccess, asked: Asked): Promise<Rows> {
  const response = await sendQuery(deps, { type: 'candles', ...asked })
  return (
    plainCandles(response, asked.limit) ??
    candleRowsText(deps, listIn(queriedPayload(response)) ?? [], asked.limit)
  )
}

/** The shape of rows in this service's answer; the time is the last member. */
const PLAIN = rowShape(
  CANDLE_FIELDS.map((name) => [name, name === 'timestamp' ? 'time' : 'decimal']),
)
const TIME_DIGITS = 13

/** Rows cut out of the venue's answer, if they already have the shape of this service's answer; otherwise null. */
function plainCandles(response: UpstreamResponse, limit: number): DecimalRows | null {
  const rows = plainRows(response, ['rows'], PLAIN)?.lists[0]
  if (!rows) return null
  const { text, ends } = rows
  if (isOldestFirst(text, ends)) return lastRows(rows, limit)
  const times = ends.map((end, at) => ({ at, time: timeBefore(text, end) }))
  const ordered = times.toSorted((a, b) => a.time - b.time).slice(-limit)
  return chosenRows(
    rows,
    ordered.map(({ at }) => at),
  )
}

function isOldestFirst(text: string, ends: readonly number[]): boolean {
  let last = 0
  for (const end of ends) {
    const time = timeBefore(text, end)
    if (time < last) return false
    last = time
  }
  return true
}

const ZERO = 48

/** Parses the time of the row that ends at `end` without allocating a substring. */
function timeBefore(text: string, end: number): number {
  let time = 0
  for (let at = end - 1 - TIME_DIGITS; at < end - 1; at += 1) {
    time = 10 * time + text.charCodeAt(at) - ZERO
  }
  return time
}

// Reads twelve-hour candles from the venue's charts, because its candle query lacks that interval. A chart counts back
// from the end of the period.
async function readChartBars(
  deps: TimedMarketAccess,
  { symbol, interval, limit }: Asked,
): Promise<string> {
  const { upstream, venueClock } = deps
  const toSeconds = Math.ceil(venueClock.nowMs() / 1000)
  const period = `from=0&to=${toSeconds}&limit=${limit}`
  const path = `/v1/tv/kline_history?symbol=${symbol}&resolution=${interval}&${period}`
  const chart = parsePayload(await readVenue({ upstream }, { path, envelope: 'bare' }))
  return candleRowsText(deps, toBars(chart), limit)
}

/** The columns of a chart, each with the candle's field that it fills. */
const COLUMNS = { o: 'open', h: 'high', l: 'low', c: 'close', v: 'volume' } as const

/** Converts a columnar chart to rows with `timestamp` in ms; empty without data. */
function toBars(chart: unknown): readonly Row[] {
  if (!isObject(chart)) return []
  const times: unknown = chart['t']
  if (!Array.isArray(times)) return []
  return times.map((time, at) => barAt(chart, time, at))
}

function barAt(chart: Row, time: unknown, at: number): Row {
  const startSeconds = toInteger(time)
  const values = Object.entries(COLUMNS).map(([column, field]) => [
    field,
    cellAt(chart[column], at),
  ])
  const timestamp = startSeconds === undefined ? null : 1000 * startSeconds
  return { ...Object.fromEntries(values), timestamp }
}

function cellAt(column: unknown, at: number): unknown {
  return Array.isArray(column) ? column[at] : undefined
}
