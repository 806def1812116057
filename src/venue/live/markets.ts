import { isObject } from '../../core/json.ts'
import { MINUTE_MS } from '../../spec/durations.ts'
import { type Row, rowsOf } from './rows.ts'
import { type LiveTopic, type Source, whole } from './topic.ts'

/** Topics that tell figures of markets, each time one has changed. */

/** What a topic says of a market's row. */
type Show = (row: Row, source: Source) => Row

/** A figure of every market. */
export function ofAll(show: Show): LiveTopic {
  return rowsAt('/v1/public/futures', 1000, show)
}

/** A figure of one market. */
export function ofOne(symbol: string, show: Show): LiveTopic {
  return {
    symbol,
    beatMs: 1000,
    isState: true,
    read: (source) => {
      const row = source.peek(`/v1/public/futures/${symbol}`)
      return isObject(row) ? show(row, source) : undefined
    },
    tell: whole,
  }
}

export function ticker(row: Row, { tradesOfDay }: Source): Row {
  return {
    symbol: row['symbol'],
    open: row['24h_open'],
    close: row['24h_close'],
    high: row['24h_high'],
    low: row['24h_low'],
    volume: row['24h_volume'],
    amount: row['24h_amount'],
    count: tradesOfDay(String(row['symbol'])),
  }
}

export function markPrice({ symbol, mark_price }: Row): Row {
  return { symbol, price: mark_price }
}

/** The index is that of a spot market. */
export function indexPrice({ symbol, index_price }: Row): Row {
  return { symbol: String(symbol).replace(/^PERP_/, 'SPOT_'), price: index_price }
}

export function openInterest({ symbol, open_interest }: Row): Row {
  return { symbol, openInterest: open_interest }
}

export function funding({ symbol, est_funding_rate, next_funding_time }: Row): Row {
  return { symbol, fundingRate: est_funding_rate, fundingTs: next_funding_time }
}

/** The rows of the reads of the same names, once a minute. */
export function changesOfAll(): LiveTopic {
  return rowsAt('/v1/public/market_info/price_changes', MINUTE_MS)
}

export function interestsOfAll(): LiveTopic {
  return rowsAt('/v1/public/market_info/traders_open_interests', MINUTE_MS)
}

export function pricesOfAll(interval: string): LiveTopic {
  return rowsAt(`/v1/public/market_info/history_charts?time_interval=${interval}`, MINUTE_MS)
}

function rowsAt(path: string, beatMs: number, show: Show = (row) => row): LiveTopic {
  return {
    symbol: null,
    beatMs,
    isState: true,
    read: (source) => rowsOf(source.peek(path)).map((row) => show(row, source)),
    tell: whole,
  }
}
