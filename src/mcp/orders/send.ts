import { toHex } from '../../core/hex.ts'
import { accountWrite, type Write } from '../account-call.ts'
import { refusal } from '../refusal.ts'
import type { SignedContext, ToolContext } from '../tool.ts'
import { cleaned } from '../untrusted-text.ts'
import { amountNumber, amountOf, amountText } from './amounts.ts'
import type { OrderArguments, PreparedOrder } from './ask.ts'
import { assertAllowedSymbol, audited, type Spending, withinLimits } from './limits.ts'

/** A decimal goes into a body as its plain text: no exponent, no binary rounding. */
export type BodyValue = string | boolean | bigint | undefined

/** Writes a JSON object once; what is signed is what is sent. */
export function bodyText(fields: Readonly<Record<string, BodyValue>>): string {
  const members = Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return []
    return [
      `${JSON.stringify(name)}:${typeof value === 'bigint' ? amountText(value) : JSON.stringify(value)}`,
    ]
  })
  return `{${members.join(',')}}`
}

const ID_BYTES = 12

/** An id of an order that nobody has used: with it the order can be found whatever happens. */
export function newOrderId({ random }: ToolContext): string {
  return `agent-${toHex(random.bytes(ID_BYTES))}`
}

/** The body of POST /v1/order. */
export function orderBody({ args, order }: PreparedOrder, clientOrderId: string): string {
  return bodyText({
    symbol: args.symbol,
    client_order_id: clientOrderId,
    side: args.side,
    order_type: args.order_type,
    order_price: order.price ?? undefined,
    order_quantity: order.quantity,
    visible_quantity: amountOf(args.visible_quantity) ?? undefined,
    reduce_only: args.reduce_only || undefined,
    slippage: amountOf(args.slippage) ?? undefined,
    order_tag: args.order_tag,
    margin_mode: args.margin_mode,
  })
}

/** An order's arguments with what was corrected, ready for place_order. */
export function suggestedArguments({ args, check }: PreparedOrder): Partial<OrderArguments> {
  const { order_amount, order_quantity, order_price, ...others } = args
  const { price, quantity } = check.corrected
  return {
    ...others,
    order_quantity: amountNumber(quantity),
    ...(price !== null && { order_price: amountNumber(price) }),
  }
}

export type OrderWrite = {
  readonly tool: string
  readonly symbol: string
  readonly side?: string
  readonly quantity?: bigint
  readonly clientOrderId?: string
  readonly spending: Spending
  readonly write: Omit<Write, 'told'>
}

/**
 * Sends an order within the caller's limits, once, with its line in the audit. Throws order_rejected when the venue
 * took the request and refused the order.
 */
export function sendOrder(
  context: SignedContext,
  { tool, symbol, side, quantity, clientOrderId, spending, write }: OrderWrite,
): Promise<Readonly<Record<string, unknown>>> {
  const told = clientOrderId === undefined ? {} : { client_order_id: clientOrderId }
  const line = {
    tool,
    symbol,
    ...(side !== undefined && { side }),
    ...(quantity !== undefined && { size: amountText(quantity) }),
    ...told,
  }
  return audited(context, line, async () => {
    assertAllowedSymbol(context, symbol)
    return withinLimits(context, spending, async () => {
      return accepted(await accountWrite(context, { ...write, told }), told)
    })
  })
}

type Result = Readonly<Record<string, unknown>>

/** The result of an order that was not only received but taken. */
function accepted(result: Result, told: Result): Result {
  const { error_message, ...order } = result
  const isTaken = typeof error_message !== 'string' || NO_ERROR.has(error_message)
  if (isTaken) return Object.assign({}, cleaned(order), told)
  throw refusal('order_rejected', { ...told, order: picked(order) })
}

const NO_ERROR: ReadonlySet<string> = new Set(['', 'none'])
const TOLD = ['order_id', 'order_type', 'order_price', 'order_quantity'] as const

// What a venue says in words may say anything; its numbers are enough.
function picked(order: Result): Result {
  return Object.fromEntries(TOLD.map((field) => [field, order[field] ?? null]))
}
