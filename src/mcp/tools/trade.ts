import { publicTool, writeTool } from '../agent-tool.ts'
import { times, usdcOf } from '../amounts.ts'
import { newOrderId } from '../market-write.ts'
import { ORDER_ARGUMENTS, prepareOrder } from '../orders/ask.ts'
import { fillReport } from '../orders/filled.ts'
import { assertSendable, sendPrepared } from '../orders/place.ts'
import { previewOf } from '../orders/preview.ts'
import type { Tool } from '../tool.ts'
import { accountView } from '../views/account.ts'
import { exactMarket, namedMarket } from '../views/market.ts'
import { cancelAllOrders, cancelOrder } from './cancel.ts'
import { closeAll } from './close-all.ts'
import { closePosition } from './close-position.ts'
import { editOrder } from './edit-order.ts'

const previewOrder = publicTool({
  name: 'preview_order',
  title: 'Preview order',
  description:
    'Check an order without sending it: broken rules, the corrected order for place_order (suggested; absent when none would pass), what the book would fill now, value in USDC and, with credentials, margin and liquidation price after. Call before place_order and show the user.',
  arguments: ORDER_ARGUMENTS,
  run: async (context, given) => {
    const { credentials } = context
    const market = await namedMarket(context, given.symbol)
    const asked = { ...given, symbol: market.symbol }
    const [prepared, account] = await Promise.all([
      prepareOrder(context, market, asked, { withBook: true }),
      credentials ? accountView({ ...context, credentials }, market.symbol) : null,
    ])
    return previewOf(context, prepared, account)
  },
})

const placeOrder = writeTool({
  name: 'place_order',
  title: 'Place order',
  description:
    'Place a REAL order with real money; it cannot be undone. Call preview_order first and get the agreement of the user. Give order_quantity (base asset) or order_amount (USDC). No leverage here: set_leverage. Answers what filled within 3 s. On outcome_unknown look it up as meta says; never just send again.',
  arguments: ORDER_ARGUMENTS,
  idempotent: false,
  run: async (context, given) => {
    const market = await exactMarket(context, given.symbol)
    const prepared = await prepareOrder(context, market, given)
    assertSendable(prepared)
    const clientOrderId = given.client_order_id ?? newOrderId(context)
    const result = await sendPrepared(context, prepared, clientOrderId)
    return {
      ...result,
      symbol: market.symbol,
      side: given.side,
      value_usdc: usdcOf(times(prepared.order.quantity, prepared.order.reference)),
      ...(await fillReport(context, result['order_id'], given.order_type)),
    }
  },
})

/** Tools that change orders and positions, and the preview before. */
export const TRADE_TOOLS: readonly Tool[] = [
  previewOrder,
  placeOrder,
  editOrder,
  cancelOrder,
  cancelAllOrders,
  closePosition,
  closeAll,
]
