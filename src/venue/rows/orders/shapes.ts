import type { OrderRow, TradeRow } from '../../engine/records/records.ts'
import type { Market, Order } from '../../engine/state.ts'
import { modeOf, sideOf } from '../../orders/outcomes.ts'
import { amountOf, priceOf, quantityOf, rateOf } from '../figures.ts'

/** The answer to an order: that it was accepted, not what became of it. `none` is the venue's word for no error. */
export function acknowledgement(order: Order) {
  const { id, clientOrderId, type, price, quantity, exposure } = order
  const { spec } = exposure.market
  return {
    order_id: id,
    client_order_id: clientOrderId,
    order_type: type,
    order_price: price === 0 ? null : priceOf(spec, price),
    order_quantity: quantityOf(spec, quantity),
    order_amount: order.amount === null ? null : amountOf(order.amount),
    error_message: 'none',
  }
}

/** A row of GET /v1/orders. */
export function orderShape(order: OrderRow, { spec }: Market, userId: number | undefined) {
  const executed = quantityOf(spec, order.executed)
  const visible = quantityOf(spec, order.visible)
  return {
    order_id: order.id,
    user_id: userId,
    price: order.price === 0 ? null : priceOf(spec, order.price),
    type: order.type,
    quantity: quantityOf(spec, order.quantity),
    // Rows that were stored before there were amounts have none.
    amount: (order.amount ?? null) === null ? null : amountOf(order.amount ?? 0),
    executed_quantity: executed,
    total_executed_quantity: executed,
    visible_quantity: visible,
    visible,
    symbol: spec.symbol,
    side: sideOf(order.side),
    status: order.status,
    total_fee: amountOf(order.fee),
    fee_asset: 'USDC',
    client_order_id: order.clientOrderId,
    average_executed_price: priceOf(spec, averageOf(order)),
    created_time: order.createdAtMs,
    updated_time: order.updatedAtMs,
    realized_pnl: amountOf(order.realizedPnl),
    executed,
    reduce_only: order.reduceOnly,
    order_tag: order.orderTag,
    margin_mode: modeOf(order),
  }
}

/** A row of GET /v1/trades. */
export function tradeShape(trade: TradeRow, market: Market) {
  return {
    ...executionShape(trade, market),
    margin_token: 'USDC',
    margin_change_qty: 0,
    margin_mode: modeOf(trade),
    order_enum_fee: trade.enumRate ? amountOf(trade.enumFee) : null,
    order_enum_fee_rate: trade.enumRate ? rateOf(trade.enumRate) : null,
  }
}

/** What every row about an execution says of it. */
export function executionShape(trade: TradeRow, { spec }: Market) {
  return {
    id: trade.id,
    symbol: spec.symbol,
    fee: amountOf(trade.fee),
    fee_asset: 'USDC',
    side: sideOf(trade.side),
    order_id: trade.order,
    executed_price: priceOf(spec, trade.price),
    executed_quantity: quantityOf(spec, trade.quantity),
    executed_timestamp: trade.atMs,
    is_maker: trade.isMaker ? 1 : 0,
    realized_pnl: amountOf(trade.realizedPnl),
    match_id: trade.id,
  }
}

function averageOf({ executed, executedValue }: OrderRow): number {
  return executed === 0 ? 0 : executedValue / executed
}
