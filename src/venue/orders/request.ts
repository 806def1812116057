import { EXCHANGE_LIMITS } from '../exchange/limits.ts'
import type { OrderType, Side, Tradable } from '../exchange/state.ts'
import { ONE } from '../units.ts'
import {
  choiceField,
  decimalField,
  type Fields,
  flagField,
  integerField,
  requiredText,
  textField,
} from '../wire/body.ts'
import { refusal } from '../wire/refusals.ts'

/** An order as asked for, well-formed but not yet checked against the market. */
export type OrderRequest = {
  readonly instrument: Tradable
  readonly side: Side
  readonly type: OrderType
  /** Null for the types that take their price from the book. */
  readonly price: bigint | null
  readonly quantity: bigint
  /** Null: all of it. */
  readonly visible: bigint | null
  readonly reduceOnly: boolean
  readonly clientOrderId: string | null
  readonly orderTag: string | null
  /** A fraction with eight decimals, of MARKET orders. */
  readonly slippage: bigint | null
  /** Which of the book's first five prices an ASK or BID order takes. */
  readonly level: number
  /** Whether a POST_ONLY order gives way by a tick instead of being cancelled. */
  readonly adjusts: boolean
}

type TypeRow = {
  /** Whether `order_price` is required; otherwise the price comes from the book. */
  readonly isPriced: boolean
  /** What stays unfilled rests in the book. */
  readonly rests: boolean
}

/** What sets the order types apart. */
export const ORDER_TYPES: Readonly<Record<OrderType, TypeRow>> = {
  LIMIT: { isPriced: true, rests: true },
  MARKET: { isPriced: false, rests: false },
  IOC: { isPriced: true, rests: false },
  FOK: { isPriced: true, rests: false },
  POST_ONLY: { isPriced: true, rests: true },
  ASK: { isPriced: false, rests: true },
  BID: { isPriced: false, rests: true },
}

export const SIDES = ['BUY', 'SELL'] as const
export const TYPES = ['LIMIT', 'MARKET', 'IOC', 'FOK', 'POST_ONLY', 'ASK', 'BID'] as const

/**
 * Reads the body of POST /v1/order. Throws -1004 for a field the venue does not know, -1005 for one that is missing or
 * of the wrong form, -1103 and -1104 for a price or size with more decimals than any market has.
 */
export function parseOrder(
  fields: Fields,
  instruments: ReadonlyMap<string, Tradable>,
): OrderRequest {
  const unknown = Object.keys(fields).find((name) => !FIELDS.has(name))
  if (unknown !== undefined) throw refusal('unknownParameter')
  refuseUnsupported(fields)
  const side = choiceField(fields, 'side', SIDES)
  const type = choiceField(fields, 'order_type', TYPES)
  if (!side) throw refusal('parameter', 'side is required')
  if (!type) throw refusal('parameter', 'order_type is required')
  return {
    instrument: instrumentField(fields, instruments),
    side,
    type,
    price: priceField(fields, type),
    quantity: quantityField(fields),
    visible: visibleField(fields, type),
    reduceOnly: flagField(fields, 'reduce_only'),
    clientOrderId: clientOrderIdField(fields),
    orderTag: textField(fields, 'order_tag', EXCHANGE_LIMITS.orderTagMaxChars) ?? null,
    slippage: slippageField(fields, type),
    level: levelField(fields, type),
    adjusts: adjustField(fields, type),
  }
}

/** `order_amount` is documented, yet no venue of this wire takes it; isolated margin is not supported here. */
export function refuseUnsupported(fields: Fields): void {
  if ((fields['order_amount'] ?? null) !== null)
    throw refusal(
      'parameter',
      'Placing orders by this order amount is not supported in Futures mode.',
    )
  if (choiceField(fields, 'margin_mode', ['CROSS', 'ISOLATED'] as const) === 'ISOLATED')
    throw refusal('parameter', 'margin_mode ISOLATED is not supported')
}

const FIELDS: ReadonlySet<string> = new Set([
  'symbol',
  'client_order_id',
  'order_type',
  'order_price',
  'order_quantity',
  'order_amount',
  'visible_quantity',
  'side',
  'reduce_only',
  'slippage',
  'order_tag',
  'level',
  'post_only_adjust',
  'margin_mode',
])

const CLIENT_ORDER_ID = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/
const LEVEL_MAX = 4

/** The market a body names. Throws -1005 when there is none. */
function instrumentField(fields: Fields, instruments: ReadonlyMap<string, Tradable>): Tradable {
  const instrument = instruments.get(requiredText(fields, 'symbol'))
  if (!instrument) throw refusal('parameter', 'symbol is invalid')
  return instrument
}

/** The client's own id of an order: up to 36 characters, a hyphen anywhere but first. Throws -1005. */
function clientOrderIdField(fields: Fields): string | null {
  const id = textField(fields, 'client_order_id', EXCHANGE_LIMITS.clientOrderIdMaxChars) ?? null
  if (id !== null && !CLIENT_ORDER_ID.test(id))
    throw refusal('parameter', 'client_order_id is invalid')
  return id
}

function priceField(fields: Fields, type: OrderType): bigint | null {
  if (!ORDER_TYPES[type].isPriced) return null
  const price = decimalField(fields, 'order_price', 'price')
  if (price === undefined || price <= 0n)
    throw refusal('parameter', 'order_price must be a positive number')
  return price
}

function quantityField(fields: Fields): bigint {
  const quantity = decimalField(fields, 'order_quantity', 'size')
  if (quantity === undefined) throw refusal('parameter', 'order_quantity is required')
  return quantity
}

/** Ignored for the types that never rest. */
function visibleField(fields: Fields, type: OrderType): bigint | null {
  const visible = decimalField(fields, 'visible_quantity', 'size')
  if (visible === undefined || !ORDER_TYPES[type].rests) return null
  if (type === 'POST_ONLY')
    throw refusal('parameter', 'visible_quantity is not supported for POST_ONLY orders')
  return visible
}

function slippageField(fields: Fields, type: OrderType): bigint | null {
  const slippage = decimalField(fields, 'slippage')
  if (slippage === undefined || type !== 'MARKET') return null
  if (slippage <= 0n || slippage > ONE) throw refusal('parameter', 'slippage is invalid')
  return slippage
}

function levelField(fields: Fields, type: OrderType): number {
  const level = integerField(fields, 'level', 0, LEVEL_MAX)
  if (level !== undefined && type !== 'ASK' && type !== 'BID')
    throw refusal('parameter', 'level is only allowed for ASK and BID orders')
  return level ?? 0
}

function adjustField(fields: Fields, type: OrderType): boolean {
  const adjusts = flagField(fields, 'post_only_adjust')
  if (adjusts && type !== 'POST_ONLY')
    throw refusal('parameter', 'post_only_adjust is only allowed for POST_ONLY orders')
  return adjusts
}
