import { toHex } from '../../core/hex.ts'
import { pick } from '../../core/json.ts'
import { accountWrite, type Write } from '../account-call.ts'
import { amountText } from '../amounts.ts'
import { audited } from '../audit.ts'
import { assertAllowedSymbol, type Spending, withinLimits } from '../limits.ts'
import { refusal } from '../refusal.ts'
import type { Row } from '../rows.ts'
import type { SignedContext, ToolContext } from '../tool.ts'
import { cleaned } from '../untrusted-text.ts'
import { type SendingOrder, sentOnce } from './sent.ts'

const ID_BYTES = 12

/** An id of an order that nobody has used: with it the order can be found whatever happens. */
export function newOrderId({ random }: ToolContext): string {
  return `agent-${toHex(random.bytes(ID_BYTES))}`
}

type MarketWrite = {
  readonly tool: string
  readonly symbol: string
  readonly side?: string
  readonly quantity?: bigint
  /** Absent for what is no order of its own, such as a cancel. */
  readonly order?: SendingOrder
  readonly spending: Spending
  readonly write: Omit<Write, 'details'>
}

/**
 * Sends a write about one market within the caller's limits, once, with its line in the audit: an order, a cancel, a
 * leverage. Throws forbidden for a market or a value the limits do not allow, and order_rejected when the venue took
 * the request and refused the order.
 */
export function marketWrite(
  context: SignedContext,
  { tool, symbol, side, quantity, order, spending, write }: MarketWrite,
): Promise<Row> {
  const details = order === undefined ? {} : { client_order_id: order.clientOrderId }
  const line = {
    tool,
    symbol,
    ...(side !== undefined && { side }),
    ...(quantity !== undefined && { size: amountText(quantity) }),
    ...details,
  }
  return audited(context, line, async () => {
    assertAllowedSymbol(context, symbol)
    const send = () =>
      withinLimits(context, spending, async () => {
        return accepted(await accountWrite(context, { ...write, details }), details)
      })
    return order === undefined ? send() : sentOnce(context, order, send)
  })
}

/** The result of an order that was not only received but taken. */
function accepted(result: Row, details: Row): Row {
  const { error_message, ...order } = result
  const isTaken = typeof error_message !== 'string' || NO_ERROR.has(error_message)
  if (isTaken) return Object.assign({}, cleaned(order), details)
  throw refusal('order_rejected', {
    ...details,
    order: { ...TOLD, ...pick(order, Object.keys(TOLD)) },
  })
}

const NO_ERROR: ReadonlySet<string> = new Set(['', 'none'])

/** What is details of a refused order: what a venue says in words may say anything; its numbers are enough. */
const TOLD = { order_id: null, order_type: null, order_price: null, order_quantity: null } as const
