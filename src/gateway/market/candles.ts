import type { Answer } from '../../cache/answer.ts'
import { invalid } from '../../core/failure.ts'
import { pick } from '../../core/json.ts'
import { count, one, type Query } from '../../core/query.ts'
import { INTERVALS, type Interval } from '../../spec/durations.ts'
import { CLAMPS } from '../../spec/limits.ts'
import { CANDLE_FIELDS } from '../../spec/market.ts'
import { ROUTES } from '../../spec/routes.ts'
import { symbolOf } from '../../wire/symbol.ts'
import { payloadOf, queryVenue, readVenue } from '../venue-read.ts'
import { barsOf } from './chart-bars.ts'
import type { MarketDeps, TimedDeps } from './deps.ts'
import { ofListed } from './listed.ts'
import { rowsOf, type WireRow } from './rows.ts'
import { keptBy, publicReply, throughCache } from './shaped.ts'

type Asked = { readonly symbol: string; readonly interval: Interval; readonly limit: number }

/** `{rows}`: candles of one market, oldest first, values as strings, `timestamp` in ms. */
export function candles(deps: TimedDeps, query: Query): Promise<Answer> {
  const symbol = symbolOf(query)
  const interval = intervalOf(query)
  const limit = count(query, 'limit', CLAMPS.candles)
  const asked = { symbol, interval, limit }
  return throughCache(deps, keptBy(ROUTES.candles, asked), async () => {
    const read = async () => (interval === '12h' ? chartBars(deps, asked) : queried(deps, asked))
    const rows = await ofListed(deps, symbol, read, (found) => found.length === 0)
    return publicReply(deps, {
      rows: oldestFirst(rows)
        .slice(-limit)
        .map((row) => pick(row, CANDLE_FIELDS)),
    })
  })
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

async function queried(deps: MarketDeps, asked: Asked): Promise<readonly WireRow[]> {
  return rowsOf(await queryVenue(deps, { type: 'candles', ...asked }))
}

// The venue's query knows no twelve hours; its charts do, and count back from the end of the period.
async function chartBars({ upstream, venueClock }: TimedDeps, { symbol, interval, limit }: Asked) {
  const toSeconds = Math.ceil(venueClock.nowMs() / 1000)
  const period = `from=0&to=${toSeconds}&limit=${limit}`
  const path = `/v1/tv/kline_history?symbol=${symbol}&resolution=${interval}&${period}`
  return barsOf(payloadOf(await readVenue({ upstream }, { path, envelope: 'bare' })))
}
