import { toAmount } from '../../../perp/amounts.ts'
import { type Exact, memberOf, rowsOf, textOf } from '../../common/exact-json.ts'
import { near } from '../../common/format.ts'

export type Level = { readonly price: bigint; readonly size: bigint }

export type Book = { readonly asks: readonly Level[]; readonly bids: readonly Level[] }

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

/** A market with what `GET /api/prep/funding` says of it. */
export function withFunding(market: Market, funding: Exact): Market {
  if (textOf(funding, 'symbol') !== market.symbol) return market
  return {
    ...market,
    fundingRate: near(textOf(funding, 'est_funding_rate')),
    nextFundingMs: Number(textOf(funding, 'next_funding_time')) || market.nextFundingMs,
  }
}

/** What the venue's status says when it is not that all is well; else ''. */
export function troubleOf(status: Exact): string {
  const code = textOf(status, 'status')
  return code === '' || code === '0' ? '' : textOf(status, 'msg') || code
}

/** The rules of `GET /api/prep/market-rules` by symbol. */
export function rulesOf(answer: Exact): ReadonlyMap<string, Rule> {
  return new Map(rowsOf(answer, 'rules').map((row) => [textOf(row, 'symbol'), ruleOf(row)]))
}

/** What an order of one market has to keep to; values are amounts, ticks are texts too. */
export type Rule = Readonly<ReturnType<typeof ruleOf>>

function ruleOf(row: Exact) {
  const info = memberOf(row, 'info')
  const value = (name: string) => near(textOf(info, name))
  return {
    symbol: textOf(row, 'symbol'),
    maxLeverage: Number(textOf(row, 'maxLeverage')) || 1,
    quoteTick: textOf(info, 'quote_tick'),
    baseTick: textOf(info, 'base_tick'),
    tick: value('quote_tick'),
    step: value('base_tick'),
    priceMin: value('quote_min'),
    priceMax: value('quote_max'),
    sizeMin: value('base_min'),
    sizeMax: value('base_max'),
    notionalMin: value('min_notional'),
    priceRange: value('price_range'),
    priceScope: value('price_scope'),
    baseImr: value('base_imr'),
    baseMmr: value('base_mmr'),
  }
}

/** The order book of `GET /api/prep/orderbook`, best first on both sides. */
export function bookOf(answer: Exact): Book {
  return {
    asks: rowsOf(answer, 'asks').flatMap(levelOf),
    bids: rowsOf(answer, 'bids').flatMap(levelOf),
  }
}

function levelOf(row: Exact): readonly Level[] {
  const [price, size] = [toAmount(textOf(row, 'price')), toAmount(textOf(row, 'quantity'))]
  return price === null || size === null ? [] : [{ price, size }]
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
