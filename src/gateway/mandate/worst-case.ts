import { larger, mulDiv, ONE, PER_MICRO, parseDecimal, SCALE } from '../../core/decimals.ts'
import { invalid } from '../../core/failure.ts'
import { Decimal, objectsIn, type StrictObject } from './strict-json.ts'

/** The effect of a write on an account. */
export type Write =
  /** A reduce-only order. */
  | { readonly kind: 'reduces' }
  | { readonly kind: 'opens'; readonly orders: readonly OpeningOrder[] }
  /** A leverage, margin mode or margin of one market, or of all. */
  | { readonly kind: 'changes'; readonly symbol: string | null; readonly leverage: Decimal | null }
  /** A transfer, withdrawal, settlement or anything else. */
  | { readonly kind: 'other' }

/** An order that may open, as its body says it. An absent figure is null. */
export type OpeningOrder = {
  readonly symbol: string | null
  readonly clientOrderId: string | null
  /** The highest price it can have when it only buys at that price or below. */
  readonly buysUpTo: bigint | null
  /** The highest of all prices that it names. */
  readonly highest: bigint
  readonly quantity: bigint | null
  readonly amount: bigint | null
  /** Whether it may wait for any price, so that no worst case is known. */
  readonly isBoundless: boolean
  /** Whether it waits for the mark price, which may jump over its trigger. */
  readonly isWaiting: boolean
}

/** The mark price of a market, and how far from it an order may execute, a fraction. Eighteen decimals. */
export type MarketBound = { readonly mark: bigint; readonly priceRange: bigint }

/** The same with the sizes that the market takes: a multiple of its step, not below its smallest size and value. */
export type SizedBound = MarketBound & {
  readonly step: bigint
  readonly sizeMin: bigint
  readonly valueMin: bigint
}

/** The effect of a write, by method and path, from a body that was read strictly. Throws invalid_request. */
export function writeOf(write: string, body: StrictObject): Write {
  const read = Object.hasOwn(READERS, write) ? READERS[write] : undefined
  return read ? read(body) : { kind: 'other' }
}

const READERS: Readonly<Record<string, (body: StrictObject) => Write>> = {
  'POST /v1/order': (body) => opening(isReducing(body) ? [] : [plainOrder(body)]),
  // Whether the order that is edited only reduces does not stand in the bytes.
  'PUT /v1/order': (body) => opening([editedOrder(body)]),
  // The venue takes no reduce_only in a batch.
  'POST /v1/batch-order': (body) => opening(objectsIn(body.get('orders')).map(plainOrder)),
  'POST /v1/algo/order': (body) => opening(algoOrders(body)),
  // Neither the market nor what is left unchanged stands in the bytes.
  'PUT /v1/algo/order': () => opening([UNKNOWN]),
  'POST /v1/client/leverage': changing,
  'POST /v1/client/leverages': changing,
  'POST /v1/client/margin_mode': changing,
  'POST /v1/position_margin': changing,
}

function opening(orders: readonly OpeningOrder[]): Write {
  return orders.length === 0 ? { kind: 'reduces' } : { kind: 'opens', orders }
}

function changing(body: StrictObject): Write {
  const leverage = body.get('leverage')
  return {
    kind: 'changes',
    symbol: textIn(body, 'symbol'),
    leverage: leverage instanceof Decimal ? leverage : null,
  }
}

function isReducing(body: StrictObject): boolean {
  return body.get('reduce_only') === true
}

const UNKNOWN: OpeningOrder = {
  symbol: null,
  clientOrderId: null,
  buysUpTo: null,
  highest: 0n,
  quantity: null,
  amount: null,
  isBoundless: true,
  isWaiting: true,
}

function plainOrder(body: StrictObject): OpeningOrder {
  const price = figureIn(body, 'order_price')
  const isBuy = textIn(body, 'side') === 'BUY'
  const isPriced = PRICED.has(body.get('order_type'))
  return {
    symbol: textIn(body, 'symbol'),
    clientOrderId: textIn(body, 'client_order_id'),
    buysUpTo: isBuy && isPriced ? price : null,
    highest: price ?? 0n,
    quantity: figureIn(body, 'order_quantity'),
    amount: figureIn(body, 'order_amount'),
    isBoundless: false,
    isWaiting: false,
  }
}

/** Types of orders that execute at the price that they name or a better one; others ignore it. */
export const PRICED: ReadonlySet<unknown> = new Set(['LIMIT', 'IOC', 'FOK', 'POST_ONLY'])

