import { accountView } from './account-view.ts'
import { publicTool, type SignedContext, writeTool } from './agent-tool.ts'
import { times, usdcNumber, usdcOf } from './amounts.ts'
import { closePosition } from './close-position.ts'
import { editOrder } from './edit-order.ts'
import { exactMarket, namedMarket } from './market-view.ts'
import { isPriced, ORDER_ARGUMENTS, type PreparedOrder, prepareOrder } from './order-ask.ts'
import { previewOf } from './order-preview.ts'
import { newOrderId, orderBody, sendOrder, suggestedArguments } from './order-send.ts'
import { refusal } from './refusal.ts'
import { type Tool, ToolFailure } from './tool.ts'
import { cancelAllOrders, cancelOrder } from './tools-cancel.ts'

const previewOrder = publicTool({
  name: 'preview_order',
  title: 'Preview order',
  description:
    'Check an order without sending it: broken rules, the corrected order ready for place_order (suggested), what the book would fill now, value in USDC and, with credentials, margin and liquidation price after. Computed here, not by the exchange. Call before place_order and show the user.',
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
    'Place a REAL order with real money; it cannot be undone. Call preview_order first and get the agreement of the user. Give order_quantity (base asset) or order_amount (USDC). No leverage here: set_leverage. The answer only says accepted: get_order tells what filled. On outcome_unknown look it up as meta says; never just send again.',
  arguments: ORDER_ARGUMENTS,
  idempotent: false,
  run: async (context, given) => {
    const market = await exactMarket(context, given.symbol)
    const prepared = await prepareOrder(context, market, given, {
      withBook: !isPriced(given.order_type),
    })
    assertSendable(prepared)
    const clientOrderId = given.client_order_id ?? newOrderId(context)
    const result = await sendPrepared(context, prepared, clientOrderId)
    return {
      ...result,
      symbol: market.symbol,
      side: given.side,
      value_usdc: usdcOf(times(prepared.order.quantity, prepared.order.reference)),
      next: 'Accepted, not necessarily filled: get_order with this order_id.',
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
]

/** Throws the failure of the first published rule the order breaks, with the corrected order: nothing has been sent. */
function assertSendable(prepared: PreparedOrder): void {
  const { problems } = prepared.check
  const [first] = problems
  if (!first) return
  throw refusal(first.code, {
    problems,
    suggested: suggestedArguments(prepared),
    next: 'Nothing was sent. Show the user the suggested order; when they agree, send it.',
  })
}

async function sendPrepared(
  context: SignedContext,
  prepared: PreparedOrder,
  clientOrderId: string,
) {
  const { args, order, spending } = prepared
  try {
    return await sendOrder(context, {
      tool: 'place_order',
      symbol: args.symbol,
      side: args.side,
      quantity: order.quantity,
      clientOrderId,
      spending,
      write: {
        method: 'POST',
        path: '/v1/order',
        body: orderBody(prepared, clientOrderId),
        lookUp: {
          tool: 'list_orders',
          arguments: { client_order_id: clientOrderId, symbol: args.symbol },
        },
      },
    })
  } catch (error) {
    throw explained(error, prepared)
  }
}

/** Too little margin is most often a size meant in USDC: says what the order is worth, and how to send that instead. */
function explained(error: unknown, { args, market, spending }: PreparedOrder): unknown {
  if (!(error instanceof ToolFailure) || error.code !== 'insufficient_margin') return error
  const { order_quantity, order_amount, ...others } = args
  const { message, code, retryable, meta } = error
  const inUsdc = order_quantity !== undefined && {
    if_usdc_was_meant: { ...others, order_amount: order_quantity },
  }
  const next = `order_quantity counts ${market.base}. Use a smaller size; if USDC was meant, send if_usdc_was_meant. get_account shows free collateral.`
  const told = { ...meta, value_usdc: usdcNumber(spending.order), ...inUsdc, next }
  return new ToolFailure({ error: message, code, retryable, meta: told })
}
