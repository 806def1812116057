import { larger } from '../../core/decimals.ts'
import type { Row } from '../../core/json.ts'
import { LOSS_NEXT_STEP } from '../../core/loss.ts'
import { type AccountAfter, accountAfter } from '../../perp/account-after.ts'
import {
  amountNumber,
  product,
  quotient,
  roundedToStep,
  toAmount,
  toUsdcNumber,
} from '../../perp/amounts.ts'
import {
  type MarketNow,
  type Order,
  type OrderMatch,
  restingQuantity,
} from '../../perp/order-match.ts'
import type { MarginMode } from '../../perp/positions.ts'
import {
  hasKnownFee,
  largestWithinMargin,
  preTradeCheck,
  type Shortfall,
} from '../../perp/pre-trade-check.ts'
import { limitsVerdict } from '../limits/verdict.ts'
import type { ToolContext } from '../tool.ts'
import type { PreviewAccount } from './account.ts'
import { repairMeta } from './check.ts'
import { LARGEST_ALLOWED_STEP, largestAllowed } from './largest-allowed.ts'
import { marginShown } from './margin-shown.ts'
import { orderCounting, type PreparedOrder, suggestedArguments } from './prepare.ts'
import { beyondLiquidation, type Risk, riskMember } from './risk-size.ts'

const ESTIMATE_BASIS =
  'Published rules and the order book of this moment, computed here. An estimate: the exchange has simulated nothing.'

/**
 * The preview of an order: problems, correction and estimate. `account` is null without credentials, and for a
 * reduce-only order while the margin is unknown. `risk` is null if the caller named no amount at risk.
 */
export async function buildPreview(
  context: ToolContext,
  prepared: PreparedOrder,
  account: PreviewAccount | null,
  risk: Risk | null,
) {
  const { args } = prepared
  const market = marketNow(prepared, account?.mark)
  const order = arrivingOrder(prepared, account?.mode ?? 'CROSS')
  const { match, shortfall } = preTradeCheck(market, order, account)
  const after = account && accountAfter(market, order, match, account)
  const { symbol } = market
  const write = { symbol, side: args.side, mode: args.margin_mode, spending: prepared.spending }
  const { broken, approvals } = await limitsVerdict(context, [write])
  const limits = broken.map((row) => ({ ...row, ...largestAllowed(orderCounting(prepared), row) }))
  const stop = toAmount(args.stop_loss)
  const beyond = beyondLiquidation(market, order, stop, account)
  const judged = { market, order, match, stop, account, after, shortfall, limits, beyond }
  const { problems, quantity, ...more } = previewVerdict(prepared, judged)
  return {
    symbol,
    side: args.side,
    order_type: args.order_type,
    ok: problems.length === 0,
    problems,
    ...(approvals.length > 0 && { needs_approval: approvals }),
    // Absent if no correction would be accepted.
    ...(quantity !== null && { suggested: suggestedArguments(withQuantity(prepared, quantity)) }),
    ...riskMember(market, { ...order, quantity: quantity ?? order.quantity }, stop, account, risk),
    estimate: {
      value_usdc: toUsdcNumber(arrivalValue(order, match)),
      ...fillShown(market, order, match),
      mark_price: market.mark === null ? null : amountNumber(market.mark),
      ...(after && { fee_usdc: after.fee === null ? null : toUsdcNumber(after.fee) }),
      ...noteShown(prepared, order, match),
    },
    // Null without credentials or a known margin.
    account: account && after && marginShown(account, after, market.mark ?? match.reference ?? 0n),
    basis: ESTIMATE_BASIS,
    ...more,
  }
}

/** The corrected order in the form that the venue checks on arrival. */
function arrivingOrder({ args, check }: PreparedOrder, mode: MarginMode): Order {
  const { side, price, quantity } = check.corrected
  const slippage = toAmount(args.slippage)
  return {
    side,
    type: args.order_type,
    price,
    quantity,
    reduceOnly: args.reduce_only,
    slippage,
    mode,
  }
}

