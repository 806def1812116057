import type { Static } from '@sinclair/typebox'
import { amountNumber, amountOf, larger, microsOf, onStep, times } from '../amounts.ts'
import type { Spending } from '../limits.ts'
import { invalidArgument } from '../refusal.ts'
import type { ToolContext } from '../tool.ts'
import {
  args,
  choice,
  decimal,
  flag,
  optional,
  sideArgument,
  symbolArgument,
  text,
  whole,
} from '../tool-arguments.ts'
import { MARGIN_MODES } from '../views/leverage.ts'
import type { Market } from '../views/market.ts'
import {
  type Book,
  bookOf,
  checkPostOnly,
  fillOf,
  marketLimit,
  opposite,
  quantityFor,
} from './book.ts'
import { checkOrder, type OrderCheck, type OrderShape, type Side } from './check.ts'

const ORDER_TYPES = ['LIMIT', 'MARKET', 'IOC', 'FOK', 'POST_ONLY', 'ASK', 'BID'] as const

/** The arguments of an order. */
export const ORDER_ARGUMENTS = args({
  symbol: symbolArgument,
  side: sideArgument,
  order_type: choice(
    ORDER_TYPES,
    'LIMIT, IOC, FOK, POST_ONLY need order_price. ASK, BID rest at the best price.',
  ),
  order_quantity: optional(
    decimal('Size in the BASE asset (0.5 = 0.5 ETH), not dollars.', { exclusiveMinimum: 0 }),
  ),
  order_amount: optional(
    decimal('Size in USDC, instead of order_quantity.', { exclusiveMinimum: 0 }),
  ),
  order_price: optional(
    decimal('Limit price in USDC, a multiple of quote_tick.', { exclusiveMinimum: 0 }),
  ),
  reduce_only: flag('Only shrink a position; exempt from size limits.'),
  client_order_id: optional(text('Your own id; made when absent.', { maxLength: 36 })),
  visible_quantity: optional(decimal('Part shown on the book.', { minimum: 0 })),
  slippage: optional(
    decimal('MARKET: worst price as a fraction off the best (0.005 = 0.5%).', {
      exclusiveMinimum: 0,
      maximum: 0.1,
    }),
  ),
  order_tag: optional(text('Free tag.', { maxLength: 128 })),
  margin_mode: optional(choice(MARGIN_MODES, 'Default: the market’s.')),
})

/** The arguments of a preview: those of the order, and a leverage to compute with. */
export const PREVIEW_ARGUMENTS = args({
  ...ORDER_ARGUMENTS.properties,
  leverage: optional(
    whole('Compute margin and liquidation at this leverage.', { minimum: 1, maximum: 100 }),
  ),
})

export type OrderArguments = Static<typeof ORDER_ARGUMENTS>

/** An order with everything known about it before it is sent. */
export type PreparedOrder = {
  readonly market: Market
  readonly args: OrderArguments
  readonly check: OrderCheck
  readonly order: OrderShape
  readonly book: Book | null
  readonly spending: Spending
}

const PRICED: ReadonlySet<string> = new Set(['LIMIT', 'IOC', 'FOK', 'POST_ONLY'])

/** Whether orders of a type carry their own price. */
function isPriced(type: string): boolean {
  return PRICED.has(type)
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
  const book = needsBook ? await bookOf(context, market.symbol) : null
  const order = shapeOf(market, given, book)
  const ruled = checkOrder(market, order)
  const check = isPostOnly && book ? checkPostOnly(ruled, market, book) : ruled
  const micros = given.reduce_only ? 0n : worstValue(market, given, order, book)
  return { market, args: given, check, order, book, spending: { order: micros, daily: micros } }
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

/** Throws for the first argument that makes no sense beside the others. */
function assertCoherent(given: OrderArguments, market: Market): void {
  assertPrice(given, market)
  assertSize(given, market)
  const { client_order_id: id, visible_quantity: visible, order_quantity: whole = Infinity } = given
  if (id !== undefined && !CLIENT_ORDER_ID.test(id)) {
    const expected = '1 to 36 letters, digits, _ . or -, not beginning with -'
    throw invalidArgument('client_order_id', 'malformed', { expected })
  }
  if (visible !== undefined && visible > whole) {
    throw invalidArgument('visible_quantity', 'out_of_range', { maximum: whole, suggestion: whole })
  }
}

function assertPrice(given: OrderArguments, { mark }: Market): void {
  const { order_type: type, order_price: price } = given
  if (isPriced(type) === (price !== undefined)) return
  if (price !== undefined) throw pricedMarket(given)
  throw invalidArgument('order_price', 'missing', {
    next: `${type} needs a price. MARKET does not.`,
    ...(mark !== null && { mark_price: amountNumber(mark) }),
  })
}

function assertSize(
  { order_quantity: quantity, order_amount: amount }: OrderArguments,
  { base }: Market,
): void {
  if (quantity !== undefined && amount !== undefined) {
    throw invalidArgument('order_amount', 'conflicting', {
      next: 'Give order_quantity or order_amount, not both.',
    })
  }
  if (quantity !== undefined || amount !== undefined) return
  const next = `Give order_quantity in ${base}, or order_amount in USDC.`
  throw invalidArgument('order_quantity', 'missing', { next })
}

const CLIENT_ORDER_ID = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/

// A price that is silently ignored is how a limit becomes a market order.
function pricedMarket(given: OrderArguments) {
  return invalidArgument('order_price', 'conflicting', {
    next: `A ${given.order_type} order takes no price: leave it out, or send the suggestion, which never trades beyond the price.`,
    suggested: { ...given, order_type: 'IOC' },
  })
}

function shapeOf(market: Market, given: OrderArguments, book: Book | null): OrderShape {
  const side: Side = given.side
  const price = given.order_price === undefined ? null : exact('order_price', given.order_price)
  const reference = price ?? referenceOf(market, given, book)
  if (reference <= 0n && !given.reduce_only) throw unpriced()
  const quantity =
    given.order_quantity === undefined
      ? quantityOfAmount(market, given, book, reference)
      : exact('order_quantity', given.order_quantity)
  return { side, price, quantity, reference, reduceOnly: given.reduce_only }
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

/** The largest value of an order in micro-USDC: a sale may fill above its price, a market order takes the book's levels. */
function worstValue(
  market: Market,
  given: OrderArguments,
  order: OrderShape,
  book: Book | null,
): bigint {
  const { side, price, quantity, reference } = order
  if (price !== null && side === 'BUY') return microsOf(times(quantity, price, 'ceil'))
  const atBest = times(quantity, larger(reference, market.mark ?? 0n), 'ceil')
  if (given.order_type !== 'MARKET' || !book) return microsOf(atBest)
  const levels = opposite(book, side)
  const limit = marketLimit(market, levels, { side, slippage: amountOf(given.slippage) })
  return microsOf(larger(atBest, fillOf(levels, { side, quantity, limit }).value))
}

function exact(parameter: string, value: number): bigint {
  const amount = amountOf(value)
  if (amount === null)
    throw invalidArgument(parameter, 'malformed', { expected: 'A number of at most 18 decimals.' })
  return amount
}
