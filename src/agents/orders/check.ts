import type { FailureCode, Reason } from '../../contract/failures.ts'
import { amountNumber, product, toUsdcNumber } from '../../perp/amounts.ts'
import { type Book, opposite } from '../../perp/book.ts'
import {
  type BrokenRule,
  brokenTriggerRules,
  type CheckedMarket,
  checkOrder,
  type OrderShape,
  type RuleName,
} from '../../perp/order-check.ts'
import { invalidArgument, type Meta, toolRefusal } from '../refusal.ts'

/** A market rule that an order breaks, with numbers in the form of a tool's answer. */
type Problem = {
  readonly code: FailureCode
  readonly rule: RuleName | 'post_only'
  readonly reason: Reason
  readonly parameter: 'order_price' | 'order_quantity' | 'trigger_price'
  readonly given: number
  /** The tick size or bound of the rule. */
  readonly limit: number
  /** Absent if only a larger size or a worse price would satisfy the rule. */
  readonly suggestion?: number
}

/** The market rules that an order breaks, and a corrected order that satisfies all of them. */
export type OrderCheck = {
  readonly problems: readonly Problem[]
  readonly corrected: OrderShape
  /**
   * The field in which the corrected order has a larger size or worse price than the given order; null without such a
   * field. If there is such a field, the correction is not suggested.
   */
  readonly wider: BrokenRule['field'] | null
}

/** Checks an order against its market's published rules. */
export function checkedOrder(market: CheckedMarket, order: OrderShape): OrderCheck {
  const { broken, corrected } = checkOrder(market, order)
  const wider = FIELDS.find((field) => isLargerOrWorse(field, corrected[field], order)) ?? null
  return { corrected, wider, problems: broken.map((each) => toProblem(each, order)) }
}

/** Checks an order's trigger price against its market's rules. */
export function checkedTrigger(
  market: CheckedMarket,
  side: OrderShape['side'],
  trigger: bigint | null,
): Pick<OrderCheck, 'problems' | 'wider'> {
  if (trigger === null) return { problems: [], wider: null }
  const order = { side, price: trigger, quantity: 0n }
  const problems = brokenTriggerRules(market, side, trigger).map((each): Problem => {
    return { ...toProblem(each, order), parameter: 'trigger_price' }
  })
  const isWider = problems.some(({ suggestion }) => suggestion === undefined)
  return { problems, wider: isWider ? 'price' : null }
}

const FIELDS = ['quantity', 'price'] as const

type Asked = Pick<OrderShape, 'side' | 'price' | 'quantity'>

/** Whether a value is larger than the order's size, or worse for its owner than the order's price. */
function isLargerOrWorse(field: BrokenRule['field'], value: bigint | null, order: Asked): boolean {
  const given = order[field]
  if (value === null || given === null) return false
  return field === 'price' && order.side === 'SELL' ? value < given : value > given
}

function toProblem({ rule, field, limit, corrected }: BrokenRule, order: Asked): Problem {
  return {
    code: rule === 'min_notional' ? 'notional_too_small' : `${OUT_OF_RANGE[field]}_out_of_range`,
    rule,
    reason: rule.endsWith('_tick') ? 'not_a_multiple' : 'out_of_range',
    parameter: `order_${field}`,
    given: amountNumber(order[field] ?? 0n),
    limit: amountNumber(limit),
    ...(!isLargerOrWorse(field, corrected, order) && { suggestion: amountNumber(corrected) }),
  }
}

const OUT_OF_RANGE = { price: 'price', quantity: 'size' } as const

/** Throws the failure of the first problem, if any. Its meta has all problems and `more`. */
export function assertNoProblem(problems: readonly Problem[], more: () => Meta): void {
  const [first] = problems
  if (!first) return
  const { code, parameter, reason } = first
  throw toolRefusal(code, { parameter, reason, problems, ...more() })
}

/**
 * The proposal for an order that breaks rules: usually the corrected arguments, with at most the given size and price.
 * If the market accepts only larger orders, it names the smallest one as a question to the user.
 */
export function repairMeta(
  { wider, corrected, problems }: OrderCheck,
  base: string,
  suggested: object,
): Meta {
  if (wider === null) return { suggested, next: CONFIRM_SUGGESTION_STEP }
  const { quantity, price, reference } = corrected
  if (wider === 'price') return { next: worsePrice(problems) }
  const order_quantity = amountNumber(quantity)
  const value_usdc = toUsdcNumber(product(quantity, price ?? reference))
  return {
    smallest: { order_quantity, value_usdc },
    next: `Nothing was sent. The smallest order here, ${order_quantity} ${base} or ${value_usdc} USDC, is more than was asked: ask the user whether to trade that.`,
  }
}

const CONFIRM_SUGGESTION_STEP =
  'Nothing was sent. Show the user suggested; when they agree, call this tool again with it.'

/** The next step if the market accepts only a price or trigger that is worse for the user than the given value. */
function worsePrice(problems: readonly Problem[]): string {
  const worse = problems.find(({ suggestion, parameter }) => {
    return suggestion === undefined && parameter !== 'order_quantity'
  })
  const { parameter = 'order_price', given = 0, limit = 0 } = worse ?? {}
  const side = limit > given ? 'below' : 'above'
  return `Nothing was sent. The market takes no ${parameter} ${side} ${limit}, which is worse for the user than the ${given} asked: ask the user for another one.`
}

/**
 * Adds a problem if a POST_ONLY order would trade, because the venue would cancel it. The correction moves the price
 * one tick away from the opposite best price.
 */
export function withPostOnly(
  check: OrderCheck,
  { quoteTick, quoteMin }: CheckedMarket,
  book: Book,
): OrderCheck {
  const { price, side } = check.corrected
  const best = opposite(book, side)[0]?.price
  if (best === undefined || price === null) return check
  if (side === 'BUY' ? price < best : price > best) return check
  const away = side === 'BUY' ? best - quoteTick : best + quoteTick
  const isPrice = away > 0n && away >= quoteMin
  const problem: Problem = {
    code: 'order_rejected',
    rule: 'post_only',
    reason: 'would_trade',
    parameter: 'order_price',
    given: amountNumber(price),
    limit: amountNumber(best),
    ...(isPrice && { suggestion: amountNumber(away) }),
  }
  return {
    problems: [...check.problems, problem],
    corrected: isPrice ? { ...check.corrected, price: away } : check.corrected,
    wider: check.wider ?? (isPrice ? null : 'price'),
  }
}

/** The refusal of an order in a market without a price: its value is unknown, so limits cannot be checked. */
export function unpricedMarketFailure() {
  return invalidArgument('order_price', 'missing', {
    next: 'This market has no price now: only a LIMIT order with a price of its own can be placed.',
  })
}
