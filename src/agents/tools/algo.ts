import type { Row } from '../../core/json.ts'
import { pathWith } from '../account-call.ts'
import { assertClientOrderId } from '../limit-rules.ts'
import { limitsLeft } from '../limits/rows.ts'
import { NO_SPENDING } from '../limits/spending.ts'
import {
  ALGO_ARGUMENTS,
  type AlgoArguments,
  algoBody,
  algoSpending,
  assertAlgoRules,
} from '../orders/algo-order.ts'
import { marketWrite } from '../orders/market-write.ts'
import { newSendingOrder, readEarlierResult, type SendingOrder } from '../orders/send-once.ts'
import { invalidArgument } from '../refusal.ts'
import type { SignedContext, Tool } from '../tool.ts'
import { argumentAmount, argumentSchema, symbolArgument, wholeNumber } from '../tool-arguments.ts'
import { writeTool } from '../tool-kinds.ts'
import { exactMarket, type MarketView } from '../views/market.ts'
import { editAlgoOrder } from './edit-algo-order.ts'
import { NO_ALGO_ORDERS, protectPosition } from './protect-position.ts'

const placeAlgoOrder = writeTool({
  name: 'place_algo_order',
  description:
    'Place a REAL stop (fires when the mark price reaches trigger_price) or trailing stop. To protect a whole position use set_position_tp_sl.',
  arguments: ALGO_ARGUMENTS,
  effect: 'places the order to wait for its trigger, as its other arguments say',
  otherWays: {
    usdc_size: 'The size is in the base asset: preview_order with order_amount answers it.',
    stop_loss: 'trigger_price of a STOP is the price that ends a loss.',
    take_profit: 'set_position_tp_sl sets a take-profit on an open position.',
    percent: 'set_position_tp_sl closes the whole position.',
    leverage: 'set_leverage sets the leverage of the market, and of what is open there.',
    expiry: 'It waits until it is cancelled.',
  },
  idempotent: false,
  hints: NO_ALGO_ORDERS,
  run: async (context, given) => {
    const { symbol, side } = given
    assertClientOrderId(context, given.client_order_id)
    const market = await exactMarket(context, symbol)
    const order = newSendingOrder(context, {
      id: given.client_order_id,
      symbol,
      path: '/v1/algo/order',
      content: (clientOrderId) => algoBody(given, clientOrderId),
    })
    const first = await readEarlierResult(context, order)
    const result = first ?? (await placedAlgo(context, market, given, order))
    const { order_id = null, ...placed } = result
    return {
      algo_order_id: order_id,
      symbol,
      side,
      ...placed,
      ...(await limitsLeft(context, symbol)),
      next: result['repeated'] ? REPEATED : 'list_algo_orders shows it waiting.',
    }
  },
})

const REPEATED = 'The first order of this id; list_algo_orders shows what became of it.'

async function placedAlgo(
  context: SignedContext,
  market: MarketView,
  given: AlgoArguments,
  order: SendingOrder,
): Promise<Row> {
  assertCoherent(given)
  assertAlgoRules(market, given)
  const { symbol, path, content: body, lookUp } = order
  return marketWrite(context, {
    tool: 'place_algo_order',
    symbol,
    side: given.side,
    quantity: argumentAmount('order_quantity', given.order_quantity),
    order,
    spending: algoSpending(market, given),
    write: { method: 'POST', path, body, lookUp },
  })
}

const cancelAlgoOrder = writeTool({
  name: 'cancel_algo_order',
  description: 'Cancel one stop, trailing stop or TP/SL. The position it protected stays open.',
  arguments: argumentSchema({
    algo_order_id: wholeNumber('From list_algo_orders.', { minimum: 1 }),
    symbol: symbolArgument,
  }),
  effect: 'cancels the whole order, with its take-profit and stop-loss',
  otherWays: {
    order_id: 'list_algo_orders has the algo_order_id of each, list_orders the order_id.',
  },
  idempotent: true,
  hints: {
    not_found:
      'It does not wait in this market: it was triggered or cancelled, or the venue lacks algo orders.',
  },
  run: async (context, { algo_order_id, symbol }) => {
    await exactMarket(context, symbol)
    const result = await marketWrite(context, {
      tool: 'cancel_algo_order',
      symbol,
      spending: NO_SPENDING,
      write: {
        method: 'DELETE',
        path: pathWith('/v1/algo/order', { order_id: algo_order_id, symbol }),
        lookUp: { tool: 'list_algo_orders', arguments: { symbol } },
      },
    })
    return { algo_order_id, symbol, ...result }
  },
})

/** Tools about orders that wait for a trigger. */
export const ALGO_TOOLS: readonly Tool[] = [
  protectPosition,
  placeAlgoOrder,
  editAlgoOrder,
  cancelAlgoOrder,
]

/**
 * For each kind of conditional order: the argument that it needs (`needs`), and arguments that it does not take
 * (`refuses`).
 */
const KINDS = {
  STOP: { needs: 'trigger_price', refuses: ['callback_rate'] },
  TRAILING_STOP: { needs: 'callback_rate', refuses: ['trigger_price', 'order_price'] },
} as const

const UNSUPPORTED_FIELD_STEPS = {
  callback_rate: 'A STOP stands still: algo_type TRAILING_STOP follows the price at callback_rate.',
  trigger_price:
    'A TRAILING_STOP follows the price from now on, not from a trigger_price: algo_type STOP waits for that.',
  order_price:
    'A TRAILING_STOP closes at the market: algo_type STOP closes at order_price or better.',
} as const

function assertCoherent(given: AlgoArguments): void {
  const { needs, refuses } = KINDS[given.algo_type]
  if (given[needs] === undefined) {
    throw invalidArgument(needs, 'missing', { next: `${given.algo_type} needs ${needs}.` })
  }
  const alien = refuses.find((name) => given[name] !== undefined)
  if (alien)
    throw invalidArgument(alien, 'conflicting', {
      next: UNSUPPORTED_FIELD_STEPS[alien],
    })
}
