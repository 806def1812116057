import type { Static } from '@sinclair/typebox'
import { larger } from '../../core/decimals.ts'
import type { Row } from '../../core/json.ts'
import { amountNumber, times, toAmount, toMicros } from '../../perp/amounts.ts'
import { worsened } from '../../perp/book.ts'
import { needsValue } from '../../perp/limits.ts'
import { bodyText, pathWith } from '../account-call.ts'
import { writeTool } from '../agent-tool.ts'
import { assertNamed, limitsOf } from '../limit-rules.ts'
import { limitsLeft } from '../limits/rows.ts'
import { NO_SPENDING, type Spending } from '../limits/spending.ts'
import { assertNoProblem, checkedOrder } from '../orders/check.ts'
import { marketWrite } from '../orders/market-write.ts'
import { newOrder, type SendingOrder, sentBefore } from '../orders/sent.ts'
import { invalidArgument, limitRefusal } from '../refusal.ts'
import type { SignedContext, Tool } from '../tool.ts'
import {
  args,
  choice,
  flag,
  optional,
  positive,
  sideArgument,
  symbolArgument,
  text,
  whole,
} from '../tool-arguments.ts'
import { exactMarket, type Market } from '../views/market.ts'
import { NO_ALGO_ORDERS, protectPosition } from './protect-position.ts'

const ALGO_ARGUMENTS = args({
  symbol: symbolArgument,
  side: sideArgument,
  algo_type: choice(
    ['STOP', 'TRAILING_STOP'],
    'STOP needs trigger_price, TRAILING_STOP callback_rate.',
  ),
  order_quantity: positive('Size in the base asset.'),
  trigger_price: optional(positive('Mark price that fires a STOP, USDC.')),
  order_price: optional(positive('Limit price of a STOP. Absent: market.')),
  callback_rate: optional(
    positive('Distance of a TRAILING_STOP, a fraction (0.05 = 5%).', { maximum: 0.5 }),
  ),
  reduce_only: flag('Only shrink a position.', true),
  client_order_id: optional(text('Your own id.', { maxLength: 36 })),
})

type AlgoArguments = Static<typeof ALGO_ARGUMENTS>

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
    assertNamed(context, given.client_order_id)
    const market = await exactMarket(context, symbol)
    const order = newOrder(context, {
      id: given.client_order_id,
      symbol,
      path: '/v1/algo/order',
      content: (clientOrderId) => bodyOf(given, clientOrderId),
    })
    const first = await sentBefore(context, order)
    const result = first ?? (await placedAlgo(context, market, given, order))
    return {
      algo_order_id: result['order_id'] ?? null,
      symbol,
      side,
      ...result,
      ...(await limitsLeft(context, symbol)),
      next: result['repeated'] ? REPEATED : 'list_algo_orders shows it waiting.',
    }
  },
})

const REPEATED = 'The first order of this id; list_algo_orders shows what became of it.'

async function placedAlgo(
  context: SignedContext,
  market: Market,
  given: AlgoArguments,
  order: SendingOrder,
): Promise<Row> {
  assertCoherent(given)
  assertOnRules(market, given)
  const { symbol, path, content: body, lookUp } = order
  return marketWrite(context, {
    tool: 'place_algo_order',
    symbol,
    side: given.side,
    quantity: toAmount(given.order_quantity) ?? 0n,
    order,
    spending: spendingOf(context, market, given),
    write: { method: 'POST', path, body, lookUp },
  })
}

