import { rowsAt } from '../../../core/json.ts'
import { type MarketRules, toMarketRules } from '../../../perp/market-rules.ts'
import { type Exact, memberRows, memberText } from '../../common/exact-json.ts'
import { displayDecimal } from '../../common/format.ts'

/** The markets of `GET /api/prep/markets`, in the same order. */
export function toListedMarkets(answer: Exact): readonly ListedMarket[] {
  return memberRows(answer, 'markets').map(toListedMarket)
}

/** A market in the list; numbers are amounts. */
export type ListedMarket = Readonly<ReturnType<typeof toListedMarket>>

function toListedMarket(row: Exact) {
  return {
    symbol: memberText(row, 'symbol'),
    name: memberText(row, 'display_symbol_name'),
    base: memberText(row, 'base'),
    mark: displayDecimal(memberText(row, 'mark_price')),
    index: displayDecimal(memberText(row, 'index_price')),
    changePct: displayDecimal(memberText(row, 'change24hPct')),
    amount24h: displayDecimal(memberText(row, '24h_amount')),
    high24h: displayDecimal(memberText(row, '24h_high')),
    low24h: displayDecimal(memberText(row, '24h_low')),
    openInterest: displayDecimal(memberText(row, 'open_interest')),
    fundingRate: displayDecimal(memberText(row, 'est_funding_rate')),
    nextFundingMs: Number(memberText(row, 'next_funding_time')),
  }
}

/** The market with newer funding from `GET /api/prep/funding`. */
export function withFunding(market: ListedMarket, funding: Exact): ListedMarket {
  if (memberText(funding, 'symbol') !== market.symbol) return market
  return {
    ...market,
    fundingRate: displayDecimal(memberText(funding, 'est_funding_rate')),
    nextFundingMs: Number(memberText(funding, 'next_funding_time')) || market.nextFundingMs,
  }
}

/** The venue's message about an abnormal status; '' for a normal status. */
export function statusTrouble(status: Exact): string {
  const code = memberText(status, 'status')
  return code === '' || code === '0' ? '' : memberText(status, 'msg') || code
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
export function tradeRows(answer: Exact) {
  return memberRows(answer, 'trades').map((row) => ({
    side: rowSide(row),
    price: displayDecimal(memberText(row, 'executed_price')),
    size: displayDecimal(memberText(row, 'executed_quantity')),
    atMs: Number(memberText(row, 'executed_timestamp')),
  }))
}

/** The side of a row; SELL unless it is BUY. */
export function rowSide(row: Exact): 'BUY' | 'SELL' {
  return memberText(row, 'side') === 'BUY' ? 'BUY' : 'SELL'
}

/** A candle for the chart, with numbers as floats. */
export type ChartCandle = Readonly<ReturnType<typeof chartCandles>[number]>

/**
 * The candles of `GET /api/prep/candles`, oldest first. Times are in seconds, shifted to the user's time zone for the
 * chart.
 */
export function chartCandles(answer: Exact, zoneOffsetMs: (atMs: number) => number) {
  return memberRows(answer, 'rows').map((row) => {
    const atMs = Number(memberText(row, 'timestamp'))
    const value = (name: string) => Number(memberText(row, name))
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
