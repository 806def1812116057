import { rowsAt } from '../../../core/json.ts'
import { type MarketRules, toMarketRules } from '../../../perp/market-rules.ts'
import { type Exact, rowsOf, textOf } from '../../common/exact-json.ts'
import { near } from '../../common/format.ts'

/** The markets of `GET /api/prep/markets`, as it orders them. */
export function marketsOf(answer: Exact): readonly Market[] {
  return rowsOf(answer, 'markets').map(marketOf)
}

/** One market as the list shows it; values are amounts. */
export type Market = Readonly<ReturnType<typeof marketOf>>

function marketOf(row: Exact) {
  return {
    symbol: textOf(row, 'symbol'),
    name: textOf(row, 'display_symbol_name'),
    base: textOf(row, 'base'),
    mark: near(textOf(row, 'mark_price')),
    index: near(textOf(row, 'index_price')),
    changePct: near(textOf(row, 'change24hPct')),
    amount24h: near(textOf(row, '24h_amount')),
    high24h: near(textOf(row, '24h_high')),
    low24h: near(textOf(row, '24h_low')),
    openInterest: near(textOf(row, 'open_interest')),
    fundingRate: near(textOf(row, 'est_funding_rate')),
    nextFundingMs: Number(textOf(row, 'next_funding_time')),
  }
}

/** A market with its funding from `GET /api/prep/funding`. */
export function withFunding(market: Market, funding: Exact): Market {
  if (textOf(funding, 'symbol') !== market.symbol) return market
  return {
    ...market,
    fundingRate: near(textOf(funding, 'est_funding_rate')),
    nextFundingMs: Number(textOf(funding, 'next_funding_time')) || market.nextFundingMs,
  }
}

/** The venue's message about a status that is not normal; else ''. */
export function troubleOf(status: Exact): string {
  const code = textOf(status, 'status')
  return code === '' || code === '0' ? '' : textOf(status, 'msg') || code
}

/** The rules of `GET /api/prep/market-rules` by symbol. */
export function rulesBySymbol(answer: Exact): ReadonlyMap<string, MarketRules> {
  return new Map(
    rowsAt(answer, 'rules')
      .map(toMarketRules)
      .map((rules) => [rules.symbol, rules]),
  )
}

/** The tape of `GET /api/prep/trades`, newest first. */
export function tradesOf(answer: Exact) {
  return rowsOf(answer, 'trades').map((row) => ({
    side: sideOf(row),
    price: near(textOf(row, 'executed_price')),
    size: near(textOf(row, 'executed_quantity')),
    atMs: Number(textOf(row, 'executed_timestamp')),
  }))
}

/** The side of a row. */
export function sideOf(row: Exact): 'BUY' | 'SELL' {
  return textOf(row, 'side') === 'BUY' ? 'BUY' : 'SELL'
}

/** A candle, for painting: floats. */
export type Candle = Readonly<ReturnType<typeof candlesOf>[number]>

/** The candles of `GET /api/prep/candles`, oldest first; times in seconds of the reader's zone, as the chart takes them. */
export function candlesOf(answer: Exact, zoneOffsetMs: (atMs: number) => number) {
  return rowsOf(answer, 'rows').map((row) => {
    const atMs = Number(textOf(row, 'timestamp'))
    const value = (name: string) => Number(textOf(row, name))
    return {
      time: (atMs - zoneOffsetMs(atMs)) / 1000,
      open: value('open'),
      high: value('high'),
      low: value('low'),
      close: value('close'),
      volume: value('volume'),
    }
  })
}