const cancelAlgoOrder = writeTool({
  name: 'cancel_algo_order',
  description: 'Cancel one stop, trailing stop or TP/SL. The position it protected stays open.',
  arguments: args({
    algo_order_id: whole('From list_algo_orders.', { minimum: 1 }),
    symbol: symbolArgument,
  }),
  effect: 'cancels the whole order, with its take-profit and stop-loss',
  otherWays: {
    order_id: 'list_algo_orders has the algo_order_id of each, list_orders the order_id.',
  },
  idempotent: true,
  hints: {
    not_found:
      'It does not wait in this market: triggered, cancelled before, or this venue has no algo orders.',
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
export const ALGO_TOOLS: readonly Tool[] = [protectPosition, placeAlgoOrder, cancelAlgoOrder]

const NO_MARK = 'This market has no price now that would value an order without one.'

/** The argument that each kind needs, and those of the other one. */
const KINDS = {
  STOP: { needs: 'trigger_price', refuses: ['callback_rate'] },
  TRAILING_STOP: { needs: 'callback_rate', refuses: ['trigger_price', 'order_price'] },
} as const

const ALIEN_STEPS = {
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
      next: ALIEN_STEPS[alien],
    })
}

/** The trigger may be anywhere; only steps and bounds are checked, not the distance from the mark. */
function assertOnRules(market: Market, given: AlgoArguments): void {
  const { side, reduce_only } = given
  const quantity = toAmount(given.order_quantity) ?? 0n
  const trigger = toAmount(given.trigger_price)
  const limit = toAmount(given.order_price)
  const reference = limit ?? trigger ?? market.mark ?? 0n
  const unmarked = { ...market, mark: null }
  // Which position a waiting order will close is not known yet, so that any size may close it.
  const order = { side, quantity, reference }
  const priced = checkedOrder(unmarked, { ...order, price: limit, closes: reduce_only ? 0n : null })
  const triggered = checkedOrder(unmarked, { ...order, price: trigger, closes: 0n })
  const triggers = triggered.problems
    .filter(({ parameter }) => parameter === 'order_price')
    .map((problem) => ({ ...problem, parameter: 'trigger_price' as const }))
  const problems = [...priced.problems, ...triggers]
  const corrections = problems.map(({ parameter, suggestion }) => [parameter, suggestion])
  assertNoProblem(problems, () => ({
    suggested: { ...given, ...Object.fromEntries(corrections) },
  }))
}

/**
 * A stop counts at its limit when it buys, otherwise after a jump of the mark over its trigger by the market's price range,
 * from which it may execute as far away again. Throws mandate_exceeded for a trailing stop that opens within limits of value.
 */
function spendingOf(context: SignedContext, market: Market, given: AlgoArguments): Spending {
  if (given.reduce_only) return NO_SPENDING
  const isTrailing = given.algo_type === 'TRAILING_STOP'
  if (isTrailing && needsValue(limitsOf(context)))
    throw limitRefusal({ reason: 'unknown', next: NO_WORST_CASE })
  const quantity = toAmount(given.order_quantity) ?? 0n
  const limit = toAmount(given.order_price)
  const prices = [toAmount(given.trigger_price), limit, market.mark]
  const highest = prices.map((price) => price ?? 0n).reduce(larger)
  if (highest === 0n) throw invalidArgument('order_price', 'missing', { next: NO_MARK })
  const reached = [0, 1].reduce((price) => worsened(price, market.priceRange ?? 0n, 'BUY'), highest)
  const isBounded = given.side === 'BUY' && limit !== null
  const micros = toMicros(times(quantity, isBounded ? limit : reached, 'ceil'))
  return { kind: 'opens', order: isTrailing ? ANY_MICROS : micros, daily: micros }
}

/** The notional value of a trailing stop, which may execute at any price: above every limit. */
const ANY_MICROS = 10n ** 18n

const NO_WORST_CASE =
  'A trailing stop that opens has no worst case. Use a STOP with order_price, or reduce_only.'

/** The venue's body: snake case, but the callback rate of trailing stops in camel case and as text. */
function bodyOf(given: AlgoArguments, clientOrderId: string): string {
  const limit = toAmount(given.order_price) ?? undefined
  return bodyText({
    symbol: given.symbol,
    client_order_id: clientOrderId,
    algo_type: given.algo_type,
    type: limit === undefined ? 'MARKET' : 'LIMIT',
    side: given.side,
    quantity: toAmount(given.order_quantity) ?? 0n,
    price: limit,
    trigger_price: toAmount(given.trigger_price) ?? undefined,
    trigger_price_type: given.algo_type === 'STOP' ? 'MARK_PRICE' : undefined,
    callbackRate:
      given.callback_rate === undefined
        ? undefined
        : String(amountNumber(toAmount(given.callback_rate) ?? 0n)),
    reduce_only: given.reduce_only,
  })
}
