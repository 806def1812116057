import { larger, smaller } from '../../core/decimals.ts'
import { amountNumber, quotient, roundedToStep, toAmount } from '../../perp/amounts.ts'
import { type Book, opposite, parseBook } from '../../perp/book.ts'
import { quantityForAmount } from '../../perp/fill.ts'
import { checkOrder, type OrderShape } from '../../perp/order-check.ts'
import { closableBy, type Order, referencePrice } from '../../perp/order-match.ts'
import { NO_FIGURES, type OpeningOrder } from '../../perp/order-worst-case.ts'
import type { MarginMode } from '../../perp/positions.ts'
import { LIMIT_PRICE_TYPES } from '../../perp/write-effects.ts'
import { NO_SPENDING, openingSpending, type Spending } from '../limits/spending.ts'
import type { SignedContext, ToolContext } from '../tool.ts'
import { argumentAmount } from '../tool-arguments.ts'
import { openPositions } from '../views/account.ts'
import { defaultMarginMode } from '../views/leverage.ts'
import type { MarketView } from '../views/market.ts'
import { assertCoherent, type OrderArguments } from './arguments.ts'
import { checkedOrder, type OrderCheck, unpricedMarketFailure, withPostOnly } from './check.ts'
import { assertTriggers, type Leg, triggerLegs } from './triggers.ts'

/** An order after all checks, before it is sent. */
export type PreparedOrder = {
  readonly market: MarketView
  readonly args: OrderArguments
  readonly check: OrderCheck
  readonly order: OrderShape
  readonly book: Book | null
  readonly spending: Spending
  /** The take-profit and stop-loss of a bracket. They only reduce, so they do not count towards limits. */
  readonly legs: readonly Leg[]
}

/**
 * Checks an order's arguments against each other and against its market. Throws invalid_request, naming the argument,
 * if arguments contradict each other. `check` has the broken market rules. Reads the book if `known` has no book and
 * the order type needs a book. A refusal suggests corrections of `asked`, which may have a risk instead of a size.
 */
export async function prepareOrder(
  context: ToolContext,
  market: MarketView,
  given: OrderArguments,
  known: { readonly book?: Book; readonly asked?: OrderArguments } = {},
): Promise<PreparedOrder> {
  const { asked = given } = known
  assertCoherent(given, market, asked)
  const isPostOnly = given.order_type === 'POST_ONLY'
  const needsBook = isPostOnly || !LIMIT_PRICE_TYPES.has(given.order_type)
  const book = known.book ?? (needsBook ? await readBook(context, market.symbol) : null)
  const shape = toOrderShape(market, given, book)
  const order = await withClosable(context, market, given.margin_mode, shape)
  const ruled = checkedOrder(market, order)
  const check = withinAmount(
    market,
    given,
    isPostOnly && book ? withPostOnly(ruled, market, book) : ruled,
  )
  const legs = triggerLegs(given, BRACKET_NAMES, order.side === 'BUY')
  assertTriggers(market, asked, legs, { name: 'entry_price', price: entryPrice(market, order) })
  const spending = given.reduce_only
    ? NO_SPENDING
    : openingSpending(market, openingOrder(market, given, order))
  return { market, args: given, check, order, book, spending, legs }
}

const BRACKET_NAMES = { TAKE_PROFIT: 'take_profit', STOP_LOSS: 'stop_loss' } as const

/**
 * Lowers the corrected quantity of an order whose size was given in USDC, because a higher corrected price makes the
 * same value a smaller quantity.
 */
function withinAmount(market: MarketView, given: OrderArguments, check: OrderCheck): OrderCheck {
  const { price, quantity } = check.corrected
  const amount = toAmount(given.order_amount)
  if (amount === null || price === null || check.wider !== null) return check
  const most = roundedToStep(quotient(amount, price), market.baseTick, 'floor')
  if (quantity <= most) return check
  const { broken, corrected } = checkOrder(market, { ...check.corrected, quantity: most })
  return { ...check, corrected, wider: broken.length > 0 ? 'quantity' : null }
}

