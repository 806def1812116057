import { larger, ONE } from '../../../core/decimals.ts'
import { divided, onStep, times } from '../../../perp/amounts.ts'
import type { Level, Rule } from '../market/rows.ts'

export type Side = 'BUY' | 'SELL'

/** How long a limit order may wait, or what it must not do. */
export const LIMIT_TYPES = ['LIMIT', 'IOC', 'FOK', 'POST_ONLY'] as const

export type LimitType = (typeof LIMIT_TYPES)[number]

/** The order types that the venue takes. */
export type OrderType = LimitType | 'MARKET'

/** The kinds of order that the ticket offers; a stop and a trailing stop wait for the mark, the last two are several orders. */
export type Kind = 'LIMIT' | 'MARKET' | 'STOP' | 'TRAILING_STOP' | 'SCALED' | 'TWAP'

/** An order before it is sent, with the book that it would meet. */
export type Draft = {
  readonly side: Side
  readonly type: OrderType
  /** Null for MARKET. */
  readonly price: bigint | null
  readonly size: bigint
  readonly isReduceOnly: boolean
  /** A fraction, of MARKET orders. */
  readonly slippage: bigint | null
  /** The best price of the other side, and what others offer there: an account never trades with itself. */
  readonly best: bigint | null
  readonly opposite: readonly Level[]
  readonly mark: bigint
}

/** An order as the market's rules see it; `reference` values one without a price of its own. */
export type Candidate = Pick<Draft, 'side' | 'price' | 'size'> & {
  readonly reference: bigint
  /** Null where the distance from it is not judged, such as of an order that waits. */
  readonly mark: bigint | null
  /** Whether the order closes a whole position, which may be worth less than the minimum. */
  readonly isFullClose: boolean
}

export type Problem = {
  readonly field: 'price' | 'size' | 'trigger'
  readonly rule:
    | 'price_bounds'
    | 'price_mark'
    | 'price_tick'
    | 'size_step'
    | 'size_min'
    | 'size_max'
    | 'notional'
  /** What the field would have to be. */
  readonly corrected: bigint
}

/** The first broken rule of each field, with the value that keeps it: no worse a price, and no larger a size unless too small. */
export function checkOrder(rule: Rule, order: Candidate): readonly Problem[] {
  const price =
    order.price === null ? null : priceProblem(rule, order.side, order.price, order.mark)
  const size = sizeProblem(rule, order)
  return [price, size].filter((problem) => problem !== null)
}

/** What is wrong with a price at which an order is sent: any distance from the mark is allowed. */
export function checkTrigger(rule: Rule, side: Side, trigger: bigint): Problem | null {
  const problem = priceProblem(rule, side, trigger, null)
  return problem && { ...problem, field: 'trigger' }
}

function priceProblem(rule: Rule, side: Side, price: bigint, mark: bigint | null): Problem | null {
  const { tick, priceMin, priceMax } = rule
  const rounding = side === 'BUY' ? 'floor' : 'ceil'
  const stepped = (value: bigint) => onStep(value, tick, rounding)
  const problem = (name: Problem['rule'], corrected: bigint): Problem => ({
    field: 'price',
    rule: name,
    corrected,
  })
  const lowest = larger(priceMin, tick)
  if (price < lowest) return problem('price_bounds', lowest)
  if (priceMax > 0n && price > priceMax)
    return problem('price_bounds', onStep(priceMax, tick, 'floor'))
  const [low, high] = mark === null ? [null, null] : bandOf(rule, side, mark)
  if (low !== null && price < low) return problem('price_mark', onStep(low, tick, 'ceil'))
  if (high !== null && price > high) return problem('price_mark', onStep(high, tick, 'floor'))
  return stepped(price) === price ? null : problem('price_tick', stepped(price))
}

/** How far from the mark a price may be: `range` on the side that costs, `scope` on the other. */
function bandOf({ priceRange, priceScope }: Rule, side: Side, mark: bigint) {
  const around = (fraction: bigint) => times(mark, ONE + fraction)
  const [below, above] = side === 'BUY' ? [priceScope, priceRange] : [priceRange, priceScope]
  return [below > 0n ? around(-below) : null, above > 0n ? around(above) : null] as const
}

function sizeProblem(rule: Rule, order: Candidate): Problem | null {
  const { step, sizeMin, sizeMax, notionalMin } = rule
  const { size, isFullClose } = order
  const problem = (name: Problem['rule'], corrected: bigint): Problem => ({
    field: 'size',
    rule: name,
    corrected,
  })
  const least = larger(sizeMin, isFullClose ? 0n : sizeForNotional(rule, order, notionalMin))
  if (size < sizeMin) return problem('size_min', least)
  if (sizeMax > 0n && size > sizeMax) return problem('size_max', onStep(sizeMax, step, 'floor'))
  const stepped = onStep(size, step, 'floor')
  if (stepped !== size) return problem('size_step', larger(stepped, sizeMin))
  if (size < least) return problem('notional', least)
  return null
}

/** The smallest size on the grid that is worth so much. */
function sizeForNotional(
  { step }: Rule,
  { price, reference }: Candidate,
  notional: bigint,
): bigint {
  const at = price ?? reference
  return at <= 0n ? 0n : onStep(divided(notional, at, 'ceil'), step, 'ceil')
}
