import { larger, ONE, smaller } from '../core/decimals.ts'
import { divided, onStep, times } from './amounts.ts'
import type { MarketRules } from './market-rules.ts'
import type { Side } from './positions.ts'

/** The parts of an order that the rules of its market check; amounts. */
export type OrderShape = {
  readonly side: Side
  /** Null for an order that takes its price from the book. */
  readonly price: bigint | null
  readonly quantity: bigint
  /** The price that values an order without a price of its own. */
  readonly reference: bigint
  /**
   * For a reduce-only order, the quantity that closes its whole position: such an order may be worth less than the
   * minimum. Null for an order that closes no position.
   */
  readonly closes: bigint | null
}

export type RuleName =
  | 'quote_min'
  | 'quote_max'
  | 'price_range'
  | 'price_scope'
  | 'quote_tick'
  | 'base_tick'
  | 'base_min'
  | 'base_max'
  | 'min_notional'

/** A rule that an order breaks. */
export type BrokenRule = {
  readonly rule: RuleName
  readonly field: 'price' | 'quantity'
  /** The step or bound of the rule. */
  readonly limit: bigint
  /** The value of the field in an order that breaks no rule. */
  readonly corrected: bigint
}

/** A market as its rules see it; without a mark price, the distance from it is not checked. */
export type CheckedMarket = MarketRules & { readonly mark: bigint | null }

/**
 * The rules of its market that an order breaks, and a corrected order that keeps them all. The corrected order is at
 * most as aggressive as the given one, and larger only if the given one was below a minimum.
 */
export function checkOrder(market: CheckedMarket, order: OrderShape) {
  let corrected = order
  const broken: Omit<BrokenRule, 'corrected'>[] = []
  for (const [rule, field, change] of RULES) {
    const found = change(market, corrected)
    if (found) corrected = { ...corrected, [field]: found.value }
    // A correction may keep the next rule too, which the given order breaks all the same.
    const given = found ?? change(market, order)
    if (given) broken.push({ rule, field, limit: given.limit })
  }
  const withCorrection = (each: Omit<BrokenRule, 'corrected'>): BrokenRule => ({
    ...each,
    corrected: corrected[each.field] ?? 0n,
  })
  return { broken: broken.map(withCorrection), corrected }
}

/** The rules that a trigger breaks: those of a price, at any distance from the mark. */
export function brokenTriggerRules(
  market: MarketRules,
  side: Side,
  trigger: bigint,
): readonly BrokenRule[] {
  const order = { side, price: trigger, quantity: 0n, reference: trigger, closes: 0n }
  const { broken } = checkOrder({ ...market, mark: null }, order)
  return broken.filter(({ field }) => field === 'price')
}

/** A corrected value, and the bound or step that it comes from; null if the rule is kept. */
type Change = { readonly value: bigint; readonly limit: bigint } | null

type Rule = readonly [
  name: RuleName,
  field: 'price' | 'quantity',
  change: (market: CheckedMarket, order: OrderShape) => Change,
]

/** In this order: bounds before steps, so that a step ends within the bounds. */
const RULES: readonly Rule[] = [
  priceRule('quote_min', (price, market) =>
    price < market.quoteMin ? { value: lowestPrice(market), limit: market.quoteMin } : null,
  ),
  priceRule('quote_max', (price, { quoteMax, quoteTick }) =>
    quoteMax !== null && price > quoteMax
      ? { value: onStep(quoteMax, quoteTick, 'floor'), limit: quoteMax }
      : null,
  ),
  priceRule('price_range', (price, market, side) => {
    const { lowest, highest } = markBounds(market, side)
    return side === 'BUY' ? atMost(price, highest) : atLeast(price, lowest)
  }),
  priceRule('price_scope', (price, market, side) => {
    const { lowest, highest } = markBounds(market, side)
    return side === 'BUY' ? atLeast(price, lowest) : atMost(price, highest)
  }),
  priceRule('quote_tick', (price, market, side) => {
    const stepped = onStep(price, market.quoteTick, side === 'BUY' ? 'floor' : 'ceil')
    return stepped === price
      ? null
      : { value: larger(stepped, lowestPrice(market)), limit: market.quoteTick }
  }),
  sizeRule('base_tick', ({ quantity }, { baseTick }) => {
    const stepped = onStep(quantity, baseTick, 'floor')
    return stepped === quantity ? null : { value: stepped, limit: baseTick }
  }),
  sizeRule('base_min', ({ quantity }, { baseMin, baseTick }) =>
    atLeast(quantity, onStep(baseMin, baseTick, 'ceil')),
  ),
  sizeRule('base_max', ({ quantity }, { baseMax, baseTick }) =>
    atMost(quantity, baseMax === null ? null : onStep(baseMax, baseTick, 'floor')),
  ),
  sizeRule('min_notional', ({ price, quantity, reference, closes }, market) => {
    const at = price ?? reference
    const isFullClose = closes !== null && quantity >= closes
    if (isFullClose || at <= 0n || times(quantity, at) >= market.minNotional) return null
    const enough = larger(quantity, smallestQuantity(market, at))
    return { value: closes === null ? enough : smaller(enough, closes), limit: market.minNotional }
  }),
]

/** The smallest quantity of an order that may open a position at a price. */
export function smallestQuantity(
  { baseMin, baseTick, minNotional }: MarketRules,
  price: bigint,
): bigint {
  return onStep(larger(baseMin, divided(minNotional, price, 'ceil')), baseTick, 'ceil')
}

/** The lowest price is one tick, because a price must be above zero. */
function lowestPrice({ quoteMin, quoteTick }: MarketRules): bigint {
  return onStep(larger(quoteMin, quoteTick), quoteTick, 'ceil')
}

function priceRule(
  name: RuleName,
  change: (price: bigint, market: CheckedMarket, side: Side) => Change,
): Rule {
  return [
    name,
    'price',
    (market, { price, side }) => (price === null ? null : change(price, market, side)),
  ]
}

function sizeRule(
  name: RuleName,
  change: (order: OrderShape, market: CheckedMarket) => Change,
): Rule {
  return [name, 'quantity', (market, order) => change(order, market)]
}

type MarkRules = Pick<CheckedMarket, 'mark' | 'quoteTick' | 'priceRange' | 'priceScope'>

/**
 * The lowest and the highest price of an order on a side around the mark price, on the tick; null if no bound is known.
 * An order may execute up to `priceRange` beyond the mark price, and rest up to `priceScope` on the other side of it.
 */
export function markBounds(market: MarkRules, side: Side) {
  const { priceRange, priceScope } = market
  const [below, above] = side === 'BUY' ? [priceScope, priceRange] : [priceRange, priceScope]
  return { lowest: fromMark(market, below, -1n), highest: fromMark(market, above, 1n) }
}

/** A fraction above (1) or below (-1) the mark price, on the tick that is nearer to it; null if no bound is known. */
function fromMark(
  { mark, quoteTick }: MarkRules,
  fraction: bigint | null,
  sign: 1n | -1n,
): bigint | null {
  if (mark === null || fraction === null) return null
  const rounding = sign > 0n ? 'floor' : 'ceil'
  return onStep(times(mark, ONE + sign * fraction, rounding), quoteTick, rounding)
}

function atLeast(value: bigint, bound: bigint | null): Change {
  return bound !== null && value < bound ? { value: bound, limit: bound } : null
}

function atMost(value: bigint, bound: bigint | null): Change {
  return bound !== null && value > bound ? { value: bound, limit: bound } : null
}
