import { isMultiple } from '../../../core/decimals.ts'
import { DECIMAL_ONE } from '../../base/decimals.ts'
import { AMOUNT_MAX } from '../../base/units.ts'
import { findOpen } from '../../book/open-orders.ts'
import {
  choiceField,
  decimalField,
  type Fields,
  flagField,
  integerField,
  requiredChoice,
  requiredText,
  textField,
} from '../../messages/body.ts'
import { EXCHANGE_LIMITS } from '../../messages/limits.ts'
import { queryText } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { sideOf } from '../../messages/values.ts'
import { type ExchangeState, marketBySymbol } from '../../state/exchange.ts'
import {
  type Account,
  BUY,
  type EngineMarket,
  type EngineOrder,
  type EngineOrderType,
  SELL,
} from '../../state/state.ts'
import { type OrderRequest, REST_STAYS_IN_BOOK } from '../request.ts'

/** The order in a request body, in ticks and steps. It has not been checked against the market. */
type ParsedOrder = Omit<OrderRequest, 'account' | 'market'> & { readonly market: number }

/** Types that require `order_price`. The other types take their price from the book. */
const PRICED: ReadonlySet<EngineOrderType> = new Set(['LIMIT', 'IOC', 'FOK', 'POST_ONLY'])

export const SIDES = ['BUY', 'SELL'] as const
const TYPES = ['LIMIT', 'MARKET', 'IOC', 'FOK', 'POST_ONLY', 'ASK', 'BID'] as const

/**
 * Parses the body of POST /v1/order. Throws
 * - -1004 for an unknown field,
 * - -1005 if a field is missing or malformed,
 * - -1103 or -1104 for a price or size that is off the market's grid.
 */
