import type { Market } from '../engine/state.ts'
import { orderShape, tradeShape } from '../rows/orders/shapes.ts'
import type { OrderMoment } from './happenings.ts'
import type { Row } from './rows.ts'

/** An execution report: the order, and the execution that it is about, if it is about one. */
export function reportOf({ order, trade }: OrderMoment, market: Market): Row {
  const shown = orderShape(order, market, undefined)
  const fill = trade && tradeShape(trade, market)
  return {
    symbol: shown.symbol,
    clientOrderId: shown.client_order_id,
    orderId: shown.order_id,
    type: shown.type,
    side: shown.side,
    quantity: shown.quantity,
    price: shown.price,
    tradeId: fill?.id ?? 0,
    executedPrice: fill?.executed_price ?? 0,
    executedQuantity: fill?.executed_quantity ?? 0,
    fee: fill?.fee ?? 0,
    feeAsset: 'USDC',
    totalExecutedQuantity: shown.total_executed_quantity,
    avgExecutedPrice: shown.average_executed_price,
    status: shown.status,
    reason: '',
    totalFee: shown.total_fee,
    visibleQuantity: shown.visible_quantity,
    timestamp: fill?.executed_timestamp ?? shown.updated_time,
    reduceOnly: shown.reduce_only,
    orderTag: shown.order_tag,
    marginMode: shown.margin_mode,
    maker: fill?.is_maker === 1,
    matchId: fill?.match_id,
    match_id: fill?.match_id,
    seq: fill?.id ?? shown.order_id,
  }
}
