import { isObject, type Row } from '../../core/json.ts'
import { amountNumber, toAmount } from '../../perp/amounts.ts'
import type { OrderShape } from '../../perp/order-check.ts'
import {
  NO_FIGURES,
  type OpeningOrder,
  toMarketBound,
  worstGrowth,
  worstValue,
} from '../../perp/order-worst-case.ts'
import { type Side, toMarginMode } from '../../perp/positions.ts'
import { bodyText } from '../../perp/write-body.ts'
import { accountRead } from '../account-call.ts'
import { limitsLeft } from '../limits/rows.ts'
import { NO_SPENDING, type Spending } from '../limits/spending.ts'
import { assertNoProblem, checkedOrder, repairMeta } from '../orders/check.ts'
import { withLargestAllowed } from '../orders/largest-allowed.ts'
import { marketWrite } from '../orders/market-write.ts'
import { readClosable } from '../orders/prepare.ts'
import { invalidArgument, toolRefusal } from '../refusal.ts'
import {
  argumentSchema,
  optional,
  positiveNumber,
  symbolArgument,
  wholeNumber,
} from '../tool-arguments.ts'
import { writeTool } from '../tool-kinds.ts'
import { exactMarket, type MarketView } from '../views/market.ts'

export const editOrderTool = writeTool({
  name: 'edit_order',
  description:
    'Change the price or the whole size of a resting order; what is left out stays. May fill at once.',
  arguments: argumentSchema({
    order_id: wholeNumber('From list_orders.', { minimum: 1 }),
    symbol: symbolArgument,
    order_price: optional(positiveNumber('New price in USDC.')),
    order_quantity: optional(positiveNumber('New whole size in the base asset.')),
  }),
  effect: 'changes the price or size of the order, and nothing else',
  otherWays: {
    usdc_size: 'The size is in the base asset: preview_order with order_amount answers it.',
    side: 'The side of an order stays: ask the user whether to replace the order.',
    order_type: 'The type of an order stays: ask the user whether to replace the order.',
    client_order_id: 'list_orders with client_order_id answers the order_id.',
    stop_loss: 'set_position_tp_sl sets a stop-loss on an open position.',
    take_profit: 'set_position_tp_sl sets a take-profit on an open position.',
  },
  idempotent: true,
  hints: {
    not_found:
      'It does not rest: filled, cancelled, or of another symbol. list_orders has those that do.',
  },
  run: async (context, given) => {
    const { order_id, symbol, order_price, order_quantity } = given
    if (order_price === undefined && order_quantity === undefined) {
      throw invalidArgument('order_price', 'missing', {
        next: 'Give order_price, order_quantity or both.',
      })
    }
    const market = await exactMarket(context, symbol)
    const resting = restingRow(await accountRead(context, `/v1/order/${order_id}`), symbol)
    const before = restingShape(resting)
    const { side, reduceOnly } = before
    const mode = toMarginMode(resting['margin_mode'])
    const order = {
      ...changedShape(before, given),
      closable: reduceOnly ? await readClosable(context, market, { side, mode }) : null,
    }
    const check = checkedOrder(market, order)
    assertNoProblem(check.problems, () =>
      repairMeta(check, market.base, { order_id, symbol, ...shapeNumbers(check.corrected) }),
    )
    const growth = (quantity: bigint) =>
      growthSpending(market, resting, before, { ...order, quantity })
    const result = await marketWrite(context, {
      tool: 'edit_order',
      symbol,
      side: order.side,
      quantity: order.quantity,
      spending: reduceOnly ? NO_SPENDING : growth(order.quantity),
      write: {
        method: 'PUT',
        path: '/v1/order',
        // The venue needs the id as a string, and unchanged fields repeated.
        body: bodyText({
          order_id: String(order_id),
          symbol,
          side: order.side,
          order_type: String(resting['type']),
          order_price: order.price,
          order_quantity: order.quantity,
        }),
        lookUp: { tool: 'get_order', arguments: { order_id } },
      },
    }).catch((error) => {
      const edited = { ...unfilledOrder(resting, order), quantity: order.quantity }
      const counted = (quantity: bigint) => growth(quantity).order
      throw withLargestAllowed(error, { market, order: edited, counted })
    })
    return {
      order_id,
      symbol,
      ...shapeNumbers(order),
      ...result,
      ...(await limitsLeft(context, symbol)),
      next: 'get_order shows the order as it is now.',
    }
  },
})

function restingRow(answer: unknown, symbol: string): Row {
  if (isObject(answer) && answer['symbol'] === symbol) return answer
  throw toolRefusal('not_found', {
    parameter: 'symbol',
    reason: 'conflicting',
    ...(isObject(answer) && { order_symbol: answer['symbol'] }),
    next: 'Nothing was sent: the order of this order_id is of another market. list_orders shows which order is meant.',
  })
}

function restingShape(row: Row): OrderShape {
  const side: Side = row['side'] === 'SELL' ? 'SELL' : 'BUY'
  const price = toAmount(row['price'])
  const quantity = toAmount(row['quantity'])
  if (quantity === null) throw toolRefusal('upstream_unavailable', { next: UNSIZED })
  const reduceOnly = row['reduce_only'] === true
  return { side, price, quantity, reference: price ?? 0n, reduceOnly, closable: null }
}

const UNSIZED =
  'The venue answered the order without its size, so nothing was sent. Call again; if it goes on, tell the user.'

type Change = {
  readonly order_price?: number | undefined
  readonly order_quantity?: number | undefined
}

function changedShape(order: OrderShape, { order_price, order_quantity }: Change): OrderShape {
  const price = toAmount(order_price) ?? order.price
  return {
    ...order,
    price,
    reference: price ?? 0n,
    quantity: toAmount(order_quantity) ?? order.quantity,
  }
}

/**
 * The unfilled part of an order in the form that limits count. The price of the filled part is final, so it is left
 * out.
 */
function unfilledOrder(resting: Row, { side, price, quantity }: OrderShape): OpeningOrder {
  const filled = toAmount(resting['total_executed_quantity']) ?? 0n
  const buysUpTo = side === 'BUY' ? price : null
  return { ...NO_FIGURES, side, buysUpTo, highest: price ?? 0n, quantity: quantity - filled }
}

/** How an edit counts towards limits: per order with the whole value, per day with the increase only. */
function growthSpending(
  market: MarketView,
  resting: Row,
  before: OrderShape,
  after: OrderShape,
): Spending {
  const bound = toMarketBound(market)
  const daily = worstGrowth(unfilledOrder(resting, before), unfilledOrder(resting, after), bound)
  if (daily === 0n) return NO_SPENDING
  const whole = worstValue(unfilledOrder({}, before), bound)
  return { kind: 'opens', order: daily && whole && whole + daily, daily }
}

function shapeNumbers({ price, quantity }: OrderShape) {
  return {
    ...(price !== null && { order_price: amountNumber(price) }),
    order_quantity: amountNumber(quantity),
  }
}