/** Reads the current order book of a market. */
export async function readBook({ client }: ToolContext, symbol: string): Promise<Book> {
  return parseBook(await client.get('/api/prep/orderbook', { symbol }))
}

/**
 * Adds the position that a reduce-only order can close. Reads the position only if the order's value is below the
 * market's minimum and the caller has credentials.
 */
async function withClosable(
  context: ToolContext,
  market: MarketView,
  margin_mode: MarginMode | undefined,
  order: OrderShape,
): Promise<OrderShape> {
  const { credentials } = context
  const opening = { ...order, reduceOnly: false }
  const isSmall = checkOrder(market, opening).broken.some(({ rule }) => rule === 'min_notional')
  if (!order.reduceOnly || !isSmall || !credentials) return order
  const own = { ...context, credentials }
  const mode = margin_mode ?? (await defaultMarginMode(own, market.symbol))
  return { ...order, closable: await readClosable(own, market, { side: order.side, mode }) }
}

/** The quantity of the position that an order can close. */
export async function readClosable(
  context: SignedContext,
  market: MarketView,
  order: Pick<Order, 'side' | 'mode'>,
): Promise<bigint> {
  return closableBy(market, order, { positions: await openPositions(context) })
}

/** The price for judging an order's triggers: the order's price, or the mark price if that is better. */
function entryPrice({ mark }: MarketView, { side, price }: OrderShape): bigint | null {
  if (mark === null || price === null) return price ?? mark
  return side === 'BUY' ? smaller(price, mark) : larger(price, mark)
}

/** The order's arguments with all corrections, ready for place_order. */
export function suggestedArguments({ args, check }: PreparedOrder): Partial<OrderArguments> {
  const { order_amount, order_quantity, order_price, ...others } = args
  const { price, quantity } = check.corrected
  return {
    ...others,
    order_quantity: amountNumber(quantity),
    ...(price !== null && { order_price: amountNumber(price) }),
  }
}

function toOrderShape(market: MarketView, given: OrderArguments, book: Book | null): OrderShape {
  const { side } = given
  const price =
    given.order_price === undefined ? null : argumentAmount('order_price', given.order_price)
  const { mark } = market
  const taken = book && referencePrice({ book, mark }, { side, type: given.order_type, price })
  const reference = price ?? taken ?? mark ?? 0n
  if (reference <= 0n && !given.reduce_only) throw unpricedMarketFailure()
  const quantity =
    given.order_quantity === undefined
      ? quantityOfAmount(market, given, book, reference)
      : argumentAmount('order_quantity', given.order_quantity)
  return { side, price, quantity, reference, reduceOnly: given.reduce_only, closable: null }
}

function quantityOfAmount(
  market: MarketView,
  given: OrderArguments,
  book: Book | null,
  reference: bigint,
): bigint {
  const amount = argumentAmount('order_amount', given.order_amount ?? 0)
  const levels = given.order_type === 'MARKET' && book ? opposite(book, given.side) : []
  // A SELL order below the mark price fills near the mark. A quantity computed at its own price would sell more than
  // the amount.
  const highest = given.side === 'SELL' ? larger(reference, market.mark ?? 0n) : reference
  return roundedToStep(quantityForAmount(levels, amount, highest), market.baseTick, 'floor')
}

/** The order in the form that value limits count. */
function openingOrder(
  { symbol }: MarketView,
  given: OrderArguments,
  order: OrderShape,
): OpeningOrder {
  const { side, price, quantity, reference } = order
  const buysUpTo = side === 'BUY' ? price : null
  const mode = given.margin_mode ?? null
  return { ...NO_FIGURES, symbol, side, mode, buysUpTo, highest: price ?? reference, quantity }
}

/** An order as value limits count it: `counted` gives the value of a size in micro-USDC, by default its worst case. */
export type Counting = {
  readonly market: MarketView
  readonly order: OpeningOrder
  readonly counted?: (quantity: bigint) => bigint | null
}

/** How a prepared order counts towards value limits. */
export function orderCounting({ market, args, order }: PreparedOrder): Counting {
  return { market, order: openingOrder(market, args, order) }
}
