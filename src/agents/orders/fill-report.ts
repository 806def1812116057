import { LIMITS } from '../../contract/limits.ts'
import { isObject, type Row } from '../../core/json.ts'
import { guarded, reportUnexpected } from '../../core/loop/guarded.ts'
import { hasEnded } from '../../core/order-fills.ts'
import { RESTING_TYPES } from '../../perp/order-match.ts'
import { accountRead } from '../account-call.ts'
import { ClientFailure } from '../client/client.ts'
import { noteFillsIn } from '../limits/spending.ts'
import { figure } from '../rows.ts'
import type { SignedContext } from '../tool.ts'
import { polled } from '../views/current.ts'
import type { SendingOrder } from './send-once.ts'

/**
 * Reads the state of an order that was just accepted: `{status, filled_quantity, unfilled_quantity, average_price,
 * next}`. For an order type that does not rest, waits at most `orderWaitMaxMs` for its end. If the account owns the
 * clock, time stands still, so the order is read once. `status` is null if the order cannot be read; it was accepted
 * nevertheless.
 */
export async function fillReport(
  context: SignedContext,
  orderId: unknown,
  orderType: string,
  path: SendingOrder['path'] = '/v1/order',
) {
  const order = await lastSeenOrder(context, `${path}/${orderId}`, orderType)
  if (!order) return { status: null, next: FILL_UNKNOWN }
  if (path === '/v1/order') await noteFillsIn(context, order)
  const filled = figure(order, 'total_executed_quantity')
  const unfilled = Number((figure(order, 'quantity') - filled).toFixed(12))
  return {
    status: order['status'] ?? null,
    filled_quantity: filled,
    unfilled_quantity: unfilled,
    average_price: filled === 0 ? null : (order['average_executed_price'] ?? null),
    next: nextAfterFill(order, unfilled),
  }
}

const FILL_UNKNOWN = 'Accepted; what filled is not known yet: get_order with this order_id.'

function nextAfterFill(order: Row, unfilled: number): string {
  if (unfilled === 0) return 'Filled whole. list_positions shows the position.'
  return hasEnded(order['status'])
    ? 'The rest is cancelled: no order rests. get_order shows the order.'
    : 'Open when it was looked at; it may be filled or cancelled already: get_order tells, wait_for until=order_done waits.'
}

async function lastSeenOrder(
  context: SignedContext,
  path: string,
  orderType: string,
): Promise<Row | null> {
  const { ownsClock, timers } = context
  // With an account's own clock there is no deadline, so that equal calls give equal results.
  const signal = ownsClock ? NEVER_ABORTED : timers.deadline(LIMITS.orderWaitMaxMs)
  const read = () => resultUnlessAborted(accountRead(context, path), signal)
  let seen: Row | null = null
  try {
    for await (const order of polled(context, read, signal, LIMITS.orderLookEveryMs)) {
      if (!isObject(order)) break
      seen = { status: order['algo_status'], ...order }
      if (ownsClock || RESTING_TYPES.has(orderType) || hasEnded(seen['status'])) break
    }
  } catch (error) {
    reportUnexpected('mcp', error, ClientFailure, DOMException)
    // The order was accepted; a failed read only leaves its state unknown.
  }
  return seen
}

const NEVER_ABORTED = new AbortController().signal

/** The result of a read; null if the signal aborts first. */
function resultUnlessAborted(read: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const over = new Promise<null>((resolve) => {
    const end = guarded('mcp', () => resolve(null))
    signal.addEventListener('abort', end, { once: true })
  })
  return Promise.race([read, over])
}