export function parseOrder(fields: Fields, exchange: Pick<ExchangeState, 'bySymbol'>): ParsedOrder {
  const unknown = Object.keys(fields).find((name) => !FIELDS.has(name))
  if (unknown !== undefined) throw refusal('unknownParameter')
  const side = requiredChoice(fields, 'side', SIDES)
  const type = requiredChoice(fields, 'order_type', TYPES)
  const market = marketBySymbol(exchange, requiredText(fields, 'symbol'))
  return {
    market: market.number,
    side: side === 'BUY' ? BUY : SELL,
    type,
    price: priceField(fields, type, market),
    ...sizeFields(fields, type, market),
    visible: visibleField(fields, type, market),
    reduceOnly: flagField(fields, 'reduce_only'),
    clientOrderId: clientOrderIdField(fields),
    orderTag: textField(fields, 'order_tag', EXCHANGE_LIMITS.orderTagMaxChars) ?? null,
    slippage: slippageField(fields, type),
    level: levelField(fields, type),
    adjusts: adjustField(fields, type),
    isolated: isolatedField(fields),
  }
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

/**
 * The client's own id for an order: up to 36 characters, not beginning with a hyphen; null if absent. Throws -1005 for
 * any other value.
 */
export function clientOrderIdField(fields: Fields): string | null {
  const id = textField(fields, 'client_order_id', EXCHANGE_LIMITS.clientOrderIdMaxChars) ?? null
  if (id !== null && !CLIENT_ORDER_ID.test(id))
    throw refusal('parameter', 'client_order_id is invalid')
  return id
}

function priceField(fields: Fields, type: EngineOrderType, market: EngineMarket): number {
  if (!PRICED.has(type)) return 0
  const price = decimalField(fields, 'order_price', 'price')
  if (price === undefined || price <= 0n)
    throw refusal('parameter', 'order_price must be a positive number')
  return toPriceTicks(price, market)
}

/** The quantity; or, for types that take their price from the book, the amount to spend or to receive. */
function sizeFields(fields: Fields, type: EngineOrderType, market: EngineMarket) {
  const quantity = decimalField(fields, 'order_quantity', 'size')
  const amount = amountField(fields)
  if (amount === null) {
    if (quantity === undefined) throw refusal('parameter', 'order_quantity is required')
    return { quantity: toQuantitySteps(quantity, market, 'order quantity'), amount }
  }
  if (quantity !== undefined)
    throw refusal('parameter', 'order_quantity and order_amount exclude each other')
  if (PRICED.has(type))
    throw refusal('parameter', 'order_amount is only allowed for MARKET, ASK and BID orders')
  return { quantity: 0, amount }
}

/** The field `order_amount` in micro-USDC, rounded down; null if absent. */
function amountField(fields: Fields): number | null {
  const amount = decimalField(fields, 'order_amount')
  if (amount === undefined) return null
  if (amount <= 0n) throw refusal('parameter', 'order_amount must be a positive number')
  return Math.min(Number(amount / UNITS_IN_MICRO), AMOUNT_MAX)
}

/** Number of units of 10^-8 in one micro-USDC. */
export const UNITS_IN_MICRO = 100n

const MODES = ['CROSS', 'ISOLATED'] as const

/** Whether `margin_mode` is isolated; null if it is missing. Throws -1005 for an unknown mode. */
export function isolatedField(fields: Fields, name = 'margin_mode'): boolean | null {
  const mode = choiceField(fields, name, MODES)
  return mode === undefined ? null : mode === 'ISOLATED'
}

/** Whether a query asks for isolated margin; cross if it names no mode. Throws -1005 for an unknown mode. */
export function isolatedQuery(query: URLSearchParams): boolean {
  return isolatedField({ margin_mode: queryText(query, 'margin_mode') }) ?? false
}

/** The visible quantity. It is ignored for types that never rest in the book. */
function visibleField(fields: Fields, type: EngineOrderType, market: EngineMarket): number | null {
  const visible = decimalField(fields, 'visible_quantity', 'size')
  if (visible === undefined || !REST_STAYS_IN_BOOK[type]) return null
  if (type === 'POST_ONLY')
    throw refusal('parameter', 'visible_quantity is not supported for POST_ONLY orders')
  return toQuantitySteps(visible, market, 'visible quantity')
}

function slippageField(fields: Fields, type: EngineOrderType): number | null {
  const slippage = decimalField(fields, 'slippage')
  if (slippage === undefined || type !== 'MARKET') return null
  if (slippage <= 0n || slippage > DECIMAL_ONE) throw refusal('parameter', 'slippage is invalid')
  return Number(slippage)
}

function levelField(fields: Fields, type: EngineOrderType): number {
  const level = integerField(fields, 'level', 0, LEVEL_MAX)
  if (level !== undefined && type !== 'ASK' && type !== 'BID')
    throw refusal('parameter', 'level is only allowed for ASK and BID orders')
  return level ?? 0
}

function adjustField(fields: Fields, type: EngineOrderType): boolean {
  const adjusts = flagField(fields, 'post_only_adjust')
  if (adjusts && type !== 'POST_ONLY')
    throw refusal('parameter', 'post_only_adjust is only allowed for POST_ONLY orders')
  return adjusts
}

/** A price with eight decimals in ticks. Throws -1103 if it is between two ticks. */
export function toPriceTicks(price: bigint, { spec }: EngineMarket): number {
  const tick = BigInt(spec.tick)
  if (!isMultiple(price, tick))
    throw refusal('price', 'The order price is not on the tick size (quote_tick).')
  return Number(price / tick)
}

/** Converts a quantity with eight decimals to a number of steps. Throws -1104 if it is between two steps. */
export function toQuantitySteps(quantity: bigint, { spec }: EngineMarket, name: string): number {
  const step = BigInt(spec.step)
  if (!isMultiple(quantity, step))
    throw refusal('size', `The ${name} is not on the step size (base_tick).`)
  return Number(quantity / step)
}

type Change = { readonly price: number; readonly quantity: number }

/**
 * PUT /v1/order: parses a change of the price or the total quantity of an open order. The changed order is matched
 * again. It keeps its place in the queue if only its quantity shrinks. Throws -1006 if the order is not open, -1005 if
 * anything else would change, -1103 or -1104 if a value is off the grid.
 */
export function parseEdit(fields: Fields, account: Account): Change & { readonly order: number } {
  const order = findChangedOrder(account, fields)
  return { ...parseChange(order, fields), order: order.id }
}

function findChangedOrder(account: Account, fields: Fields): EngineOrder {
  const orderId = integerField(fields, 'order_id', 1, Number.MAX_SAFE_INTEGER)
  if (orderId === undefined) throw refusal('parameter', 'order_id is required')
  const symbol = requiredText(fields, 'symbol')
  const order = findOpen(account, orderId)
  if (order?.marketAccount.market.spec.symbol !== symbol) throw refusal('notFound')
  return order
}

function parseChange(order: EngineOrder, fields: Fields): Change {
  const { market } = order.marketAccount
  const price = decimalField(fields, 'order_price', 'price')
  const quantity = decimalField(fields, 'order_quantity', 'size')
  if (price !== undefined && price <= 0n)
    throw refusal('parameter', 'order_price must be a positive number')
  if (!isSameOtherwise(order, fields))
    throw refusal('parameter', 'You can not change other order info.')
  return {
    price: price === undefined ? order.price : toPriceTicks(price, market),
    quantity:
      quantity === undefined ? order.quantity : toQuantitySteps(quantity, market, 'order quantity'),
  }
}

function isSameOtherwise(order: EngineOrder, fields: Fields): boolean {
  return (
    choiceField(fields, 'order_type', TYPES) === order.type &&
    choiceField(fields, 'side', SIDES) === sideOf(order.side) &&
    (fields['client_order_id'] ?? order.clientOrderId) === order.clientOrderId &&
    (fields['order_tag'] ?? order.orderTag) === order.orderTag &&
    (fields['order_amount'] ?? null) === null &&
    (isolatedField(fields) ?? order.marketAccount.isolated) === order.marketAccount.isolated &&
    ((fields['reduce_only'] ?? null) === null ||
      flagField(fields, 'reduce_only') === order.reduceOnly) &&
    showsTheSame(order, fields)
  )
}

/**
 * Whether the visible quantity in the request is the current visible quantity, or follows from the new total quantity.
 */
function showsTheSame({ marketAccount, visible, quantity }: EngineOrder, fields: Fields): boolean {
  const shown = decimalField(fields, 'visible_quantity', 'size')
  if (shown === undefined) return true
  const step = BigInt(marketAccount.market.spec.step)
  const before = BigInt(visible) * step
  const whole = decimalField(fields, 'order_quantity', 'size') ?? BigInt(quantity) * step
  const after = visible === quantity || whole < before ? whole : before
  return shown === after || shown === before
}
