import { openOrderList } from '../../book/open-orders.ts'
import { marketAt, type TradingContext } from '../../exchange/trading-context.ts'
import { type OrderRow, storedOrderRow, type TradeRow } from '../../history/account-rows.ts'
import type { RowOrder, Selected } from '../../history/row-list.ts'
import { matchesQuery, periodFilter, queryText } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import {
  marginModeText,
  sideOf,
  wirePrice,
  wireQuantity,
  wireRate,
  wireUsdc,
} from '../../messages/values.ts'
import type { EngineMarket, EngineOrder } from '../../state/state.ts'

/** The answer to an accepted order, without its outcome. `none` is the venue's text for no error. */
export function acknowledgement(order: EngineOrder) {
  const { id, clientOrderId, type, price, quantity, marketAccount } = order
  const { spec } = marketAccount.market
  return {
    order_id: id,
    client_order_id: clientOrderId,
    order_type: type,
    order_price: price === 0 ? null : wirePrice(spec, price),
    order_quantity: wireQuantity(spec, quantity),
    order_amount: order.amount === null ? null : wireUsdc(order.amount),
    error_message: 'none',
  }
}

/** A row of GET /v1/orders. */
export function orderShape(order: OrderRow, { spec }: EngineMarket, userId: number | undefined) {
  const executed = wireQuantity(spec, order.executed)
  const visible = wireQuantity(spec, order.visible)
  return {
    order_id: order.id,
    user_id: userId,
    price: order.price === 0 ? null : wirePrice(spec, order.price),
    type: order.type,
    quantity: wireQuantity(spec, order.quantity),
    // Rows stored by earlier versions have no amount.
    amount: (order.amount ?? null) === null ? null : wireUsdc(order.amount ?? 0),
    executed_quantity: executed,
    total_executed_quantity: executed,
    visible_quantity: visible,
    visible,
    symbol: spec.symbol,
    side: sideOf(order.side),
    status: order.status,
    total_fee: wireUsdc(order.fee),
    fee_asset: 'USDC',
    client_order_id: order.clientOrderId,
    average_executed_price: wirePrice(spec, averagePrice(order)),
    created_time: order.createdAtMs,
    updated_time: order.updatedAtMs,
    realized_pnl: wireUsdc(order.realizedPnl),
    executed,
    reduce_only: order.reduceOnly,
    order_tag: order.orderTag,
    margin_mode: marginModeText(order),
  }
}

/** A row of GET /v1/trades. */
export function tradeShape(trade: TradeRow, market: EngineMarket) {
  return {
    ...executionShape(trade, market),
    margin_token: 'USDC',
    margin_change_qty: 0,
    margin_mode: marginModeText(trade),
    order_enum_fee: trade.enumRate ? wireUsdc(trade.enumFee) : null,
    order_enum_fee_rate: trade.enumRate ? wireRate(trade.enumRate) : null,
  }
}

/** The members that all rows about an execution have. */
export function executionShape(
  trade: Omit<TradeRow, 'market' | 'enumFee' | 'enumRate' | 'isolated' | 'orderTag'>,
  { spec }: EngineMarket,
) {
  return {
    id: trade.id,
    symbol: spec.symbol,
    fee: wireUsdc(trade.fee),
    fee_asset: 'USDC',
    side: sideOf(trade.side),
    order_id: trade.order,
    executed_price: wirePrice(spec, trade.price),
    executed_quantity: wireQuantity(spec, trade.quantity),
    executed_timestamp: trade.atMs,
    is_maker: trade.isMaker ? 1 : 0,
    realized_pnl: wireUsdc(trade.realizedPnl),
    match_id: trade.id,
  }
}

function averagePrice({ executed, executedValue }: OrderRow): number {
  return executed === 0 ? 0 : executedValue / executed
}

/** The orders that a query selects, in the query's order. Throws -1005 for an unknown status or order. */
export function chosenOrders(context: TradingContext, query: URLSearchParams): Selected<OrderRow> {
  const hasStatus = statusFilter(query)
  const ordering = queryText(query, 'sort_by') ?? 'CREATED_TIME_DESC'
  const order = Object.hasOwn(ORDERINGS, ordering) ? ORDERINGS[ordering] : undefined
  if (!order) throw refusal('parameter', 'sort_by is invalid')
  return context.lists.orders().select({
    order,
    also: openOrderList(context.account).map(storedOrderRow),
    isWithin: periodFilter(query),
    tag: queryText(query, 'order_tag'),
    isWanted: (facet) =>
      hasStatus(facet) &&
      matchesQuery(query, {
        symbol: marketAt(context, facet).spec.symbol,
        side: sideOf(facet.side),
        order_type: facet.type,
      }),
  })
}

/** The trades that a query selects, newest first. */
export function chosenTrades(context: TradingContext, query: URLSearchParams): Selected<TradeRow> {
  return context.lists.trades().select({
    isWithin: periodFilter(query),
    isWanted: (facet) => matchesQuery(query, { symbol: marketAt(context, facet).spec.symbol }),
  })
}

const ORDERINGS: Readonly<Record<string, RowOrder>> = {
  CREATED_TIME_DESC: { by: 'atMs', isAscending: false },
  CREATED_TIME_ASC: { by: 'atMs', isAscending: true },
  UPDATED_TIME_DESC: { by: 'updatedAtMs', isAscending: false },
  UPDATED_TIME_ASC: { by: 'updatedAtMs', isAscending: true },
}

/** The statuses that each value of `status` selects. */
const STATUSES: Readonly<Record<string, (order: OrderStatus) => boolean>> = {
  NEW: ({ status }) => status === 'NEW',
  PARTIAL_FILLED: ({ status }) => status === 'PARTIAL_FILLED',
  FILLED: ({ status }) => status === 'FILLED',
  CANCELLED: ({ status }) => status === 'CANCELLED',
  REJECTED: ({ status }) => status === 'REJECTED',
  INCOMPLETE: ({ status }) => status === 'NEW' || status === 'PARTIAL_FILLED',
  COMPLETED: ({ status }) => status !== 'NEW' && status !== 'PARTIAL_FILLED',
}

type OrderStatus = { readonly status: string }

/** Tests whether an order has the queried status. Throws -1005 for an unknown status. */
export function statusFilter(query: URLSearchParams): (order: OrderStatus) => boolean {
  const name = queryText(query, 'status')
  if (name === null) return () => true
  const has = Object.hasOwn(STATUSES, name) ? STATUSES[name] : undefined
  if (!has) throw refusal('parameter', 'status is invalid')
  return has
}
