import type { VenueState } from '../../exchange/state.ts'
import type { MarketFeed } from '../../feed/live-feed.ts'
import type { Market } from '../../listing/instruments.ts'
import { queryText, requiredQuery } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { publicReads, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { amountOf, quantityOf, rateOf } from '../../messages/values.ts'
import { ORDER_ENUMS, type OrderEnum } from '../../orders/request.ts'
import { buildersOf, usersOf, volumeThrough } from '../../programs/builders.ts'
import { futureOf } from './markets.ts'

export type BuilderParts = {
  readonly feed: MarketFeed
  readonly exchange: VenueState
  readonly beginsAtMs: number
}

/** The public rows about builders: their users, volume and order tags. */
export function builderRows(parts: BuilderParts): readonly VenueRow[] {
  const { exchange, beginsAtMs } = parts
  const asked = (query: URLSearchParams) => buildersOf(exchange, queryText(query, 'broker_id'))
  return publicReads({
    '/v1/public/broker/name': ({ query }) => ({
      rows: asked(query).map(({ id, name }) => ({ broker_id: id, broker_name: name })),
    }),
    '/v1/public/broker/stats': ({ query }) => ({
      rows: asked(query).map((builder) => ({ connected_user: usersOf(exchange, builder) })),
    }),
    '/v1/public/futures_market': (call) => marketVolume(parts, call),
    '/v1/public/broker/order_enums': (call) => orderTags(parts, call),
    '/v1/public/broker/order_enum': ({ query }) => {
      requiredQuery(query, 'broker_id')
      const id = requiredQuery(query, 'enum_id')
      const found = ORDER_ENUMS.find((each) => each.id === id)
      if (!found) throw refusal('notFound', 'The order tag is not found')
      return tagRow(found, beginsAtMs, null)
    },
  })
}

/** All markets or one, for a builder with its volume. */
function marketVolume({ feed, exchange }: BuilderParts, { query, nowMs }: VenueCall) {
  const symbol = queryText(query, 'symbol')
  const id = queryText(query, 'broker_id')
  const asked = symbol === null ? null : marketNamed(feed, symbol)
  const [builder] = id === null ? [] : buildersOf(exchange, id)
  const { bySymbol } = exchange.simulation().engine.world.exchange
  const rowOf = (market: Market) => {
    const row = futureOf(feed, market, nowMs)
    const traded = bySymbol.get(market.symbol)
    if (!builder || !traded) return row
    const { quantity, amount } = volumeThrough(exchange, builder, traded, nowMs)
    return {
      ...row,
      '24h_volume': quantityOf(traded.spec, quantity),
      '24h_amount': amountOf(amount),
    }
  }
  return { rows: (asked ? [asked] : [...feed.instruments.values()]).map(rowOf) }
}

function marketNamed({ instruments }: MarketFeed, symbol: string): Market {
  const market = instruments.get(symbol)
  if (!market) throw refusal('parameter', 'symbol is invalid')
  return market
}

/** A builder's order tags, the same for all builders and never archived; for one market with its rate alone. */
function orderTags({ feed, beginsAtMs }: BuilderParts, { query }: VenueCall) {
  requiredQuery(query, 'broker_id')
  const symbol = queryText(query, 'symbol')
  if (symbol !== null) marketNamed(feed, symbol)
  const id = queryText(query, 'enum_id')
  return ORDER_ENUMS.filter((each) => id === null || each.id === id).map((each) =>
    tagRow(each, beginsAtMs, symbol),
  )
}

function tagRow(tag: OrderEnum, beginsAtMs: number, symbol: string | null) {
  const overrides = Object.entries(tag.overrides).filter(
    ([market]) => symbol === null || market === symbol,
  )
  return {
    enum_id: tag.id,
    name: tag.name,
    description: tag.description,
    status: 'active',
    default_fee_rate: rateOf(tag.rate),
    pair_overrides: Object.fromEntries(
      overrides.map(([market, rate]) => [market, rateOf(rate)] as const),
    ),
    created_time: beginsAtMs,
    updated_time: beginsAtMs,
  }
}
