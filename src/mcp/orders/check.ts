import { amountNumber } from '../../perp/amounts.ts'
import { type Book, opposite } from '../../perp/book.ts'
import {
  type BrokenRule,
  type CheckedMarket,
  checkOrder,
  type OrderShape,
  type RuleName,
} from '../../perp/order-check.ts'
import type { FailureCode, Reason } from '../../spec/failures.ts'
import { invalidArgument, type Meta, refusal } from '../refusal.ts'

/** One broken rule, in numbers that can be sent. */
type Problem = {
  readonly code: FailureCode
  readonly rule: RuleName | 'post_only'
  readonly reason: Reason
  readonly parameter: 'order_price' | 'order_quantity' | 'trigger_price'
  readonly given: number
  /** The step or bound of the rule. */
  readonly limit: number
  readonly suggestion: number
}

/** The rules that an order breaks, and the order that breaks none. */
export type OrderCheck = {
  readonly problems: readonly Problem[]
  readonly corrected: OrderShape
}

/** Checks an order against the published rules of its market, for an answer. */
export function checkedOrder(market: CheckedMarket, order: OrderShape): OrderCheck {
  const { broken, corrected } = checkOrder(market, order)
  return { corrected, problems: broken.map((each) => toProblem(each, order)) }
}

function toProblem({ rule, field, limit, corrected }: BrokenRule, order: OrderShape): Problem {
  return {
    code: rule === 'min_notional' ? 'notional_too_small' : `${OUT_OF_RANGE[field]}_out_of_range`,
    rule,
    reason: rule.endsWith('_tick') ? 'not_a_multiple' : 'out_of_range',
    parameter: `order_${field}`,
    given: amountNumber(order[field] ?? 0n),
    limit: amountNumber(limit),
    suggestion: amountNumber(corrected),
  }
}

const OUT_OF_RANGE = { price: 'price', quantity: 'size' } as const

/** Throws the failure of the first problem, with all of them and `more` in its meta. */
export function assertNoProblem(problems: readonly Problem[], more: () => Meta): void {
  const [first] = problems
  if (!first) return
  const { code, parameter, reason } = first
  throw refusal(code, { parameter, reason, problems, ...more() })
}

/** Adds the problem of a POST_ONLY order that would trade, which the venue cancels, and moves it one tick away from the book. */
export function withPostOnly(check: OrderCheck, { quoteTick }: CheckedMarket, book: Book) {
  const { price, side } = check.corrected
  const best = opposite(book, side)[0]?.price
  if (best === undefined || price === null) return check
  if (side === 'BUY' ? price < best : price > best) return check
  const away = side === 'BUY' ? best - quoteTick : best + quoteTick
  const problem: Problem = {
    code: 'order_rejected',
    rule: 'post_only',
    reason: 'would_trade',
    parameter: 'order_price',
    given: amountNumber(price),
    limit: amountNumber(best),
    suggestion: amountNumber(away),
  }
  return {
    problems: [...check.problems, problem],
    corrected: { ...check.corrected, price: away },
  }
}

/** The refusal of an order whose value nobody knows: without it no limit could refuse the order. */
export function unpricedMarket() {
  return invalidArgument('order_price', 'missing', {
    next: 'This market has no price now: only a LIMIT order with a price of its own can be placed.',
  })
}
