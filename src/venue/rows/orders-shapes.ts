import { mulDiv } from '../../core/decimals.ts'
import type { Account, Order, Trade } from '../exchange/state.ts'
import { fixed, micro } from '../wire/number.ts'

/** The answer to an order: that it was accepted, not what became of it. `none` is the venue's word for no error. */
export function acknowledgement(order: Order) {
  const { id, clientOrderId, type, price, quantity } = order
  return {
    order_id: id,
    client_order_id: clientOrderId,
    order_type: type,
    order_price: price === null ? null : fixed(price),
    order_quantity: fixed(quantity),
    order_amount: null,
    error_message: 'none',
  }
}

/** A row of GET /v1/orders. */
export function orderRow(order: Order, { profile }: Account) {
  const executed = fixed(order.executed)
  const visible = fixed(order.visible)
  return {
    order_id: order.id,
    user_id: profile.userId,
    price: order.price === null ? null : fixed(order.price),
    type: order.type,
    quantity: fixed(order.quantity),
    amount: null,
    executed_quantity: executed,
    total_executed_quantity: executed,
    visible_quantity: visible,
    visible,
    symbol: order.symbol,
    side: order.side,
    status: order.status,
    total_fee: micro(order.fee),
    fee_asset: 'USDC',
    client_order_id: order.clientOrderId,
    average_executed_price: fixed(averageOf(order)),
    created_time: order.createdAtMs,
    updated_time: order.updatedAtMs,
    realized_pnl: micro(order.realizedPnl),
    executed,
    reduce_only: order.reduceOnly,
    order_tag: order.orderTag,
    margin_mode: 'CROSS',
  }
}

/** A row of GET /v1/trades. */
export function tradeRow(trade: Trade) {
  return {
    id: trade.id,
    symbol: trade.symbol,
    fee: micro(trade.fee),
    fee_asset: 'USDC',
    side: trade.side,
    order_id: trade.orderId,
    executed_price: fixed(trade.price),
    executed_quantity: fixed(trade.quantity),
    executed_timestamp: trade.atMs,
    is_maker: trade.isMaker ? 1 : 0,
    realized_pnl: micro(trade.realizedPnl),
    match_id: trade.matchId,
    margin_token: 'USDC',
    margin_change_qty: 0,
    margin_mode: 'CROSS',
    order_enum_fee: null,
    order_enum_fee_rate: null,
  }
}

function averageOf({ executed, executedValue }: Order): bigint {
  return executed === 0n ? 0n : mulDiv(executedValue, 1n, executed, 'half')
}
