import { amountNumber, product, roundedToStep, toAmount, toUsdcNumber } from '../../perp/amounts.ts'
import { opposite } from '../../perp/book.ts'
import { fillFromLevels, marketLimit } from '../../perp/fill.ts'
import { bodyText, legBodies } from '../../perp/write-body.ts'
import { type Meta, withMeta } from '../refusal.ts'
import { type SignedContext, ToolFailure } from '../tool.ts'
import { isBracket, type OrderArguments } from './arguments.ts'
import { assertNoProblem, repairMeta } from './check.ts'
import { withLargestAllowed } from './largest-allowed.ts'
import { marketWrite } from './market-write.ts'
import { orderCounting, type PreparedOrder, suggestedArguments } from './prepare.ts'
import { newSendingOrder, type SendingOrder } from './send-once.ts'

/** Throws the failure of the first market rule that the order breaks, with corrected arguments. */
export function assertSendable(prepared: PreparedOrder): void {
  const { check, market } = prepared
  assertNoProblem(check.problems, () =>
    repairMeta(check, market.base, suggestedArguments(prepared)),
  )
}

/**
 * The identity of an order for at-most-once sending. It depends on the arguments, because an amount in USDC gives
 * another quantity at another price.
 */
export function sendingOrder(context: SignedContext, args: OrderArguments): SendingOrder {
  const { client_order_id: id, ...content } = args
  const path = isBracket(args) ? '/v1/algo/order' : '/v1/order'
  const text = JSON.stringify(content)
  return newSendingOrder(context, { id, symbol: args.symbol, path, content: () => text })
}

/** Sends a prepared order at most once. The meta of a failure explains the most frequent cause. */
export async function sendPrepared(
  context: SignedContext,
  prepared: PreparedOrder,
  sending: SendingOrder,
) {
  const { args, order, spending, legs } = prepared
  const isPlain = legs.length === 0
  const { path, lookUp, clientOrderId } = sending
  try {
    const hints = isPlain ? context.hints : { ...context.hints, ...NO_BRACKETS }
    const result = await marketWrite(
      { ...context, ...(hints && { hints }) },
      {
        tool: 'place_order',
        symbol: args.symbol,
        side: args.side,
        mode: args.margin_mode,
        quantity: order.quantity,
        order: sending,
        spending,
        write: {
          method: 'POST',
          path,
          body: isPlain ? orderBody(prepared, clientOrderId) : bracketBody(prepared, clientOrderId),
          lookUp,
        },
      },
    )
    return { value_usdc: toUsdcNumber(product(order.quantity, order.reference)), ...result }
  } catch (error) {
    throw withExplanation(error, prepared, sending)
  }
}

/** The body of POST /v1/order. */
function orderBody({ args, order }: PreparedOrder, clientOrderId: string): string {
  return bodyText({
    symbol: args.symbol,
    client_order_id: clientOrderId,
    side: args.side,
    order_type: args.order_type,
    order_price: order.price,
    order_quantity: order.quantity,
    visible_quantity: toAmount(args.visible_quantity),
    reduce_only: args.reduce_only || undefined,
    slippage: toAmount(args.slippage),
    order_tag: args.order_tag,
    margin_mode: args.margin_mode,
  })
}

/** The body of POST /v1/algo/order for a bracket: an order whose legs close the quantity that it opened. */
function bracketBody({ args, order, legs }: PreparedOrder, clientOrderId: string): string {
  const { symbol, side } = args
  const closing = legBodies(symbol, side === 'BUY' ? 'SELL' : 'BUY', 'MARKET', legs)
  const group = { symbol, algo_type: 'TP_SL', trigger_price_type: 'MARK_PRICE' }
  return bodyText({
    symbol,
    client_order_id: clientOrderId,
    algo_type: 'BRACKET',
    side,
    type: args.order_type,
    price: order.price,
    quantity: order.quantity,
    order_tag: args.order_tag,
    margin_mode: args.margin_mode,
    child_orders: [{ ...group, child_orders: closing }],
  })
}

const NO_BRACKETS = {
  not_found:
    'Nothing was sent. This venue lacks algo orders, so it has no take_profit or stop_loss. Ask the user before you go on without them.',
} as const

function withExplanation(error: unknown, prepared: PreparedOrder, sending: SendingOrder): unknown {
  if (!(error instanceof ToolFailure)) return error
  const explanation = EXPLANATIONS.get(error.code)?.(prepared, sending)
  return explanation
    ? withMeta(error, explanation)
    : withLargestAllowed(error, orderCounting(prepared))
}

type Explain = (prepared: PreparedOrder, sending: SendingOrder) => Meta | null

const EXPLANATIONS: ReadonlyMap<string, Explain> = new Map<string, Explain>([
  ['approval_required', sameOrder],
  ['insufficient_margin', marginExplanation],
  ['account_restricted', reductionExplanation],
  ['order_rejected', bookExplanation],
  ['price_out_of_range', bookExplanation],
])

/** For a failed MARKET order: its worst price, and the quantity that the book offered up to this price. */
function bookExplanation({ market, args, order, book }: PreparedOrder): Meta | null {
  const { side, quantity } = order
  if (args.order_type !== 'MARKET' || !book) return null
  const levels = opposite(book, side)
  const bounds = { side, slippage: toAmount(args.slippage) }
  const limit = marketLimit(market, bounds, levels[0]?.price ?? null)
  const fits = fillFromLevels(levels, { side, quantity, limit }).quantity
  return {
    ...(limit !== null && {
      worst_price: amountNumber(
        roundedToStep(limit, market.quoteTick, side === 'BUY' ? 'floor' : 'ceil'),
      ),
    }),
    largest_order_quantity: amountNumber(fits),
    next: BOOK_BEFORE_SENDING,
  }
}

const BOOK_BEFORE_SENDING =
  'Just before it was sent, the book held largest_order_quantity up to worst_price. get_orderbook shows it now.'

/** The arguments (`again`) that repeat the same order byte for byte, because an approval is valid only for that order. */
function sameOrder(prepared: PreparedOrder, { clientOrderId }: SendingOrder): Meta {
  return { again: { ...suggestedArguments(prepared), client_order_id: clientOrderId } }
}

/**
 * Explains insufficient margin. The most frequent cause is a size that was meant in USDC. Returns the order's value. If
 * the size as a USDC amount gives a smaller order, also returns the arguments of the smaller order.
 */
function marginExplanation({ args, market, order }: PreparedOrder): Meta {
  const { order_quantity, order_amount, ...others } = args
  const value_usdc = toUsdcNumber(product(order.quantity, order.reference))
  const smaller = 'preview_order suggests the largest size that fits.'
  if (order_quantity === undefined) return { value_usdc, next: `Use a smaller amount: ${smaller}` }
  if (order_quantity >= value_usdc) return { value_usdc, next: `Use a smaller size: ${smaller}` }
  return {
    value_usdc,
    if_usdc_was_meant: { ...others, order_amount: order_quantity },
    next: `order_quantity counts ${market.base}. Use a smaller size: ${smaller} If USDC was meant, send if_usdc_was_meant.`,
  }
}

// The venue gives no reason; for a reduce-only order the most likely cause is a missing position.
function reductionExplanation({ args }: PreparedOrder): Meta | null {
  if (!args.reduce_only) return null
  return {
    rule: 'reduce_only',
    hint: 'most likely no position on the other side to reduce',
    next: 'list_positions shows what is open and on which side.',
  }
}
