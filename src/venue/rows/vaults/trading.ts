import { liquidationPrice } from '../../engine/margin/liquidation.ts'
import { worthOf } from '../../engine/markets.ts'
import { openOf } from '../../engine/orders/chain.ts'
import { type OrderRow, orderRow, type TradeRow } from '../../engine/records/records.ts'
import type { Market } from '../../engine/state.ts'
import type { Vault } from '../../engine/vaults/vault.ts'
import type { Floor } from '../../exchange/floor.ts'
import { sideOf } from '../../orders/outcomes.ts'
import { pageOf, queryText } from '../../wire/page.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../wire/row.ts'
import { amountOf, priceOf, quantityOf, rateOf } from '../figures.ts'
import { executionShape } from '../orders/shapes.ts'
import { isAscending, vaultOf } from './lookup.ts'
import type { VaultParts } from './parts.ts'
import { takeoverPage } from './takeovers.ts'

/** The one exchange that vaults trade on. */
const EXCHANGE = 'orderly'

/** What vaults hold, offer and have traded, for anybody to see. */
export function tradingRows({ floor }: VaultParts): readonly VenueRow[] {
  const row = (name: string, answer: (vault: Vault, call: VenueCall) => unknown) =>
    publicRead(`/v1/public/strategy_vault/vault/${name}`, (call) =>
      answer(vaultOf(floor(), call.query), call),
    )
  return [
    row('positions', positions),
    row('open_orders', ({ account }, call) =>
      orders(floor(), openOf(account).map(orderRow), call, (order, market) => ({
        exchange: EXCHANGE,
        ...orderShape(order, market),
        is_triggered: 'false',
      })),
    ),
    row('order_history', ({ account }, call) => {
      const open = openOf(account).map(orderRow)
      const all = [...open, ...floor().records.of(account).orders]
      return orders(floor(), all, call, (order, market) => ({
        ...orderShape(order, market),
        is_triggered: false,
      }))
    }),
    row('trade_history', ({ account }, call) => {
      const { trades } = floor().records.of(account)
      return listed(floor(), trades, call, rankOfTrade, (trade, market) => ({
        exchange: EXCHANGE,
        ...executionShape(trade, market),
      }))
    }),
    row('liquidator_history', (vault, call) => takeoverPage(floor(), vault, call)),
  ]
}

function positions({ account }: Vault) {
  const open = account.used.filter(({ quantity }) => quantity !== 0)
  return {
    rows: open.map((exposure) => {
      const { market, quantity, averageOpen } = exposure
      return {
        exchange: EXCHANGE,
        symbol: market.spec.symbol,
        position_qty: quantityOf(market.spec, quantity),
        average_open_price: rateOf(averageOpen),
        mark_price: priceOf(market.spec, market.mark),
        est_liq_price: priceOf(market.spec, liquidationPrice(exposure)),
      }
    }),
  }
}

type Rank = readonly [atMs: number, id: number]

/** A page of those of a symbol, the newest first unless asked otherwise. */
function listed<Row extends { readonly market: number }>(
  { engine }: Floor,
  all: readonly Row[],
  { query }: VenueCall,
  rankOf: (row: Row) => Rank,
  shapeOf: (row: Row, market: Market) => unknown,
) {
  const { markets } = engine.world.exchange
  const symbol = queryText(query, 'symbol')
  const direction = isAscending(query) ? 1 : -1
  const chosen = all
    .filter(({ market }) => symbol === null || markets[market]?.spec.symbol === symbol)
    .sort((a, b) => direction * compare(rankOf(a), rankOf(b)))
  const { meta, rows } = pageOf(chosen, query)
  return {
    meta,
    rows: rows.flatMap((row) => {
      const market = markets[row.market]
      return market ? [shapeOf(row, market)] : []
    }),
  }
}

function rankOfTrade({ atMs, id }: TradeRow): Rank {
  return [atMs, id]
}

function compare([atMs, id]: Rank, [otherMs, other]: Rank): number {
  return atMs - otherMs || id - other
}

function orders(
  floor: Floor,
  all: readonly OrderRow[],
  call: VenueCall,
  shapeOf: (order: OrderRow, market: Market) => unknown,
) {
  return listed(floor, all, call, ({ updatedAtMs, id }) => [updatedAtMs, id], shapeOf)
}

function orderShape(order: OrderRow, { spec }: Market) {
  const { price, quantity, executed, executedValue, valued } = order
  const filled = quantityOf(spec, executed)
  return {
    order_id: order.id,
    created_time: order.createdAtMs,
    updated_time: order.updatedAtMs,
    type: order.type,
    symbol: spec.symbol,
    side: sideOf(order.side),
    quantity: quantityOf(spec, quantity),
    price: price === 0 ? null : priceOf(spec, price),
    amount: amountOf(worthOf(spec, valued, quantity)),
    executed_quantity: filled,
    total_executed_quantity: filled,
    average_executed_price: priceOf(spec, executed === 0 ? 0 : executedValue / executed),
    status: order.status,
    child_orders: [],
  }
}
