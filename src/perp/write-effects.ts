import { larger, parseDecimal, SCALE } from '../core/decimals.ts'
import { invalid } from '../core/failure.ts'
import { toMicros } from './amounts.ts'
import { type MarginMode, parseSide } from './positions.ts'
import { Decimal, objectsIn, type StrictObject } from './strict-json.ts'
import { LEG_GROUPS } from './waiting.ts'
import { asEdit, type OpeningOrder, UNKNOWN_ORDER } from './worst-case.ts'

/** The effect of a write on an account. */
export type WriteEffect =
  /** A reduce-only order. */
  | { readonly kind: 'reduces' }
  | { readonly kind: 'opens'; readonly orders: readonly OpeningOrder[] }
  /** A leverage, margin mode or margin of one market, or of all. */
  | {
      readonly kind: 'changes'
      readonly symbol: string | null
      readonly leverage: Decimal | null
      /** The margin mode that becomes the default of the market; null: another setting. */
      readonly mode: MarginMode | null
    }
  /** An internal transfer of this many micro-USDC; null: unknown. */
  | { readonly kind: 'transfers'; readonly micros: bigint | null }
  /** A withdrawal, settlement or anything else. */
  | { readonly kind: 'other' }

/**
 * The effect of a write, by method and path, from a body that was read strictly; `reducing` are the ids of conditional
 * orders that are known to only reduce. Throws invalid_request.
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
  // Whether the order that is edited only reduces does not stand in the bytes.
  'PUT /v1/order': (body) => opening([asEdit(plainOrder(body))]),
  // The venue takes no reduce_only in a batch.
  'POST /v1/batch-order': (body) => opening(objectsIn(body.get('orders')).map(plainOrder)),
  'POST /v1/algo/order': (body) => opening(algoOrders(body)),
  // Neither the market nor what is left unchanged stands in the bytes.
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

/** The sum of a transfer of USDC to all receivers; null for another token and for any member that is not known here. */
function transferMicros(body: StrictObject): bigint | null {
  const list = body.get('receiver_list')
  const receivers = objectsIn(list)
  const isKnown =
    body.get('token') === 'USDC' &&
    body.size === 2 &&
    Array.isArray(list) &&
    receivers.length === list.length &&
    receivers.every((each) => each.size === 2 && textIn(each, 'account_id') !== null)
  const amounts = receivers.map((each) => figureIn(each, 'amount'))
  if (!isKnown || !amounts.every((amount) => amount !== null)) return null
  return toMicros(amounts.reduce((sum, amount) => sum + amount, 0n))
}

function isReducing(body: StrictObject): boolean {
  return body.get('reduce_only') === true
}

/** The conditional orders that an edit changes: its order and the legs. An order that it only names is left out. */
function editedIds(body: StrictObject): readonly string[] {
  const legs = objectsIn(body.get('child_orders')).flatMap(editedIds)
  const isNamed = legs.length > 0 && [...body.keys()].every((name) => NAMING.has(name))
  return isNamed ? legs : [idIn(body), ...legs]
}

const NAMING: ReadonlySet<string> = new Set(['order_id', 'symbol', 'child_orders'])

function idIn(body: StrictObject): string {
  const id = body.get('order_id')
  return id instanceof Decimal ? id.text : String(id)
}

function plainOrder(body: StrictObject): OpeningOrder {
  const price = figureIn(body, 'order_price')
  const side = parseSide(body.get('side'))
  const isPriced = PRICED.has(body.get('order_type'))
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

/** Types of orders that execute at the price that they name or a better one; others ignore it. */
export const PRICED: ReadonlySet<unknown> = new Set(['LIMIT', 'IOC', 'FOK', 'POST_ONLY'])

/**
 * The parts of a conditional order that may open: the order itself, and legs that do not only reduce. Throws
 * invalid_request for a leg with another market or quantity than its parent, since the venue's choice between the two
 * is unknown.
 */
function algoOrders(
  body: StrictObject,
  parent = NO_PARENT,
  path = 'body',
): readonly OpeningOrder[] {
  const isGroup = LEG_GROUPS.has(body.get('algo_type'))
  const inherited = {
    symbol: sameAs(parent.symbol, textIn(body, 'symbol'), `${path}.symbol`),
    quantity: sameAs(parent.quantity, figureIn(body, 'quantity'), `${path}.quantity`),
    mode: sameAs(parent.mode, modeIn(body), `${path}.margin_mode`),
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

/** The terms that a leg inherits from its parent, or names itself. */
function sameAs<Value>(parent: Value | null, own: Value | null, parameter: string): Value | null {
  if (parent !== null && own !== null && own !== parent) throw invalid(parameter, 'conflicting')
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
    // The order of a bracket does not wait: its legs do.
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
