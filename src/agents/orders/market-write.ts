import { pick, type Row } from '../../core/json.ts'
import { isAcceptedOrder } from '../../core/order-fills.ts'
import { amountText } from '../../perp/amounts.ts'
import type { MarginMode, Side } from '../../perp/positions.ts'
import { type AccountWrite, accountWrite } from '../account-call.ts'
import { runAudited } from '../audit.ts'
import { assertAllowedSymbol } from '../limit-rules.ts'
import { withApproval } from '../limits/approval.ts'
import { type Spending, withinLimits } from '../limits/spending.ts'
import { toolRefusal } from '../refusal.ts'
import type { SignedContext } from '../tool.ts'
import { cleanedPayload } from '../untrusted-text.ts'
import { bookTimeMs } from '../views/current.ts'
import { type SendingOrder, sendOnce } from './send-once.ts'

type MarketWrite = {
  readonly tool: string
  readonly symbol: string
  readonly side?: Side
  /** The margin mode in the write. */
  readonly mode?: MarginMode | undefined
  readonly quantity?: bigint
  /** Absent if the write places no order, such as a cancel. */
  readonly order?: SendingOrder
  readonly spending: Spending
  readonly write: Omit<AccountWrite, 'details'>
}

/**
 * Sends a write about one market (an order, a cancel, a leverage) at most once, within the caller's limits, and writes
 * its audit line. Throws mandate_exceeded if the limits forbid its market or value, and order_rejected if the venue
 * accepted the request but refused the order.
 */
export function marketWrite(
  context: SignedContext,
  { tool, symbol, side, mode, quantity, order, spending, write }: MarketWrite,
): Promise<Row> {
  const details = order === undefined ? {} : { client_order_id: order.clientOrderId }
  const line = {
    tool,
    symbol,
    ...(side !== undefined && { side }),
    ...(quantity !== undefined && { size: amountText(quantity) }),
    ...details,
    call: write,
  }
  return runAudited(context, line, async () => {
    assertAllowedSymbol(context, symbol)
    let timeMs: Promise<number> | null = null
    const readTimeMs = () => (timeMs ??= bookTimeMs(context, symbol))
    const valued = { symbol, side, mode, spending, timeMs: readTimeMs }
    const send = () =>
      withApproval(context, valued, async (needsApproval) => {
        const sent = { ...write, details, needsApproval }
        return acceptedOrder(await accountWrite(context, sent), details, sent)
      })
    return order === undefined
      ? withinLimits(context, valued, send)
      : sendOnce(context, order, valued, send)
  })
}

/**
 * The result of an accepted order. Throws order_rejected if the venue refused the order, and outcome_unknown if the
 * answer is about another order.
 */
function acceptedOrder(result: Row, details: Row, { lookUp }: Pick<AccountWrite, 'lookUp'>): Row {
  const { error_message, ...order } = result
  if (isOtherOrder(result, details))
    throw toolRefusal('outcome_unknown', {
      ...details,
      look_up: lookUp,
      next: OTHER_ORDER_ANSWERED,
    })
  if (isAcceptedOrder(result)) return Object.assign({}, cleanedPayload(order), details)
  throw toolRefusal('order_rejected', {
    ...details,
    order: { ...REJECTED_FIELDS, ...pick(order, Object.keys(REJECTED_FIELDS)) },
  })
}

const OTHER_ORDER_ANSWERED =
  'The venue answered with another order. This one was sent: make the look_up before anything else.'

/** Whether an answer belongs to an order with another client_order_id, such as a late or duplicate answer. */
function isOtherOrder({ client_order_id: answered }: Row, { client_order_id: sent }: Row): boolean {
  return typeof answered === 'string' && sent !== undefined && answered !== sent
}

/** The fields of a refused order that are answered: numbers only, since the venue's sentences are not trusted. */
const REJECTED_FIELDS = {
  order_id: null,
  order_type: null,
  order_price: null,
  order_quantity: null,
} as const
