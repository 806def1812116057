import { larger, smaller, usdcNumber } from '../../core/decimals.ts'
import type { Row } from '../../core/json.ts'
import { amountNumber, divided, onStep, times, toAmount, toUsdcNumber } from '../../perp/amounts.ts'
import { brokenLimits } from '../limits/spending.ts'
import type { ToolContext } from '../tool.ts'
import { heldIn } from '../views/account.ts'
import type { OrderAccount } from './account.ts'
import { type Fill, fillOf, marketLimit, opposite, withoutOwn } from './book.ts'
import { ASK_FIRST, largestAllowed } from './largest-allowed.ts'
import { LEAVES_NOTHING, type MarginAfter, marginAfter } from './margin-after.ts'
import { countingOf, largestSize, type PreparedOrder, suggestedArguments } from './prepare.ts'

const BASIS =
  'Published rules and the order book of this moment, computed here. An estimate: the exchange has simulated nothing.'

/** The preview of an order: problems, correction, estimate; `account` is null without credentials. */
export async function previewOf(
  context: ToolContext,
  asked: PreparedOrder,
  account: OrderAccount | null,
) {
  const prepared = account ? besideOwn(asked, account) : asked
  const { market, args } = prepared
  const reach = reachOf(prepared, account)
  const fill = estimatedFill(prepared, reach)
  const margin = account && marginAfter(prepared, fill, account)
  const { symbol } = market
  const broken = await brokenLimits(context, [{ symbol, spending: prepared.spending }])
  const limits = broken.map((row) => ({ ...row, ...largestAllowed(countingOf(asked), row) }))
  const { problems, sendable, next } = verdictOf(prepared, { account, margin, reach, limits })
  return {
    symbol,
    side: args.side,
    order_type: args.order_type,
    ok: problems.length === 0,
    problems,
    // Absent when no correction would pass.
    ...(sendable && { suggested: suggestedArguments(sendable) }),
    estimate: {
      value_usdc: toUsdcNumber(arrivalValue(prepared, fill, reach)),
      ...fillShown(prepared, fill),
      mark_price: market.mark === null ? null : amountNumber(market.mark),
      ...(margin && { fee_usdc: usdcNumber(margin.fee) }),
      ...cappedNote(prepared, reach),
    },
    // Null without credentials.
    account: margin?.shown ?? null,
    basis: BASIS,
    next,
  }
}

type Known = {
  readonly account: OrderAccount | null
  readonly margin: MarginAfter | null
  readonly reach: bigint
  /** The limits that it would break. */
  readonly limits: readonly Row[]
}

/** The problems of an order and the order to send; `sendable` is null when no correction would pass. */
function verdictOf(prepared: PreparedOrder, { account, margin, reach, ...known }: Known) {
  const { problems } = prepared.check
  const limits = known.limits.map(limitProblem)
  const short = margin && isShort(prepared, margin) ? [shortOfMargin(margin)] : []
  if (limits.length > 0) {
    return verdict([...problems, ...limits, ...short], null, nextOfLimits(known.limits))
  }
  if (account?.otherMode) {
    return verdict([...problems, modeProblem(prepared, account.otherMode)], null, NEXT.mode)
  }
  if (hasNoPrice(prepared)) return verdict([...problems, NO_PRICE], null, NEXT.empty)
  if (prepared.args.reduce_only && reach === 0n) {
    return verdict([...problems, NOTHING_TO_REDUCE], null, NEXT.reduce)
  }
  if (account && short.length > 0) {
    const smaller = largestThatFits(prepared, account)
    const sized = short.map((problem) => ({ ...problem, ...sizeOf(smaller) }))
    return verdict([...problems, ...sized], smaller, smaller ? NEXT.smaller : NEXT.margin)
  }
  return verdict(problems, prepared, problems.length > 0 ? NEXT.rules : NEXT.clean)
}

function nextOfLimits(limits: readonly Row[]): string {
  const isAny = limits.some((row) => Number(row['largest_order_quantity'] ?? 0) > 0)
  return isAny ? `${NEXT.limit} ${ASK_FIRST}` : NEXT.limit
}

function verdict(problems: readonly object[], sendable: PreparedOrder | null, next: string) {
  return { problems, sendable, next }
}

const NEXT = {
  limit: 'The user set a limit this order breaks. Tell the user; do not split it.',
  mode: 'What is open in this market has the other margin mode, and keeps it: leave margin_mode out.',
  reduce: 'No position on the other side to reduce: list_positions shows what is open.',
  empty: 'The book has no order on that side: a LIMIT order has a price of its own.',
  smaller:
    'Not enough free collateral: suggested is the largest size that fits. Show it to the user; when they agree, send it with place_order.',
  margin: 'Not enough free collateral for any size of this market. Tell the user.',
  rules: 'Show suggested to the user, then send it with place_order.',
  clean: 'Show this to the user; when they agree, send suggested with place_order.',
} as const

const NOTHING_TO_REDUCE = {
  code: 'account_restricted',
  rule: 'reduce_only',
  parameter: 'reduce_only',
  hint: 'no position on the other side to reduce',
} as const

