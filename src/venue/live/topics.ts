import { bestPrices, bestPricesOfAll } from './best-prices.ts'
import { book, wholeBook } from './books.ts'
import type { Heard } from './happenings.ts'
import {
  changesOfAll,
  funding,
  indexPrice,
  interestsOfAll,
  markPrice,
  ofAll,
  ofOne,
  openInterest,
  pricesOfAll,
  ticker,
} from './markets.ts'
import { announcements, candles, liquidations, maintenance } from './news.ts'
import type { Row } from './rows.ts'
import type { LiveTopic } from './topic.ts'

const SYMBOL = 'PERP_[A-Z0-9]+_USDC(?:_[\\w-]+)?'

type Make = (name: string, interval: string) => LiveTopic

/** Every public topic of the wire. A builder's own variants, such as `demo$tickers`, say the same. */
// biome-ignore format: one topic a row
const TOPICS: readonly (readonly [RegExp, Make])[] = [
  [/^tickers$/, () => ofAll(ticker)],
  [/^markprices$/, () => ofAll(markPrice)],
  [/^indexprices$/, () => ofAll(indexPrice)],
  [/^bbos$/, bestPricesOfAll],
  [/^price_changes$/, changesOfAll],
  [/^traders_open_interests$/, interestsOfAll],
  [/^(history_charts)_(1m|5m|15m|30m|1h|4h|1d|1w)$/, (_, interval) => pricesOfAll(interval)],
  [/^liquidation$/, liquidations],
  [/^announcement$/, announcements],
  [/^maintenance_status$/, maintenance],
  [/^SPOT_([A-Z0-9]+)_USDC@indexprice$/, (base) => ofOne(`PERP_${base}_USDC`, indexPrice)],
  [onMarket('ticker'), (symbol) => ofOne(symbol, ticker)],
  [onMarket('markprice'), (symbol) => ofOne(symbol, markPrice)],
  [onMarket('openinterest'), (symbol) => ({ ...ofOne(symbol, openInterest), forcedMs: 10_000 })],
  [onMarket('estfundingrate'), (symbol) => ({ ...ofOne(symbol, funding), beatMs: 15_000 })],
  [onMarket('bbo'), bestPrices],
  [onMarket('orderbook'), wholeBook],
  [onMarket('orderbookupdate'), book],
  [onMarket('trade'), trades],
  [onMarket('kline_(1m|5m|15m|30m|1h|1d|1w|1M)'), candles],
]

/** The topic of a name; undefined for one there is not. Whether its market exists is not asked. */
export function topicNamed(name: string): LiveTopic | undefined {
  const own = name.replace(/^[\w-]{1,64}\$/, '')
  for (const [pattern, make] of TOPICS) {
    const match = pattern.exec(own)
    if (match) return make(match[1] ?? '', match[2] ?? '')
  }
  return undefined
}

/** Why a topic cannot be had, in the wire's words; null where it can. */
export function faultOf(name: string, hasMarket: (symbol: string) => boolean): string | null {
  const topic = topicNamed(name)
  if (!topic) return `invalid topic ${name.slice(0, SHOWN_CHARS)}`
  if (topic.symbol === null || hasMarket(topic.symbol)) return null
  return `invalid symbol ${topic.symbol.slice(0, SHOWN_CHARS)}`
}

const SHOWN_CHARS = 80

function onMarket(kind: string): RegExp {
  return new RegExp(`^(${SYMBOL})@${kind}$`)
}

/** Each trade by itself, none twice and none left out. */
function trades(symbol: string): LiveTopic {
  let heard: Heard<Row> | null = null
  return {
    symbol,
    beatMs: 0,
    read: (source) => {
      heard ??= source.trades(symbol)
      return heard.take()
    },
    tell: (now) => (Array.isArray(now) ? now : []),
    end: () => heard?.end(),
  }
}
