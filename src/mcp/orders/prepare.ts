import { larger, smaller } from '../../core/decimals.ts'
import { amountNumber, onStep, times, toAmount, toMicros } from '../../perp/amounts.ts'
import {
  type Book,
  marketLimit,
  opposite,
  parseBook,
  quantityFor,
  walk,
  worsened,
} from '../../perp/book.ts'
import { checkOrder, type OrderShape } from '../../perp/order-check.ts'
import { closableBy, type Order } from '../../perp/order-match.ts'
import { largestOnStep } from '../../perp/pre-trade-check.ts'
import { NO_SPENDING, type Spending } from '../limits/spending.ts'
import { invalidArgument } from '../refusal.ts'
import type { SignedContext, ToolContext } from '../tool.ts'
import { openPositions } from '../views/account.ts'
import { defaultMarginMode } from '../views/leverage.ts'
import type { Market } from '../views/market.ts'
import { assertCoherent, isPriced, type OrderArguments } from './arguments.ts'
import { checkedOrder, type OrderCheck, withPostOnly } from './check.ts'
import { assertTriggers, type Leg, legsOf } from './triggers.ts'

/** An order with everything known about it before it is sent. */
export type PreparedOrder = {
  readonly market: Market
  readonly args: OrderArguments
  readonly check: OrderCheck
  readonly order: OrderShape
  readonly book: Book | null
  readonly spending: Spending
  /** The take-profit and stop-loss of a bracket; they only reduce and count nothing towards limits. */
  readonly legs: readonly Leg[]
}

/**
 * Checks an order's arguments against each other and against its market. Throws invalid_request, naming the argument,
 * when they make no order; rules of the market that it breaks are in `check`. The book is read for the types that
 * cannot be judged without it, and where it is asked for.
 */
export async function prepareOrder(
  context: ToolContext,
  market: Market,
  given: OrderArguments,
  options: { readonly withBook?: true } = {},
): Promise<PreparedOrder> {
  assertCoherent(given, market)
  const isPostOnly = given.order_type === 'POST_ONLY'
  const needsBook = options.withBook || isPostOnly || !isPriced(given.order_type)
  const book = needsBook ? await readBook(context, market.symbol) : null
  const order = await withClosing(context, market, given, shapeOf(market, given, book))
  const ruled = checkedOrder(market, order)
  const check = isPostOnly && book ? withPostOnly(ruled, market, book) : ruled
  const legs = legsOf(given, BRACKET_NAMES, order.side === 'BUY')
  assertTriggers(market, given, legs, { name: 'entry_price', price: entryPrice(market, order) })
  const spending = given.reduce_only ? NO_SPENDING : spendingOf(market, given, order, book)
  return { market, args: given, check, order, book, spending, legs }
}

const BRACKET_NAMES = { TAKE_PROFIT: 'take_profit', STOP_LOSS: 'stop_loss' } as const

/** The order book of a market right now. */
export async function readBook({ client }: ToolContext, symbol: string): Promise<Book> {
  return parseBook(await client.get('/api/prep/orderbook', { symbol }))
}

/**
 * A reduce-only order that is worth less than the minimum, with the position that it has to close whole. Without
 * credentials the position is not known, so that any size may close it.
 */
async function withClosing(
  context: ToolContext,
  market: Market,
  { reduce_only, margin_mode }: OrderArguments,
  order: OrderShape,
): Promise<OrderShape> {
  const { credentials } = context
  if (!reduce_only) return order
  const isSmall = checkOrder(market, order).broken.some(({ rule }) => rule === 'min_notional')
  if (!isSmall || !credentials) return { ...order, closes: 0n }
  const own = { ...context, credentials }
  const mode = margin_mode ?? (await defaultMarginMode(own, market.symbol))
  return { ...order, closes: await closingQuantity(own, market, { side: order.side, mode }) }
}

/** The quantity that closes the position on the other side of an order; null without such a position. */
export async function closingQuantity(
  context: SignedContext,
  market: Market,
  order: Pick<Order, 'side' | 'mode'>,
): Promise<bigint | null> {
  return closableBy(market, order, { positions: await openPositions(context) }) || null
}

/** The price at which an order opens at the latest: its own, or the mark where that is better. */
function entryPrice({ mark }: Market, { side, price }: OrderShape): bigint | null {
  if (mark === null || price === null) return price ?? mark
  return side === 'BUY' ? smaller(price, mark) : larger(price, mark)
}