const NO_PRICE = {
  code: 'account_restricted',
  rule: 'book',
  parameter: 'order_type',
  hint: 'no order on the side of the book that gives this type its price',
} as const

/** Whether an ASK or BID order has nothing to take its price from. */
function hasNoPrice({ args, book }: PreparedOrder): boolean {
  if (args.order_type === 'ASK') return book?.asks.length === 0
  return args.order_type === 'BID' && book?.bids.length === 0
}

// The venue asks no margin of an order that only shrinks a position.
function isShort({ args }: PreparedOrder, { room, isOverNotional }: MarginAfter): boolean {
  return !args.reduce_only && (room < 0n || isOverNotional)
}

function modeProblem({ args }: PreparedOrder, suggestion: string) {
  const parameter = 'margin_mode'
  return {
    code: 'invalid_request',
    rule: parameter,
    parameter,
    given: args.margin_mode,
    suggestion,
  }
}

function limitProblem(broken: Row) {
  return {
    code: 'mandate_exceeded',
    rule: 'limit of the user',
    parameter: 'order_quantity',
    ...broken,
  }
}

function sizeOf(smaller: PreparedOrder | null) {
  return smaller && { suggestion: amountNumber(smaller.check.corrected.quantity) }
}

function shortOfMargin({ shown: { free_collateral, initial_margin_needed } }: MarginAfter) {
  return {
    code: 'insufficient_margin',
    rule: 'free_collateral',
    parameter: 'order_quantity',
    given: initial_margin_needed,
    limit: free_collateral,
  }
}

function fillShown({ market, check }: PreparedOrder, { quantity, value, worst }: Fill) {
  const average = quantity === 0n ? null : divided(value, quantity)
  return {
    fills_now: amountNumber(quantity),
    unfilled: amountNumber(check.corrected.quantity - quantity),
    average_price: average && amountNumber(onStep(average, market.quoteTick, 'half')),
    worst_price: worst && amountNumber(worst),
  }
}

function cappedNote({ check }: PreparedOrder, reach: bigint) {
  if (reach === 0n || reach === check.corrected.quantity) return {}
  return { note: `Reduce-only: at most the position of ${amountNumber(reach)} fills.` }
}

/** The order against a book without the account's own orders, with which it never trades. */
function besideOwn(prepared: PreparedOrder, { orders, mark }: OrderAccount): PreparedOrder {
  const { book, market } = prepared
  return { ...prepared, market: { ...market, mark }, book: book && withoutOwn(book, orders) }
}

/** The share of the free collateral that stays free: prices move before an order arrives. */
const RESERVE_PERCENT = 1n

/**
 * The same order in the largest size below its own that the free collateral carries; null when not even the smallest
 * size of the market does. An estimate, as the margin is.
 */
function largestThatFits(prepared: PreparedOrder, account: OrderAccount): PreparedOrder | null {
  const { market, check } = prepared
  const quantity = largestSize(market, check.corrected, (size) =>
    isCarried(resized(prepared, size), account),
  )
  return quantity === 0n ? null : resized(prepared, quantity)
}

function resized(prepared: PreparedOrder, quantity: bigint): PreparedOrder {
  const { check } = prepared
  return { ...prepared, check: { ...check, corrected: { ...check.corrected, quantity } } }
}

function isCarried(prepared: PreparedOrder, account: OrderAccount): boolean {
  const fill = estimatedFill(prepared, prepared.check.corrected.quantity)
  const { room, free, isOverNotional } = marginAfter(prepared, fill, account)
  return !isOverNotional && room * 100n >= free * RESERVE_PERCENT
}

const NOTHING: Fill = { quantity: 0n, value: 0n, worst: null, parts: [], offered: [] }

/** How much of its size an order can trade: a reduce-only one no more than there is to reduce, where that is known. */
function reachOf({ market, args, check }: PreparedOrder, account: OrderAccount | null) {
  const { quantity, side } = check.corrected
  if (!args.reduce_only || !account) return quantity
  const held = heldIn(account.positions, market.symbol)
  return smaller(quantity, larger(side === 'SELL' ? held : -held, 0n))
}

/** The immediate fill of the corrected order, up to its reach. */
function estimatedFill({ market, args, check, book }: PreparedOrder, reach: bigint): Fill {
  const { side, price, quantity, reference } = check.corrected
  if (!book || args.order_type === 'POST_ONLY') return NOTHING
  const levels = opposite(book, side)
  const limit =
    args.order_type === 'MARKET'
      ? marketLimit(market, levels, { side, slippage: toAmount(args.slippage) })
      : (price ?? reference)
  const fill = fillOf(levels, { side, quantity: reach, limit })
  return args.order_type === 'FOK' && fill.quantity < quantity
    ? { ...NOTHING, offered: fill.offered }
    : fill
}

/** The value of an order as it arrives: its fills, and the part that then rests. */
function arrivalValue({ args, check }: PreparedOrder, fill: Fill, reach: bigint): bigint {
  if (LEAVES_NOTHING.has(args.order_type)) return fill.value
  const { price, reference } = check.corrected
  return fill.value + times(reach - fill.quantity, price ?? reference)
}