/** The market of a prepared order with the book that was read for it. */
function marketNow({ market, book }: PreparedOrder, mark = market.mark): MarketNow {
  return { ...market, mark, book: book ?? { bids: [], asks: [] } }
}

type JudgedOrder = {
  readonly market: MarketNow
  readonly order: Order
  readonly match: OrderMatch
  /** The trigger price of the order's stop_loss; null without a stop. */
  readonly stop: bigint | null
  readonly account: PreviewAccount | null
  readonly after: AccountAfter | null
  readonly shortfall: Shortfall | null
  /** The limits that the order would exceed. */
  readonly limits: readonly Row[]
  /** The problem of a stop beyond the liquidation price; null if the stop is reached first. */
  readonly beyond: ReturnType<typeof beyondLiquidation>
}

/**
 * The problems of an order, the next step, and the quantity to send. The quantity is null if the preview suggests no
 * order.
 */
function previewVerdict({ check, market }: PreparedOrder, judged: JudgedOrder) {
  const { account, after, shortfall, limits, beyond } = judged
  const rules: readonly object[] = [...check.problems, ...(beyond ? [beyond] : [])]
  const isShort = shortfall === 'margin' || shortfall === 'leverage'
  const short = isShort && account && after ? [marginProblem(account, after)] : []
  if (limits.length > 0)
    return verdict([...rules, ...limits.map(limitProblem), ...short], null, limitsNextStep(limits))
  if (check.wider !== null)
    return { problems: [...rules, ...short], quantity: null, ...repairMeta(check, market.base, {}) }
  return withinLimitsVerdict(rules, short, judged)
}

/** The verdict on an order within the limits. Its correction must not be larger than the order. */
function withinLimitsVerdict(
  rules: readonly object[],
  short: readonly object[],
  judged: JudgedOrder,
) {
  const { order, shortfall, beyond } = judged
  if (beyond && (short.length === 0 || isBeyondOnceSmaller(judged)))
    return verdict([...rules, ...short], null, NEXT_STEPS.stop)
  if (shortfall === 'price') return verdict([...rules, NO_PRICE], null, NEXT_STEPS.empty)
  if (shortfall === 'position')
    return verdict([...rules, NOTHING_TO_REDUCE], null, NEXT_STEPS.reduce)
  if (shortfall === 'fee') return verdict([...rules, NO_FEE_RATE], null, NEXT_STEPS.fee)
  if (short.length > 0) return marginVerdict(rules, short, judged)
  return verdict(rules, order.quantity, rules.length > 0 ? NEXT_STEPS.rules : NEXT_STEPS.clean)
}

/** Whether the stop is still beyond the liquidation price at the largest size that the account has margin for. */
function isBeyondOnceSmaller(judged: JudgedOrder): boolean {
  const { market, order, stop, account } = judged
  const quantity = marginLimitedSize(judged)
  return (
    quantity === null || beyondLiquidation(market, { ...order, quantity }, stop, account) !== null
  )
}

/** The largest size that the account has margin for; null without an account, or if margin is too small for any size. */
function marginLimitedSize({ market, order, account }: JudgedOrder): bigint | null {
  return account && (largestWithinMargin(market, order, account) || null)
}

/** The verdict on an order with too little margin. It suggests the largest size with enough margin, if any. */
function marginVerdict(rules: readonly object[], short: readonly object[], judged: JudgedOrder) {
  const smaller = marginLimitedSize(judged)
  const sized = short.map((problem) => ({
    ...problem,
    ...(smaller !== null && { suggestion: amountNumber(smaller) }),
  }))
  if (smaller !== null) return verdict([...rules, ...sized], smaller, NEXT_STEPS.smaller)
  const { account, match } = judged
  const isUnknown = account !== null && !hasKnownFee(account, match)
  return verdict([...rules, ...sized], null, isUnknown ? NEXT_STEPS.fee : NEXT_STEPS.margin)
}

