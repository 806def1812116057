import { larger, parseDecimal, SCALE } from '../core/decimals.ts'
import { invalidParameter } from '../core/failure.ts'
import { sumOrNull, toMicros } from './amounts.ts'
import { type OpeningOrder, toEditedOrder, UNKNOWN_ORDER } from './order-worst-case.ts'
import { type MarginMode, parseSide } from './positions.ts'
import { Decimal, objectsIn, type StrictObject } from './strict-json.ts'
import { LEG_GROUPS } from './waiting.ts'

/** The effect of a write on an account. */
export type WriteEffect =
  /** A reduce-only order. */
  | { readonly kind: 'reduces' }
  | { readonly kind: 'opens'; readonly orders: readonly OpeningOrder[] }
  /** A change of leverage, margin mode or margin, in one market or (null) in all. */
  | {
      readonly kind: 'changes'
      readonly symbol: string | null
      readonly leverage: Decimal | null
      /** The new default margin mode of the market; null if the write changes another setting. */
      readonly mode: MarginMode | null
    }
  /** An internal transfer; null if the amount is unknown. */
  | { readonly kind: 'transfers'; readonly micros: bigint | null }
  /** A withdrawal, settlement or anything else. */
  | { readonly kind: 'other' }

/**
 * The effect of a write, from its method and path (`POST /v1/order`) and its strictly parsed body. `reducing` has the
 * ids of conditional orders that can only reduce. Throws invalid_request.
 */
export function parseWrite(
  write: string,
  body: StrictObject,
  reducing: ReadonlySet<string> = NONE,
): WriteEffect {
  const read = Object.hasOwn(READERS, write) ? READERS[write] : undefined
  return read ? read(body, reducing) : { kind: 'other' }
}

const NONE: ReadonlySet<string> = new Set()

type Reader = (body: StrictObject, reducing: ReadonlySet<string>) => WriteEffect

const READERS: Readonly<Record<string, Reader>> = {
  'POST /v1/order': (body) => opening(isReducing(body) ? [] : [plainOrder(body)]),
  // The bytes do not show whether the edited order is reduce-only, so it counts as opening.
  'PUT /v1/order': (body) => opening([toEditedOrder(plainOrder(body))]),
  // The venue supports no reduce_only in a batch.
  'POST /v1/batch-order': (body) => opening(objectsIn(body.get('orders')).map(plainOrder)),
  'POST /v1/algo/order': (body) => opening(algoOrders(body)),
  // The bytes have neither the market nor the unchanged fields, so the edited order counts as unknown.
  'PUT /v1/algo/order': (body, reducing) =>
    opening(editedIds(body).every((id) => reducing.has(id)) ? [] : [UNKNOWN_ORDER]),
  'POST /v1/client/leverage': changing,
  'POST /v1/client/leverages': changing,
  'POST /v1/client/margin_mode': changing,
  'POST /v1/position_margin': changing,
  'POST /v1/internal_transfer': (body) => ({ kind: 'transfers', micros: transferMicros(body) }),
}

function opening(orders: readonly OpeningOrder[]): WriteEffect {
  return orders.length === 0 ? { kind: 'reduces' } : { kind: 'opens', orders }
}

function changing(body: StrictObject): WriteEffect {
  const leverage = body.get('leverage')
  return {
    kind: 'changes',
    symbol: textIn(body, 'symbol'),
    leverage: leverage instanceof Decimal ? leverage : null,
    mode: modeIn(body, 'default_margin_mode'),
  }
}

/** The total USDC of a transfer to all receivers; null for another token and for a body with unknown members. */
function transferMicros(body: StrictObject): bigint | null {
  const list = body.get('receiver_list')
  const receivers = objectsIn(list)
  const isKnown =
    body.get('token') === 'USDC' &&
    body.size === 2 &&
    Array.isArray(list) &&
    receivers.length === list.length &&
    receivers.every((each) => each.size === 2 && textIn(each, 'account_id') !== null)
  const total = sumOrNull(receivers, (each) => figureIn(each, 'amount'))
  return isKnown && total !== null ? toMicros(total) : null
}

function isReducing(body: StrictObject): boolean {
  return body.get('reduce_only') === true
}

