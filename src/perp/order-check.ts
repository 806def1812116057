import { larger, ONE, smaller } from '../core/decimals.ts'
import { product, quotient, roundedToStep } from './amounts.ts'
import type { MarketRules } from './market-rules.ts'
import type { Side } from './positions.ts'

/** The fields of an order that its market's rules apply to, as amounts. */
export type OrderShape = {
  readonly side: Side
  /** The price of the order; null for a MARKET order, which takes its price from the book. */
  readonly price: bigint | null
  readonly quantity: bigint
  /** The price for the value of an order that has no price. */
  readonly reference: bigint
  readonly reduceOnly: boolean
  /** The quantity of the account's position that the order can close; null while the position is unknown. */
  readonly closable: bigint | null
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

/** A market rule that an order breaks. */
export type BrokenRule = {
  readonly rule: RuleName
  readonly field: 'price' | 'quantity'
  /** The tick size or bound that the rule sets. */
  readonly limit: bigint
  /** The field's value in the corrected order. */
  readonly corrected: bigint
}

/** A market's rules and its mark price. If the mark price is null, the distance from it is not checked. */
export type CheckedMarket = MarketRules & { readonly mark: bigint | null }

/**
 * The market rules that an order breaks, and a corrected order that satisfies all of them. The corrected order is at
 * most as aggressive as the original, and larger only if the original was below a minimum.
 */
export function checkOrder(market: CheckedMarket, order: OrderShape) {
  let corrected = order
  const broken: Omit<BrokenRule, 'corrected'>[] = []
  for (const [rule, field, change] of RULES) {
    const found = change(market, corrected)
    if (found) corrected = { ...corrected, [field]: found.value }
    // A correction for an earlier rule can also satisfy this rule. If the original order breaks this rule, it is still
    // reported.
    const given = found ?? change(market, order)
    if (given) broken.push({ rule, field, limit: given.limit })
  }
  const withCorrection = (each: Omit<BrokenRule, 'corrected'>): BrokenRule => ({
    ...each,
    corrected: corrected[each.field] ?? 0n,
  })
  return { broken: broken.map(withCorrection), corrected }
}

/** The price rules that a trigger price breaks. A trigger may be at any distance from the mark price. */
export function brokenTriggerRules(
  market: MarketRules,
  side: Side,
  trigger: bigint,
): readonly BrokenRule[] {
  const order = {
    side,
    price: trigger,
    quantity: 0n,
    reference: trigger,
    reduceOnly: true,
    closable: null,
  }
  const { broken } = checkOrder({ ...market, mark: null }, order)
  return broken.filter(({ field }) => field === 'price')
}

/** The corrected value, and the bound or tick size that requires it; null if the order satisfies the rule. */
type Change = { readonly value: bigint; readonly limit: bigint } | null

type Rule = readonly [
  name: RuleName,
  field: 'price' | 'quantity',
  change: (market: CheckedMarket, order: OrderShape) => Change,
]

/** The order of rules matters: bounds come before tick sizes, so that rounding to a tick stays within the bounds. */
const RULES: readonly Rule[] = [
  priceRule('quote_min', (price, market) =>
    price < market.quoteMin ? { value: lowestPrice(market), limit: market.quoteMin } : null,
  ),
  priceRule('quote_max', (price, { quoteMax, quoteTick }) =>
    quoteMax !== null && price > quoteMax
      ? { value: roundedToStep(quoteMax, quoteTick, 'floor'), limit: quoteMax }
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
    const stepped = roundedToStep(price, market.quoteTick, side === 'BUY' ? 'floor' : 'ceil')
    return stepped === price
      ? null
      : { value: larger(stepped, lowestPrice(market)), limit: market.quoteTick }
  }),
  sizeRule('base_tick', ({ quantity }, { baseTick }) => {
    const stepped = roundedToStep(quantity, baseTick, 'floor')
    return stepped === quantity ? null : { value: stepped, limit: baseTick }
  }),
  sizeRule('base_min', ({ quantity }, { baseMin, baseTick }) =>
    atLeast(quantity, roundedToStep(baseMin, baseTick, 'ceil')),
  ),
  sizeRule('base_max', ({ quantity }, { baseMax, baseTick }) =>
    atMost(quantity, baseMax === null ? null : roundedToStep(baseMax, baseTick, 'floor')),
  ),
  sizeRule('min_notional', ({ price, quantity, reference, reduceOnly, closable }, market) => {
    const { baseMin, baseTick, minNotional: limit } = market
    const at = price ?? reference
    // Only a full close may be worth less than the minimum. If the position is unknown, any quantity may be a full
    // close.
    const isFullClose = closable === null || (closable > 0n && quantity >= closable)
    if ((reduceOnly && isFullClose) || at <= 0n || product(quantity, at) >= limit) return null
    const least = roundedToStep(larger(baseMin, quotient(limit, at, 'ceil')), baseTick, 'ceil')
    const value = larger(quantity, least)
    return { value: reduceOnly && closable ? smaller(value, closable) : value, limit }
  }),
]

/** The lowest price is one tick, because a price must be above zero. */
function lowestPrice({ quoteMin, quoteTick }: MarketRules): bigint {
  return roundedToStep(larger(quoteMin, quoteTick), quoteTick, 'ceil')
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
 * The lowest and the highest price of an order on this side, rounded to the tick; null if a bound is unknown. An order
 * may execute up to `priceRange` beyond the mark price, and rest up to `priceScope` on the passive side.
 */
export function markBounds(market: MarkRules, side: Side) {
  const { priceRange, priceScope } = market
  const [below, above] = side === 'BUY' ? [priceScope, priceRange] : [priceRange, priceScope]
  return { lowest: fromMark(market, below, -1n), highest: fromMark(market, above, 1n) }
}

/** The price a fraction above (1) or below (-1) the mark price, rounded to the tick nearer to the mark; null if unknown. */
function fromMark(
  { mark, quoteTick }: MarkRules,
  fraction: bigint | null,
  sign: 1n | -1n,
): bigint | null {
  if (mark === null || fraction === null) return null
  const rounding = sign > 0n ? 'floor' : 'ceil'
  return roundedToStep(product(mark, ONE + sign * fraction, rounding), quoteTick, rounding)
}

function atLeast(value: bigint, bound: bigint | null): Change {
  return bound !== null && value < bound ? { value: bound, limit: bound } : null
}

function atMost(value: bigint, bound: bigint | null): Change {
  return bound !== null && value > bound ? { value: bound, limit: bound } : null
}