function limitsNextStep(limits: readonly Row[]): string {
  if (limits.some(({ reason }) => reason === 'restored')) return LOSS_NEXT_STEP
  const isAny = limits.some((row) => Number(row['largest_order_quantity'] ?? 0) > 0)
  return isAny ? `${NEXT_STEPS.limit} ${LARGEST_ALLOWED_STEP}` : NEXT_STEPS.limit
}

function verdict(problems: readonly object[], quantity: bigint | null, next: string) {
  return { problems, quantity, next }
}

const NEXT_STEPS = {
  limit: 'The user set a limit this order breaks. Tell the user; do not split it.',
  reduce: 'No position on the other side to reduce: list_positions shows what is open.',
  empty:
    'The book has no price for this type within the rules: a LIMIT order has a price of its own.',
  smaller:
    'Not enough free collateral: suggested is the largest size that fits. Show it to the user; when they agree, send it with place_order.',
  margin: 'Not enough free collateral for any size of this market. Tell the user.',
  fee: 'The venue does not say the fee rate of the account now, so it is unknown which size the free collateral carries. Call again in a moment.',
  stop: 'The position is liquidated before stop_loss is reached (limit: the liquidation price). Ask the user for a nearer stop_loss, a smaller size or less leverage.',
  rules: 'Show suggested to the user, then send it with place_order.',
  clean: 'Show this to the user; when they agree, send suggested with place_order.',
} as const

const NOTHING_TO_REDUCE = {
  code: 'account_restricted',
  rule: 'reduce_only',
  parameter: 'reduce_only',
  hint: 'no position on the other side to reduce',
} as const

const NO_FEE_RATE = {
  code: 'upstream_unavailable',
  rule: 'free_collateral',
  parameter: 'order_quantity',
  hint: 'the fee rate of the account is unknown',
} as const

const NO_PRICE = {
  code: 'account_restricted',
  rule: 'book',
  parameter: 'order_type',
  hint: 'no order within the price range on the side of the book that gives this type its price',
} as const

function limitProblem(broken: Row) {
  return {
    code: 'mandate_exceeded',
    rule: 'limit of the user',
    parameter: 'order_quantity',
    ...broken,
  }
}

function marginProblem({ free }: PreviewAccount, { needed }: AccountAfter) {
  return {
    code: 'insufficient_margin',
    rule: 'free_collateral',
    parameter: 'order_quantity',
    given: toUsdcNumber(needed),
    limit: toUsdcNumber(larger(0n, free)),
  }
}

function fillShown({ quoteTick }: MarketNow, { quantity }: Order, { fill }: OrderMatch) {
  const average = fill.quantity === 0n ? null : quotient(fill.value, fill.quantity)
  return {
    fills_now: amountNumber(fill.quantity),
    unfilled: amountNumber(quantity - fill.quantity),
    average_price: average && amountNumber(roundedToStep(average, quoteTick, 'half')),
    worst_price: fill.worst && amountNumber(fill.worst),
  }
}

function noteShown({ check }: PreparedOrder, { quantity }: Order, { reach }: OrderMatch) {
  if (check.wider !== null) return { note: ESTIMATE_OF_LARGER }
  if (reach === 0n || reach === quantity) return {}
  return { note: `Reduce-only: at most the position of ${amountNumber(reach)} fills.` }
}

const ESTIMATE_OF_LARGER =
  'The estimate is that of the nearest order that the market takes, which is more than was asked.'

function withQuantity(prepared: PreparedOrder, quantity: bigint): PreparedOrder {
  const { check } = prepared
  return { ...prepared, check: { ...check, corrected: { ...check.corrected, quantity } } }
}

/** The value of an order on arrival: its fills plus the quantity that then rests. */
function arrivalValue(order: Order, match: OrderMatch): bigint {
  return match.fill.value + product(restingQuantity(order, match), match.reference ?? 0n)
}
