import { type AccountView, figure } from './account-view.ts'
import { absolute, amountNumber, amountOf, divided, times, usdcOf } from './amounts.ts'
import { marginAfter } from './margin-estimate.ts'
import { isPriced, type PreparedOrder } from './order-ask.ts'
import { type Fill, fillOf, marketLimit, opposite } from './order-book.ts'
import { brokenLimits } from './order-limits.ts'
import { suggestedArguments } from './order-send.ts'
import type { ToolContext } from './tool.ts'

const BASIS =
  'Published rules and the order book of this moment, computed here. An estimate: the exchange has simulated nothing.'

/** Everything that can be said about an order before it is sent; `account` is null without credentials. */
export function previewOf(
  context: ToolContext,
  prepared: PreparedOrder,
  account: AccountView | null,
) {
  const { market, args, check } = prepared
  const { corrected } = check
  const limits = brokenLimits(context, prepared.spending)
  const fill = estimatedFill(prepared)
  const crossed = crossing(prepared)
  const problems = [...check.problems, ...crossed, ...limits.map(limitProblem)]
  const margin = account && marginAfter(prepared, fill, account)
  const short = margin !== null && margin.free_collateral_after < 0
  return {
    symbol: market.symbol,
    side: args.side,
    order_type: args.order_type,
    ok: problems.length === 0 && !short,
    problems: short ? [...problems, shortOfMargin(margin)] : problems,
    suggested: {
      ...suggestedArguments(prepared),
      ...(crossed[0] && { order_price: crossed[0].suggestion }),
    },
    estimate: {
      value_usdc: usdcOf(fill.value + restingValue(prepared, fill)),
      ...fillShown(fill, corrected.quantity),
      mark_price: market.mark === null ? null : amountNumber(market.mark),
      ...(account && { fee_usdc: feeOf(fill, account) }),
    },
    // Null without credentials.
    account: margin,
    basis: BASIS,
    next: nextStep(problems.length > 0, limits.length > 0, short),
  }
}

/** What the book would fill of the corrected order at once. */
function estimatedFill({ market, args, check, book }: PreparedOrder): Fill {
  const { side, price, quantity } = check.corrected
  const nothing = { quantity: 0n, value: 0n, worst: null }
  if (!book || RESTING.has(args.order_type)) return nothing
  const levels = opposite(book, side)
  const limit = isPriced(args.order_type)
    ? price
    : marketLimit(market, levels, { side, slippage: amountOf(args.slippage) })
  const fill = fillOf(levels, { side, quantity, limit })
  return args.order_type === 'FOK' && fill.quantity < quantity ? nothing : fill
}

/** Types that never take from the book when they arrive. */
const RESTING: ReadonlySet<string> = new Set(['POST_ONLY', 'ASK', 'BID'])
const LEAVES_NOTHING: ReadonlySet<string> = new Set(['MARKET', 'IOC', 'FOK'])

function restingValue({ args, check: { corrected } }: PreparedOrder, fill: Fill): bigint {
  if (LEAVES_NOTHING.has(args.order_type)) return 0n
  const left = corrected.quantity - fill.quantity
  return times(left, corrected.price ?? corrected.reference)
}

function fillShown(fill: Fill, quantity: bigint) {
  return {
    fills_now: amountNumber(fill.quantity),
    unfilled: amountNumber(quantity - fill.quantity),
    average_price: fill.quantity === 0n ? null : amountNumber(divided(fill.value, fill.quantity)),
    worst_price: fill.worst === null ? null : amountNumber(fill.worst),
  }
}

/** The fee rates of an account are hundredths of a percent. */
function feeOf({ value }: Fill, { info }: AccountView): number {
  const bps = figure(info, 'futures_taker_fee_rate')
  return Number(((amountNumber(absolute(value)) * bps) / 10_000).toFixed(6))
}

/** A POST_ONLY order that would trade is cancelled as it arrives. */
function crossing({ market, args, check: { corrected }, book }: PreparedOrder) {
  const best = book && opposite(book, corrected.side)[0]?.price
  const { price, side } = corrected
  if (args.order_type !== 'POST_ONLY' || !best || price === null) return []
  if (side === 'BUY' ? price < best : price > best) return []
  const suggestion = side === 'BUY' ? best - market.quoteTick : best + market.quoteTick
  return [
    {
      code: 'order_rejected',
      rule: 'post_only',
      parameter: 'order_price',
      given: amountNumber(price),
      limit: amountNumber(best),
      suggestion: amountNumber(suggestion),
    },
  ]
}

function limitProblem(broken: ReturnType<typeof brokenLimits>[number]) {
  return { code: 'forbidden', rule: 'limit of the user', parameter: 'order_quantity', ...broken }
}

function shortOfMargin({
  free_collateral,
  initial_margin_needed,
}: NonNullable<ReturnType<typeof marginAfter>>) {
  return {
    code: 'insufficient_margin',
    rule: 'free_collateral',
    parameter: 'order_quantity',
    given: initial_margin_needed,
    limit: free_collateral,
  }
}

function nextStep(hasProblems: boolean, isForbidden: boolean, isShort: boolean): string {
  if (isForbidden) return 'The user set a limit this order breaks. Tell the user; do not split it.'
  if (isShort) return 'Not enough free collateral: use a smaller size.'
  if (hasProblems) return 'Show suggested to the user, then send it with place_order.'
  return 'Show this to the user; when they agree, send suggested with place_order.'
}
