import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contract/durations.ts'
import { DECIMAL_ONE, parseScaled } from '../../base/decimals.ts'
import type { MarketFeed } from '../../feed/live-feed.ts'
import type { Market } from '../../listing/instruments.ts'
import { positive, queryText, requiredQuery } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { publicReadRows, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { fixed, micro } from '../../messages/values.ts'
import { CANDLE_SPANS, spanBefore, spanStart } from '../../past/spans.ts'
import type { MarketStatus } from '../../state/market-spec.ts'

const TRADES_DEFAULT = 10
const TRADES_MAX = 1000
const CHART_POINTS = 24

/** Spans of price changes. Minutes count back from the current minute, days from the last midnight. */
const CHANGES = [
  { name: '5m', unitMs: MINUTE_MS, backMs: 5 * MINUTE_MS },
  { name: '30m', unitMs: MINUTE_MS, backMs: 30 * MINUTE_MS },
  { name: '1h', unitMs: MINUTE_MS, backMs: HOUR_MS },
  { name: '4h', unitMs: MINUTE_MS, backMs: 4 * HOUR_MS },
  { name: '24h', unitMs: MINUTE_MS, backMs: DAY_MS },
  { name: '3d', unitMs: DAY_MS, backMs: 3 * DAY_MS },
  { name: '7d', unitMs: DAY_MS, backMs: 7 * DAY_MS },
  { name: '30d', unitMs: DAY_MS, backMs: 30 * DAY_MS },
] as const

/** Public endpoints about markets: prices, rules, trades, and figures derived from them. */
export function marketRows({ feed }: { readonly feed: MarketFeed }): readonly VenueRow[] {
  const markets = [...feed.instruments.values()]
  const ofAll = (rowOf: (market: Market, call: VenueCall) => unknown) => (call: VenueCall) => ({
    rows: markets.map((market) => rowOf(market, call)),
  })
  const ofOne = (rowOf: (market: Market, call: VenueCall) => unknown) => (call: VenueCall) => {
    const market = feed.instruments.get(call.params['symbol'] ?? '')
    return market && rowOf(market, call)
  }
  const rules = (market: Market) => marketRulesRow(market, feed.status(market.symbol))
  const future = (market: Market, { nowMs }: VenueCall) => futureRow(feed, market, nowMs)

  return publicReadRows({
    '/v1/public/futures': ofAll(future),
    '/v1/public/futures/{symbol}': ofOne(future),
    '/v1/public/info': ofAll(rules),
    '/v1/public/info/{symbol}': ofOne(rules),
    '/v1/public/market_info/price_changes': ofAll((market, { nowMs }) =>
      priceChangeRow(feed, market, nowMs),
    ),
    '/v1/public/market_info/traders_open_interests': ofAll((market) =>
      openInterestRow(feed, market),
    ),
    '/v1/public/market_info/history_charts': (call) => charts(feed, markets, call),
    '/v1/public/market_trades': (call) => trades(feed, call),
    // The index of a seeded world has no external sources.
    '/v1/public/index_price_source': ofAll(({ base }, { nowMs }) => ({
      symbol: `SPOT_${base}_USDC`,
      updated_time: spanStart(HOUR_MS, nowMs),
      sources: ['seed'],
    })),
    // All markets of this venue are open at all hours.
    '/v1/public/rwa/info': () => ({
      rows: markets
        .filter(({ tier }) => tier.isRwa === true)
        .map(({ symbol }) => ({ symbol, next_open: null, next_close: null })),
    }),
    '/v1/public/leverage': () => ({ max_futures_leverage: '100' }),
  })
}

/** A market's row: its prices, its funding and its last 24 hours. */
export function futureRow(feed: MarketFeed, market: Market, nowMs: number) {
  const { symbol } = market
  const funding = feed.funding(symbol)
  const day = feed.day(symbol, nowMs)
  return {
    ...marketIdentity(market, feed.status(symbol)),
    index_price: fixed(feed.index(symbol)),
    mark_price: fixed(feed.mark(symbol)),
    sum_unitary_funding: fixed(funding.sumUnitary),
    est_funding_rate: fixed(funding.estimatedRate),
    last_funding_rate: fixed(funding.lastRate),
    next_funding_time: funding.nextAtMs,
    open_interest: fixed(feed.openInterest(symbol).total),
    '24h_open': fixed(day.open),
    '24h_close': fixed(day.close),
    '24h_high': fixed(day.high),
    '24h_low': fixed(day.low),
    '24h_volume': fixed(day.volume),
    '24h_amount': micro(day.amount),
  }
}

function priceChangeRow(feed: MarketFeed, { symbol }: Market, nowMs: number) {
  const [last] = feed.tape(symbol, 1)
  const then = CHANGES.map(({ name, unitMs, backMs }) => {
    const atMs = spanStart(unitMs, nowMs) - backMs
    const [candle] = feed.candles(symbol, MINUTE_MS, atMs, atMs + MINUTE_MS, nowMs)
    return [name, fixed(candle?.open ?? 0n)]
  })
  return { symbol, last_price: fixed(last?.price ?? 0n), ...Object.fromEntries(then) }
}

function openInterestRow(feed: MarketFeed, { symbol }: Market) {
  const { tradersLong, tradersShort } = feed.openInterest(symbol)
  return { symbol, long_oi: fixed(tradersLong), short_oi: fixed(tradersShort) }
}

function charts(feed: MarketFeed, markets: readonly Market[], { query, nowMs }: VenueCall) {
  const spanMs = CANDLE_SPANS.get(queryText(query, 'time_interval') ?? '1h')
  if (spanMs === undefined) throw refusal('parameter', 'time_interval is invalid')
  const starts = Array.from({ length: CHART_POINTS }, (_, back) =>
    spanBefore(spanMs, nowMs, CHART_POINTS - 1 - back),
  )
  const pricePoints = (symbol: string) =>
    starts.map((ts) => {
      // The close is the price of the last trade before the end of the span, so earlier trades need not be read.
      return { ts, price: fixed(feed.priceThen(symbol, Math.min(ts + spanMs - 1, nowMs))) }
    })
  return { rows: markets.map(({ symbol }) => ({ symbol, price_list: pricePoints(symbol) })) }
}

function trades(feed: MarketFeed, { query }: VenueCall) {
  const symbol = requiredQuery(query, 'symbol')
  const count = Math.min(positive(query, 'limit', TRADES_DEFAULT), TRADES_MAX)
  if (!feed.instruments.has(symbol)) return undefined
  const rows = feed.tape(symbol, count).map((tick) => ({
    symbol,
    side: tick.side,
    executed_price: fixed(tick.price),
    executed_quantity: fixed(tick.quantity),
    executed_timestamp: tick.atMs,
  }))
  return { rows }
}

const INTEREST_RATE = '0.0001'
const INTEREST_BOUND = '0.0004'
const RULES_UPDATED_AT_MS = 1_777_000_000_000

/** The members that begin each public row of a market. */
function marketIdentity({ symbol, base, listedBy }: Market, status: MarketStatus) {
  return {
    symbol,
    display_symbol_name: base,
    status,
    broker_id: listedBy,
    is_pretge: false,
  }
}

/** A market's row in `/v1/public/info`. */
function marketRulesRow(market: Market, status: MarketStatus) {
  const { tier } = market
  const deviation = BigInt(tier.deviationFactor) * market.capFunding
  return {
    ...marketIdentity(market, status),
    quote_min: fixed(market.quoteMin),
    quote_max: fixed(market.quoteMax),
    quote_tick: fixed(market.quoteTick),
    base_min: fixed(market.baseMin),
    base_max: fixed(market.baseMax),
    base_tick: fixed(market.baseTick),
    min_notional: Number(market.minNotional / 1_000_000n),
    price_range: fixed(market.priceRange),
    price_scope: fixed(market.priceScope),
    std_liquidation_fee: fixed(parseScaled(tier.liquidationFee)),
    liquidator_fee: fixed(parseScaled(tier.liquidatorFee)),
    claim_insurance_fund_discount: fixed(parseScaled(tier.claimDiscount)),
    funding_period: market.fundingPeriodHours,
    cap_funding: fixed(market.capFunding),
    floor_funding: fixed(market.floorFunding),
    cap_ir: fixed(parseScaled(INTEREST_BOUND)),
    floor_ir: fixed(-parseScaled(INTEREST_BOUND)),
    interest_rate: fixed(parseScaled(INTEREST_RATE)),
    imr_factor: market.imrFactor,
    created_time: market.createdAtMs,
    updated_time: RULES_UPDATED_AT_MS,
    base_mmr: fixed(market.baseMmr),
    base_imr: fixed(market.baseImr),
    liquidation_tier: tier.liquidationTier,
    global_max_oi_cap: tier.openInterestMaxUsdc,
    mark_index_price_deviation_floor: fixed(DECIMAL_ONE - deviation),
    mark_index_price_deviation_cap: fixed(DECIMAL_ONE + deviation),
    deviation_factor: tier.deviationFactor,
  }
}