/** An order's arguments with the corrections, ready for place_order. */
export function suggestedArguments({ args, check }: PreparedOrder): Partial<OrderArguments> {
  const { order_amount, order_quantity, order_price, ...others } = args
  const { price, quantity } = check.corrected
  return {
    ...others,
    order_quantity: amountNumber(quantity),
    ...(price !== null && { order_price: amountNumber(price) }),
  }
}

function shapeOf(market: Market, given: OrderArguments, book: Book | null): OrderShape {
  const { side } = given
  const price = given.order_price === undefined ? null : exact('order_price', given.order_price)
  const reference = price ?? referenceOf(market, given, book)
  if (reference <= 0n && !given.reduce_only) throw unpriced()
  const quantity =
    given.order_quantity === undefined
      ? quantityOfAmount(market, given, book, reference)
      : exact('order_quantity', given.order_quantity)
  return { side, price, quantity, reference, closes: null }
}

// The value of an order must be known before it is sent: without it no limit could refuse it.
function unpriced() {
  return invalidArgument('order_price', 'missing', {
    next: 'This market has no price now: only a LIMIT order with a price of its own can be placed.',
  })
}

/** The price that values an order without one: the best price of the side that it takes from or rests on. */
function referenceOf(
  market: Market,
  { side, order_type }: OrderArguments,
  book: Book | null,
): bigint {
  if (!book) return market.mark ?? 0n
  const resting = new Map([
    ['ASK', book.asks],
    ['BID', book.bids],
  ])
  const levels = resting.get(order_type) ?? opposite(book, side)
  return levels[0]?.price ?? market.mark ?? 0n
}

function quantityOfAmount(
  market: Market,
  given: OrderArguments,
  book: Book | null,
  reference: bigint,
): bigint {
  const amount = exact('order_amount', given.order_amount ?? 0)
  const levels = given.order_type === 'MARKET' && book ? opposite(book, given.side) : []
  return onStep(quantityFor(levels, amount, reference), market.baseTick, 'floor')
}

function spendingOf(
  market: Market,
  given: OrderArguments,
  order: OrderShape,
  book: Book | null,
): Spending {
  const micros = larger(worstValue(market, order), bookValue(market, given, order, book))
  return { kind: 'opens', order: micros, daily: micros }
}

/** An order, the price that it counts at towards limits of value, and what a size of it counts, in micro-USDC. */
export type Counting = {
  readonly market: Market
  readonly order: OrderShape
  /** Null where the book counts more. */
  readonly price: bigint | null
  readonly counted: (quantity: bigint) => bigint
}

/** How a prepared order counts towards limits of value. */
export function countingOf({ market, args, order, book }: PreparedOrder): Counting {
  const counted = (quantity: bigint) => spendingOf(market, args, { ...order, quantity }, book).order
  const isOfBook = counted(order.quantity) > worstValue(market, order)
  return { market, order, price: isOfBook ? null : worstPrice(market, order), counted }
}

/** The largest size of an order that fits, if every smaller one fits too; zero if the market takes none of these. */
export function largestSize(
  market: Market,
  order: OrderShape,
  fits: (quantity: bigint) => boolean,
): bigint {
  const quantity = largestOnStep(market.baseTick, order.quantity, fits)
  return checkOrder(market, { ...order, quantity }).broken.length === 0 ? quantity : 0n
}

/** What a market order takes of the book, in micro-USDC: its market may name no range, or have no mark to count it from. */
function bookValue(
  market: Market,
  { order_type, slippage }: OrderArguments,
  { side, quantity }: OrderShape,
  book: Book | null,
): bigint {
  if (order_type !== 'MARKET' || !book) return 0n
  const levels = opposite(book, side)
  const order = { side, slippage: toAmount(slippage) }
  const limit = marketLimit(market, order, levels[0]?.price ?? null)
  return toMicros(walk(levels, { side, quantity, limit }).value)
}

/**
 * The largest value of an order in micro-USDC: its own limit when it buys, otherwise at the highest price that its market
 * lets orders execute at from the mark, the book or its own price. The book may be another one when it arrives.
 */
export function worstValue(market: Market, order: OrderShape): bigint {
  return toMicros(times(order.quantity, worstPrice(market, order), 'ceil'))
}

/** The price at which an order counts towards limits of value, where the book does not count more. */
export function worstPrice(
  { mark, priceRange }: Market,
  { side, price, reference }: OrderShape,
): bigint {
  const isBounded = price !== null && side === 'BUY'
  return isBounded ? price : worsened(larger(reference, mark ?? 0n), priceRange ?? 0n, 'BUY')
}

function exact(parameter: string, value: number): bigint {
  const amount = toAmount(value)
  if (amount === null)
    throw invalidArgument(parameter, 'malformed', { expected: 'A number of at most 18 decimals.' })
  return amount
}
