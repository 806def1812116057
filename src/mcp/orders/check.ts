import { larger, ONE, smaller } from '../../core/decimals.ts'
import { amountNumber, divided, onStep, times } from '../../perp/amounts.ts'
import type { Side } from '../../perp/positions.ts'
import type { FailureCode, Reason } from '../../spec/failures.ts'
import { type Meta, refusal } from '../refusal.ts'
import type { Market } from '../views/market.ts'

/** The parts of an order that the published rules check. `reference` values an order without a price of its own. */
export type OrderShape = {
  readonly side: Side
  readonly price: bigint | null
  readonly quantity: bigint
  readonly reference: bigint
  readonly reduceOnly: boolean
}

/** One broken rule, in numbers that can be sent. */
type Problem = {
  readonly code: FailureCode
  readonly rule: string
  readonly reason: Reason
  readonly parameter: 'order_price' | 'order_quantity' | 'trigger_price'
  readonly given: number
  /** The step or bound of the rule. */
  readonly limit: number
  readonly suggestion: number
}

export type OrderCheck = {
  readonly problems: readonly Problem[]
  /** The order as it would pass: never more aggressive, and larger only where it was below a minimum. */
  readonly corrected: OrderShape
}

/** Throws the failure of the first problem, with all of them and `more` in its meta. */
export function assertNoProblem(problems: readonly Problem[], more: () => Meta): void {
  const [first] = problems
  if (!first) return
  const { code, parameter, reason } = first
  throw refusal(code, { parameter, reason, problems, ...more() })
}

/** Checks an order exactly against the published rules of its market, and corrects it. */
export function checkOrder(market: Market, order: OrderShape): OrderCheck {
  let corrected = order
  const broken: { row: Rule; limit: bigint }[] = []
  for (const row of RULES) {
    const change = row.change(market, corrected)
    if (!change) continue
    corrected = { ...corrected, [row.field]: change.value }
    broken.push({ row, limit: change.limit })
  }
  return {
    corrected,
    problems: broken.map(({ row: { code, rule, field }, limit }) => ({
      code,
      rule,
      reason: rule.endsWith('_tick') ? 'not_a_multiple' : 'out_of_range',
      parameter: field === 'price' ? 'order_price' : 'order_quantity',
      given: amountNumber(order[field] ?? 0n),
      limit: amountNumber(limit),
      suggestion: amountNumber(corrected[field] ?? 0n),
    })),
  }
}

/** A correction, and the bound or step it comes from. */
type Change = { readonly value: bigint; readonly limit: bigint } | null

type Rule = {
  readonly rule: string
  readonly code: FailureCode
  readonly field: 'price' | 'quantity'
  readonly change: (market: Market, order: OrderShape) => Change
}

function priceRule(
  rule: string,
  change: (price: bigint, market: Market, side: Side) => Change,
): Rule {
  return {
    rule,
    code: 'price_out_of_range',
    field: 'price',
    change: (market, { price, side }) => (price === null ? null : change(price, market, side)),
  }
}

function sizeRule(rule: string, change: (quantity: bigint, market: Market) => Change): Rule {
  return {
    rule,
    code: 'size_out_of_range',
    field: 'quantity',
    change: (market, { quantity }) => change(quantity, market),
  }
}

/** In this order: bounds before steps, so that a step ends within the bounds. */
const RULES: readonly Rule[] = [
  priceRule('quote_min', (price, { quoteMin }) => atLeast(price, quoteMin)),
  priceRule('quote_max', (price, { quoteMax }) => atMost(price, quoteMax)),
  priceRule('price_range', (price, market, side) => {
    const bound = markBound(market, market.priceRange, side === 'BUY' ? 1n : -1n, side)
    if (bound === null) return null
    return side === 'BUY' ? atMost(price, bound) : atLeast(price, bound)
  }),
  priceRule('price_scope', (price, market, side) => {
    const opposite = side === 'BUY' ? 'SELL' : 'BUY'
    const bound = markBound(market, market.priceScope, side === 'BUY' ? -1n : 1n, opposite)
    if (bound === null) return null
    return side === 'BUY' ? atLeast(price, bound) : atMost(price, bound)
  }),
  priceRule('quote_tick', (price, { quoteTick }, side) =>
    offStep(price, onStep(price, quoteTick, side === 'BUY' ? 'floor' : 'ceil'), quoteTick),
  ),
  sizeRule('base_tick', (quantity, { baseTick }) =>
    offStep(quantity, onStep(quantity, baseTick, 'floor'), baseTick),
  ),
  sizeRule('base_min', (quantity, { baseMin, baseTick }) =>
    atLeast(quantity, onStep(baseMin, baseTick, 'ceil')),
  ),
  sizeRule('base_max', (quantity, { baseMax, baseTick }) =>
    atMost(quantity, baseMax === null ? null : onStep(baseMax, baseTick, 'floor')),
  ),
  { rule: 'min_notional', code: 'notional_too_small', field: 'quantity', change: minNotional },
]

// A position's last dust may be worth less than the minimum and must still be closable.
function minNotional(
  market: Market,
  { price, quantity, reference, reduceOnly }: OrderShape,
): Change {
  const at = price ?? reference
  if (reduceOnly || at <= 0n || times(quantity, at) >= market.minNotional) return null
  const enough = onStep(divided(market.minNotional, at, 'ceil'), market.baseTick, 'ceil')
  return { value: larger(enough, quantity), limit: market.minNotional }
}

/** A fraction away from the mark, rounded to the tick on the side of a BUY (down) or SELL (up). */
function markBound(
  { mark, quoteTick }: Market,
  fraction: bigint | null,
  sign: 1n | -1n,
  side: Side,
): bigint | null {
  if (mark === null || fraction === null) return null
  const rounding = side === 'BUY' ? 'floor' : 'ceil'
  return onStep(times(mark, ONE + sign * fraction, rounding), quoteTick, rounding)
}

function atLeast(value: bigint, bound: bigint): Change {
  return value < bound ? { value: larger(value, bound), limit: bound } : null
}

function atMost(value: bigint, bound: bigint | null): Change {
  return bound !== null && value > bound ? { value: smaller(value, bound), limit: bound } : null
}

function offStep(value: bigint, stepped: bigint, step: bigint): Change {
  return stepped === value ? null : { value: stepped, limit: step }
}