/** A figure that an edit leaves out stays as it is, and is not known here. */
function editedOrder(body: StrictObject): OpeningOrder {
  const order = plainOrder(body)
  return { ...order, isBoundless: order.quantity === null || order.highest === 0n }
}

/**
 * The parts of a conditional order that may open: the order itself, and legs that do not only reduce. Throws
 * invalid_request for a leg whose market or quantity is not that of its parent: which of both counts is not known.
 */
function algoOrders(
  body: StrictObject,
  parent = NO_PARENT,
  path = 'body',
): readonly OpeningOrder[] {
  const isGroup = GROUPS.has(textIn(body, 'algo_type') ?? '')
  const inherited = {
    symbol: sameAs(parent.symbol, textIn(body, 'symbol'), `${path}.symbol`),
    quantity: sameAs(parent.quantity, figureIn(body, 'quantity'), `${path}.quantity`),
  }
  const own = isGroup || isReducing(body) ? [] : [{ ...algoOrder(body), ...inherited }]
  const legs = objectsIn(body.get('child_orders'))
  return [
    ...own,
    ...legs.flatMap((leg, at) => algoOrders(leg, inherited, `${path}.child_orders.${at}`)),
  ]
}

const NO_PARENT: Pick<OpeningOrder, 'symbol' | 'quantity'> = { symbol: null, quantity: null }

/** The terms that a leg inherits from its parent, or names itself. */
function sameAs<Value>(parent: Value | null, own: Value | null, parameter: string): Value | null {
  if (parent !== null && own !== null && own !== parent) throw invalid(parameter, 'conflicting')
  return own ?? parent
}

/** Only their legs are orders. */
const GROUPS: ReadonlySet<string> = new Set(['TP_SL', 'POSITIONAL_TP_SL'])

function algoOrder(body: StrictObject): OpeningOrder {
  const price = figureIn(body, 'price')
  const isBuy = textIn(body, 'side') === 'BUY'
  const named = ['price', 'trigger_price', 'activatedPrice'].map((name) => figureIn(body, name))
  return {
    symbol: textIn(body, 'symbol'),
    clientOrderId: textIn(body, 'client_order_id'),
    buysUpTo: isBuy && textIn(body, 'type') === 'LIMIT' ? price : null,
    highest: named.map((figure) => figure ?? 0n).reduce(larger),
    quantity: figureIn(body, 'quantity'),
    amount: null,
    isBoundless: textIn(body, 'algo_type') === 'TRAILING_STOP',
    // The order of a bracket does not wait: its legs do.
    isWaiting: textIn(body, 'algo_type') !== 'BRACKET',
  }
}

/**
 * The most that an order can be worth when it executes, in micro-USDC, at its worst price. Null where it is not known.
 */
export function worstValue(order: OpeningOrder, bound: MarketBound | null): bigint | null {
  const { quantity, amount } = order
  const price = worstPrice(order, bound)
  if (price === null || (quantity === null && amount === null)) return null
  if (amount === null) return microsOf(quantity ?? 0n, price)
  if (!bound) return null
  // Which of both counts is the venue's choice.
  return larger(microsOf(quantity ?? 0n, price), microsOf(amount, ONE + bound.priceRange))
}

/**
 * The price that an order counts at: its own limit when it buys, otherwise the highest price that its market lets orders
 * execute at from the mark or its own prices; of one that waits, after a jump of the mark by as much. Null where it is not
 * known.
 */
export function worstPrice(order: OpeningOrder, bound: MarketBound | null): bigint | null {
  const { buysUpTo, highest, amount, isBoundless, isWaiting } = order
  if (isBoundless) return null
  if (buysUpTo !== null && amount === null) return buysUpTo
  if (!bound) return null
  const reach = ONE + bound.priceRange
  const from = larger(highest, bound.mark)
  return mulDiv(isWaiting ? mulDiv(from, reach, ONE, 'ceil') : from, reach, ONE, 'ceil')
}

/** The largest quantity that is worth at most so many micro-USDC at a price. */
export function quantityWithin(micros: bigint, price: bigint): bigint {
  return mulDiv(micros * PER_MICRO, ONE, price, 'floor')
}

/** The product of two figures, in millionths and rounded up. */
function microsOf(one: bigint, other: bigint): bigint {
  return mulDiv(one, other, ONE * PER_MICRO, 'ceil')
}

function textIn(body: StrictObject, name: string): string | null {
  const value = body.get(name)
  return typeof value === 'string' ? value : null
}

function figureIn(body: StrictObject, name: string): bigint | null {
  const value = body.get(name)
  const text = value instanceof Decimal ? value.text : value
  return typeof text === 'string' ? parseDecimal(text, SCALE) : null
}
