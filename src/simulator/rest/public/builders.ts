import { HOUR_MS } from '../../../contract/durations.ts'
import type { VenueState } from '../../exchange/state.ts'
import { AGENTS_BROKER, accountOwner, traderAccounts } from '../../exchange/trading-context.ts'
import type { MarketFeed } from '../../feed/live-feed.ts'
import { HOURS_KEPT, type HourRow } from '../../history/turnover.ts'
import type { Market } from '../../listing/instruments.ts'
import { queryText, requiredQuery } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { publicReadRows, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { wireQuantity, wireRate, wireUsdc } from '../../messages/values.ts'
import { ORDER_ENUMS, type OrderEnum } from '../../orders/request.ts'
import { barBetween } from '../../state/market-history.ts'
import type { EngineMarket } from '../../state/state.ts'
import { futureRow } from './markets.ts'

type BuilderSources = {
  readonly feed: MarketFeed
  readonly exchange: VenueState
  readonly beginsAtMs: number
}

/** Public endpoints about builders: their users, volume and order tags. */
export function builderRows(parts: BuilderSources): readonly VenueRow[] {
  const { exchange, beginsAtMs } = parts
  const asked = (query: URLSearchParams) => listedBuilders(exchange, queryText(query, 'broker_id'))
  return publicReadRows({
    '/v1/public/broker/name': ({ query }) => ({
      rows: asked(query).map(({ id, name }) => ({ broker_id: id, broker_name: name })),
    }),
    '/v1/public/broker/stats': ({ query }) => ({
      rows: asked(query).map((builder) => ({
        connected_user: builderUserCount(exchange, builder),
      })),
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

/** The volume of a builder in all markets or in one. */
function marketVolume({ feed, exchange }: BuilderSources, { query, nowMs }: VenueCall) {
  const symbol = queryText(query, 'symbol')
  const id = queryText(query, 'broker_id')
  const asked = symbol === null ? null : marketNamed(feed, symbol)
  const [builder] = id === null ? [] : listedBuilders(exchange, id)
  const { bySymbol } = exchange.simulation().engine.world.exchange
  const builderFutureRow = (market: Market) => {
    const row = futureRow(feed, market, nowMs)
    const traded = bySymbol.get(market.symbol)
    if (!builder || !traded) return row
    const { quantity, amount } = volumeThrough(exchange, builder, traded, nowMs)
    return {
      ...row,
      '24h_volume': wireQuantity(traded.spec, quantity),
      '24h_amount': wireUsdc(amount),
    }
  }
  return { rows: (asked ? [asked] : [...feed.instruments.values()]).map(builderFutureRow) }
}

function marketNamed({ instruments }: MarketFeed, symbol: string): Market {
  const market = instruments.get(symbol)
  if (!market) throw refusal('parameter', 'symbol is invalid')
  return market
}

/** The order tags, which are equal for all builders and never archived. For one market, only its rate is shown. */
function orderTags({ feed, beginsAtMs }: BuilderSources, { query }: VenueCall) {
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
    default_fee_rate: wireRate(tag.rate),
    pair_overrides: Object.fromEntries(
      overrides.map(([market, rate]) => [market, wireRate(rate)] as const),
    ),
    created_time: beginsAtMs,
    updated_time: beginsAtMs,
  }
}

/** A builder: a front end of the venue. */
type Builder = { readonly id: string; readonly name: string }

/** The builder that every world has. Any other id counts as a builder once it is queried or has an account. */
const BUILDERS: readonly Builder[] = [{ id: AGENTS_BROKER, name: 'Demo X' }]

/** All builders that have an account, or the queried builder. */
function listedBuilders(exchange: VenueState, id: string | null): readonly Builder[] {
  const ids = id === null ? [...BUILDERS.map((each) => each.id), ...accountBrokers(exchange)] : [id]
  return [...new Set(ids)].map(
    (each) => BUILDERS.find((known) => known.id === each) ?? { id: each, name: each },
  )
}

function accountBrokers({ accounts }: VenueState): string[] {
  return Array.from(accounts.values(), ({ profile }) => profile.brokerId)
}

/** The number of a builder's users. Simulated traders count, sub-accounts do not. */
function builderUserCount(exchange: VenueState, { id }: Builder): number {
  const isMain = (key: string) => exchange.accounts.get(key)?.profile.main === undefined
  return traderAccounts(exchange).filter(
    (account) => accountOwner(exchange, account).brokerId === id && isMain(account.key),
  ).length
}

/** A volume in steps and in micro-USDC. */
type Volume = { readonly quantity: number; readonly amount: number }

/**
 * The volume of a builder in a market, in the current hour and the 23 hours before. It has the trades of the builder's
 * accounts, and the trades of other accounts with the builder's order tags. A trade between two of the builder's
 * accounts counts twice.
 */
function volumeThrough(
  exchange: VenueState,
  { id }: Builder,
  market: EngineMarket,
  nowMs: number,
): Volume {
  const firstHour = Math.floor(nowMs / HOUR_MS) - HOURS_KEPT + 1
  const rows = exchange
    .simulation()
    .hours.rows.filter((row) => row.market === market.number && row.hour >= firstHour)
  const isAt = (row: HourRow) => rowBroker(exchange, row) === id
  const tagged = totalVolume(rows.filter((row) => row.tagOwner === id && !isAt(row)))
  // Every trade has two sides, and the side of an account without a builder counts for the simulated traders.
  if (id !== AGENTS_BROKER) return plus(totalVolume(rows.filter(isAt)), tagged, 1)
  const all = marketTurnover(exchange, market, firstHour * HOUR_MS, nowMs)
  const others = totalVolume(rows.filter((row) => !isAt(row)))
  return plus(plus(plus(all, all, 1), others, -1), tagged, 1)
}

function plus(a: Volume, b: Volume, sign: 1 | -1): Volume {
  return { quantity: a.quantity + sign * b.quantity, amount: a.amount + sign * b.amount }
}

function marketTurnover(
  { simulation }: VenueState,
  market: EngineMarket,
  fromMs: number,
  nowMs: number,
): Volume {
  const history = simulation().engine.world.scenes[market.number]?.history
  if (!history) return { quantity: 0, amount: 0 }
  const bar = barBetween(history, fromMs, nowMs + 1)
  return { quantity: bar.volume, amount: bar.amount * market.spec.unit }
}

function rowBroker(exchange: VenueState, { account }: HourRow): string {
  const { accounts } = exchange.simulation().engine.world.exchange
  const owner = accounts[account]
  return owner ? accountOwner(exchange, owner).brokerId : AGENTS_BROKER
}

function totalVolume(rows: readonly HourRow[]): Volume {
  return rows.reduce<Volume>((sum, row) => plus(sum, row, 1), { quantity: 0, amount: 0 })
}
