import type { Row } from '../../core/json.ts'
import { assertClientOrderId } from '../limit-rules.ts'
import { limitsLeft } from '../limits/rows.ts'
import { previewAccount } from '../orders/account.ts'
import {
  isBracket,
  ORDER_ALTERNATIVES,
  ORDER_ARGUMENTS,
  type OrderArguments,
  PREVIEW_ARGUMENTS,
} from '../orders/arguments.ts'
import { fillReport } from '../orders/fill-report.ts'
import { assertSendable, sendingOrder, sendPrepared } from '../orders/place.ts'
import { prepareOrder, readBook } from '../orders/prepare.ts'
import { buildPreview } from '../orders/preview.ts'
import { readRisk, sizedByRisk } from '../orders/risk-size.ts'
import { readEarlierResult, type SendingOrder } from '../orders/send-once.ts'
import { toolRefusal } from '../refusal.ts'
import type { SignedContext, Tool } from '../tool.ts'
import { publicTool, writeTool } from '../tool-kinds.ts'
import { exactMarket, type MarketView, orderMarket } from '../views/market.ts'
import { cancelAllOrders, cancelOrder } from './cancel.ts'
import { closeAll, closePosition } from './close-position.ts'
import { editOrderTool } from './edit-order.ts'

const previewOrder = publicTool({
  name: 'preview_order',
  description:
    'Check an order without sending it: broken rules, the corrected order for place_order (suggested, if one would pass), what would fill now and, with credentials, margin and liquidation price after. Call before place_order and show the user.',
  arguments: PREVIEW_ARGUMENTS,
  otherWays: ORDER_ALTERNATIVES,
  run: async (context, args) => {
    const { credentials } = context
    const { leverage, risk_usdc, ...given } = args
    const market = await orderMarket(context, given.symbol)
    const { symbol } = market
    const order = { ...given, symbol }
    assertOfAccount(credentials, { leverage, risk_usdc })
    const [book, account, risk] = await Promise.all([
      readBook(context, symbol),
      credentials
        ? previewAccount({ ...context, credentials }, market, { ...order, leverage })
        : null,
      risk_usdc === undefined ? null : readRisk(context, symbol, risk_usdc),
    ])
    const sized = risk && account ? sizedByRisk(market, order, risk, { book, account }) : order
    // A size computed from a risk fits only its stop, so a refusal suggests the risk instead of the size.
    const asked = risk ? { ...args, symbol } : order
    const prepared = await prepareOrder(context, market, sized, { book, asked })
    return buildPreview(context, prepared, account, risk)
  },
})

/** Throws unauthorized if the caller has no credentials and gives an argument that depends on an account. */
function assertOfAccount(
  credentials: object | null,
  given: Readonly<Record<string, number | undefined>>,
): void {
  const parameter = Object.keys(given).find((name) => given[name] !== undefined)
  if (!credentials && parameter)
    throw toolRefusal('unauthorized', { parameter, next: NEEDS_ACCOUNT })
}

const NEEDS_ACCOUNT =
  'Margin and risk are those of an account: ask the user to configure credentials.'

const placeOrder = writeTool({
  name: 'place_order',
  description:
    'Place a REAL order; it cannot be undone. Call preview_order first and get the agreement of the user. take_profit and stop_loss make it a bracket. No leverage here: set_leverage. Answers what filled within 3 s. After outcome_unknown look it up as meta says; do not send it again.',
  arguments: ORDER_ARGUMENTS,
  effect: 'places the order at once, as its other arguments say',
  otherWays: ORDER_ALTERNATIVES,
  idempotent: false,
  run: async (context, given) => {
    assertClientOrderId(context, given.client_order_id)
    const market = await exactMarket(context, given.symbol)
    const sending = sendingOrder(context, given)
    const result =
      (await readEarlierResult(context, sending)) ?? (await placed(context, market, given, sending))
    const { order_id, ...order } = result
    return {
      ...(isBracket(given) ? { algo_order_id: order_id } : { order_id }),
      ...order,
      symbol: market.symbol,
      side: given.side,
      ...(await fillReport(context, order_id, given.order_type, sending.path)),
      ...(isBracket(given) && BRACKET),
      ...(await limitsLeft(context, market.symbol)),
    }
  },
})

/** The next step in the answer to an order with a take-profit or stop-loss. */
const BRACKET = {
  next: 'list_algo_orders shows the entry, or once it fills its take-profit and stop-loss, which close what it opened. cancel_algo_order cancels an entry that rests, with both.',
} as const

async function placed(
  context: SignedContext,
  market: MarketView,
  given: OrderArguments,
  sending: SendingOrder,
): Promise<Row> {
  const prepared = await prepareOrder(context, market, given)
  assertSendable(prepared)
  return sendPrepared(context, prepared, sending)
}

/** Tools that change orders and positions, and the order preview. */
export const TRADE_TOOLS: readonly Tool[] = [
  previewOrder,
  placeOrder,
  editOrderTool,
  cancelOrder,
  cancelAllOrders,
  closePosition,
  closeAll,
]