/** The ids of the conditional orders that an edit changes. A parent that is named only to reach its legs is left out. */
function editedIds(body: StrictObject): readonly string[] {
  const legs = objectsIn(body.get('child_orders')).flatMap(editedIds)
  const isNamed = legs.length > 0 && [...body.keys()].every((name) => NAMING_MEMBERS.has(name))
  return isNamed ? legs : [idIn(body), ...legs]
}

const NAMING_MEMBERS: ReadonlySet<string> = new Set(['order_id', 'symbol', 'child_orders'])

function idIn(body: StrictObject): string {
  const id = body.get('order_id')
  return id instanceof Decimal ? id.text : String(id)
}

function plainOrder(body: StrictObject): OpeningOrder {
  const price = figureIn(body, 'order_price')
  const side = parseSide(body.get('side'))
  const isPriced = LIMIT_PRICE_TYPES.has(body.get('order_type'))
  return {
    symbol: textIn(body, 'symbol'),
    clientOrderId: textIn(body, 'client_order_id'),
    side,
    mode: modeIn(body),
    buysUpTo: side === 'BUY' && isPriced ? price : null,
    highest: price ?? 0n,
    quantity: figureIn(body, 'order_quantity'),
    amount: figureIn(body, 'order_amount'),
    isBoundless: false,
    isWaiting: false,
  }
}

/** Order types that execute only at their own price or better; other types ignore the price. */
export const LIMIT_PRICE_TYPES: ReadonlySet<unknown> = new Set(['LIMIT', 'IOC', 'FOK', 'POST_ONLY'])

/**
 * The parts of a conditional order that may open a position: the order itself, and legs that are not reduce-only.
 * Throws invalid_request if a leg's market, quantity or mode differs from its parent's: the venue's choice is unknown.
 */
function algoOrders(
  body: StrictObject,
  parent = NO_PARENT,
  path = 'body',
): readonly OpeningOrder[] {
  const isGroup = LEG_GROUPS.has(body.get('algo_type'))
  const inherited = {
    symbol: inheritedValue(parent.symbol, textIn(body, 'symbol'), `${path}.symbol`),
    quantity: inheritedValue(parent.quantity, figureIn(body, 'quantity'), `${path}.quantity`),
    mode: inheritedValue(parent.mode, modeIn(body), `${path}.margin_mode`),
  }
  const own = isGroup || isReducing(body) ? [] : [{ ...algoOrder(body), ...inherited }]
  const legs = objectsIn(body.get('child_orders'))
  return [
    ...own,
    ...legs.flatMap((leg, at) => algoOrders(leg, inherited, `${path}.child_orders.${at}`)),
  ]
}

const NO_PARENT: Pick<OpeningOrder, 'symbol' | 'quantity' | 'mode'> = {
  symbol: null,
  quantity: null,
  mode: null,
}

/** A leg's own value, or the value it inherits from its parent. Throws invalid_request if both exist and differ. */
function inheritedValue<Value>(
  parent: Value | null,
  own: Value | null,
  parameter: string,
): Value | null {
  if (parent !== null && own !== null && own !== parent)
    throw invalidParameter(parameter, 'conflicting')
  return own ?? parent
}

function algoOrder(body: StrictObject): OpeningOrder {
  const price = figureIn(body, 'price')
  const side = parseSide(body.get('side'))
  const named = ['price', 'trigger_price', 'activatedPrice'].map((name) => figureIn(body, name))
  return {
    symbol: textIn(body, 'symbol'),
    clientOrderId: textIn(body, 'client_order_id'),
    side,
    mode: modeIn(body),
    buysUpTo: side === 'BUY' && textIn(body, 'type') === 'LIMIT' ? price : null,
    highest: named.map((figure) => figure ?? 0n).reduce(larger),
    quantity: figureIn(body, 'quantity'),
    amount: null,
    isBoundless: textIn(body, 'algo_type') === 'TRAILING_STOP',
    // A bracket's main order goes to the book at once; only its legs wait.
    isWaiting: textIn(body, 'algo_type') !== 'BRACKET',
  }
}

function modeIn(body: StrictObject, name = 'margin_mode'): MarginMode | null {
  const mode = body.get(name)
  return mode === 'CROSS' || mode === 'ISOLATED' ? mode : null
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
