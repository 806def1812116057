import type { Answer } from '../../cache/answer.ts'
import { invalid } from '../../core/failure.ts'
import { pick } from '../../core/json.ts'
import type { UpstreamResponse } from '../../core/ports.ts'
import { count, one, type Query } from '../../core/query.ts'
import { INTERVALS, type Interval } from '../../spec/durations.ts'
import { CLAMPS } from '../../spec/limits.ts'
import { CANDLE_FIELDS } from '../../spec/market.ts'
import { ROUTES } from '../../spec/routes.ts'
import { plainRows, rowsText } from '../../wire/plain-rows.ts'
import { symbolOf } from '../../wire/symbol.ts'
import { payloadOf, queriedPayload, readVenue, sendQuery } from '../venue-read.ts'
import { barsOf } from './chart-bars.ts'
import type { MarketDeps, TimedDeps } from './deps.ts'
import { ofListed } from './listed.ts'
import { DECIMAL_TEXT, plainRow } from './plain-row.ts'
import { rowsOf, type WireRow } from './rows.ts'
import { keptBy, publicText, throughCache } from './shaped.ts'

type Asked = { readonly symbol: string; readonly interval: Interval; readonly limit: number }

/** `{rows}`: candles of one market, oldest first, values as strings, `timestamp` in ms. */
export function candles(deps: TimedDeps, query: Query): Promise<Answer> {
  const symbol = symbolOf(query)
  const interval = intervalOf(query)
  const limit = count(query, 'limit', CLAMPS.candles)
  const asked = { symbol, interval, limit }
  return throughCache(deps, keptBy(ROUTES.candles, asked), async () => {
    const read = () => (interval === '12h' ? chartBars(deps, asked) : queried(deps, asked))
    const rows = await ofListed(deps, symbol, read, (found) => found === NO_ROWS)
    return publicText(deps, `{"rows":[${rows}]}`)
  })
}

/** The JSON text between the brackets of an empty list. */
const NO_ROWS = ''

/** The text of the last so many rows, oldest first. */
function textOf(rows: readonly WireRow[], limit: number): string {
  const shown = oldestFirst(rows).slice(-limit)
  return JSON.stringify(shown.map((row) => pick(row, CANDLE_FIELDS))).slice(1, -1)
}

/** The venue sends them in order, mostly: looking costs less than sorting. */
function oldestFirst(rows: readonly WireRow[]): readonly WireRow[] {
  const times = rows.map((row) => Number(row['timestamp']))
  const isSorted = times.every((time, at) => at === 0 || (times[at - 1] ?? 0) <= time)
  return isSorted ? rows : rows.toSorted((a, b) => Number(a['timestamp']) - Number(b['timestamp']))
}

function intervalOf(query: Query): Interval {
  const text = one(query, 'interval') ?? '1h'
  const interval = INTERVALS.find((known) => known === text)
  if (!interval) throw invalid('interval')
  return interval
}

async function queried(deps: MarketDeps, asked: Asked): Promise<string> {
  const response = await sendQuery(deps, { type: 'candles', ...asked })
  return plainText(response, asked.limit) ?? textOf(rowsOf(queriedPayload(response)), asked.limit)
}

const TIME_DIGITS = 13
const TIME_TEXT = String.raw`[1-9]\d{${TIME_DIGITS - 1}}`
/** A row as it is shown; its time stands at its end. */
const PLAIN_ROW = plainRow(
  CANDLE_FIELDS.map((name) => [name, name === 'timestamp' ? TIME_TEXT : DECIMAL_TEXT]),
)

/** The same where the venue sends rows as they are shown: cut out of its answer, as they stand there. */
function plainText(response: UpstreamResponse, limit: number): string | null {
  const { body } = response
  const list = plainRows(response, ['rows'], PLAIN_ROW)?.lists[0]
  if (!list) return null
  const { start, ends } = list
  if (isOldestFirst(body, ends)) {
    const before = ends.at(-limit - 1)
    return rowsText(body, { start: before === undefined ? start : before + 1, ends })
  }
  return ends
    .map((end, at) => ({ at, end, time: timeBefore(body, end) }))
    .toSorted((a, b) => a.time - b.time)
    .slice(-limit)
    .map(({ at, end }) => body.slice(at === 0 ? start : (ends[at - 1] ?? 0) + 1, end))
    .join(',')
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

/** The time of the row that ends there; quicker than a text of its own for each. */
function timeBefore(text: string, end: number): number {
  let time = 0
  for (let at = end - 1 - TIME_DIGITS; at < end - 1; at += 1) {
    time = 10 * time + text.charCodeAt(at) - ZERO
  }
  return time
}

// The venue's query knows no twelve hours; its charts do, and count back from the end of the period.
async function chartBars(deps: TimedDeps, { symbol, interval, limit }: Asked): Promise<string> {
  const { upstream, venueClock } = deps
  const toSeconds = Math.ceil(venueClock.nowMs() / 1000)
  const period = `from=0&to=${toSeconds}&limit=${limit}`
  const path = `/v1/tv/kline_history?symbol=${symbol}&resolution=${interval}&${period}`
  const chart = payloadOf(await readVenue({ upstream }, { path, envelope: 'bare' }))
  return textOf(barsOf(chart), limit)
}
