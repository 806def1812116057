import { absolute, smaller } from '../../../core/decimals.ts'
import { fill, textOfExact } from '../../common/format.ts'
import type { Rows } from '../../common/pairs.tsx'
import type { Order, Position } from '../account/rows.ts'
import { A } from '../messages/account.ts'
import { M } from '../messages/page.ts'
import { F } from '../messages/ticket.ts'
import { bodyText, newClientOrderId } from './body.ts'
import type { Draft } from './check.ts'
import {
  allCancelledOutcome,
  batchOutcome,
  cancelledOutcome,
  editedOutcome,
  orderLookUp,
  placedOutcome,
} from './outcomes.ts'
import { baseOf, usdcText } from './text.ts'
import { write } from './writes.ts'

/** An order that has passed the page's own checks. */
export type NewOrder = Omit<Draft, 'best' | 'opposite' | 'mark'> & { readonly symbol: string }

/** Places an order, without a question where it was agreed to before. True when the venue has taken it. */
export function placeOrder(
  order: NewOrder,
  estimates: Rows = [],
  agreed?: { readonly title: string; readonly isAsked: boolean },
): Promise<boolean> {
  const { symbol, side, type, price, size, isReduceOnly, slippage } = order
  const clientOrderId = newClientOrderId()
  const body = bodyText({
    symbol,
    client_order_id: clientOrderId,
    order_type: type,
    side,
    order_quantity: size,
    order_price: price,
    reduce_only: isReduceOnly || null,
    slippage,
  })
  return write({
    method: 'POST',
    path: '/v1/order',
    body,
    lookUp: orderLookUp(clientOrderId),
    side,
    isAgreed: agreed?.isAsked ?? false,
    title: agreed?.title ?? titleOf(order),
    rows: [
      [F.type, A.orderType[type]],
      price !== null && [F.price, usdcText(price)],
      isReduceOnly && [F.reduceOnly, A.yes],
      ...estimates,
    ],
    outcome: placedOutcome(type),
  })
}

/** What a new order is, in a line. */
export function titleOf({
  symbol,
  side,
  size,
}: Pick<NewOrder, 'symbol' | 'side' | 'size'>): string {
  const values = { side: M.side[side], size: textOfExact(size), base: baseOf(symbol) }
  return fill(A.orders.what, values)
}

/** Changes price and size of a resting order; what does not change is said as it was. */
export function editOrder(order: Order, price: bigint, size: bigint): Promise<boolean> {
  const { id, symbol, side, type } = order
  return write({
    method: 'PUT',
    path: '/v1/order',
    body: bodyText({
      ...{ order_id: id, symbol, side, order_type: type },
      order_price: price,
      order_quantity: size,
    }),
    side,
    title: fill(A.orders.editTitle, { side: M.side[side], base: baseOf(symbol) }),
    rows: [
      [F.price, `${textOfExact(order.price ?? 0n)} → ${textOfExact(price)} USDC`],
      [F.size, `${textOfExact(order.size)} → ${textOfExact(size)} ${baseOf(symbol)}`],
    ],
    outcome: editedOutcome(id, price, size),
  })
}

export function cancelOrder({ id, symbol, side, size, price }: Order): Promise<boolean> {
  return write({
    method: 'DELETE',
    path: `/v1/order?order_id=${id}&symbol=${symbol}`,
    title: A.orders.cancelTitle,
    cancels: 'one',
    rows: [
      [M.side[side], `${textOfExact(size)} ${baseOf(symbol)}`],
      [F.price, price === null ? '' : usdcText(price)],
    ],
    outcome: cancelledOutcome(id),
  })
}

/** Cancels every open order, or those of one market. */
export function cancelAll(symbol: string | null): Promise<boolean> {
  return write({
    method: 'DELETE',
    path: symbol === null ? '/v1/orders' : `/v1/orders?symbol=${symbol}`,
    title: A.orders.cancelAllTitle,
    cancels: 'all',
    rows: [[M.market, symbol === null ? A.everyMarket : baseOf(symbol)]],
    outcome: allCancelledOutcome(symbol),
  })
}

/** Closes part of a position, or all of it: at a limit, or at the market without one. */
export function closePosition(
  { symbol, size }: Position,
  part: bigint,
  price: bigint | null,
): Promise<boolean> {
  return placeOrder({
    ...{ symbol, side: size > 0n ? 'SELL' : 'BUY', price, slippage: null },
    type: price === null ? 'MARKET' : 'LIMIT',
    size: smaller(part, absolute(size)),
    isReduceOnly: true,
  })
}

/** Closes a position at the market and opens one as large on the other side, with one order. */
export function reversePosition({ symbol, size }: Position): Promise<boolean> {
  return placeOrder({
    ...{ symbol, side: size > 0n ? 'SELL' : 'BUY', price: null, slippage: null },
    type: 'MARKET',
    size: 2n * absolute(size),
    isReduceOnly: false,
  })
}

/** Closes positions at the market one after another, until the reader or the venue refuses one. */
export async function closeAll(rows: readonly Position[]): Promise<void> {
  for (const row of rows) if (!(await closePosition(row, absolute(row.size), null))) return
}

/** Places several limit orders with one signature. True when the venue has taken the call; it judges each order by itself. */
export function placeScaled(
  order: NewOrder,
  parts: readonly { readonly price: bigint | null; readonly size: bigint }[],
  estimates: Rows,
): Promise<boolean> {
  const { symbol, side, type } = order
  const orders = parts.map(({ price, size }) => ({
    ...{ symbol, client_order_id: newClientOrderId(), order_type: type, side },
    ...{ order_quantity: size, order_price: price },
  }))
  const [first] = orders
  if (!first) return Promise.resolve(false)
  const ids = orders.map(({ client_order_id }) => client_order_id)
  const base = baseOf(symbol)
  return write({
    method: 'POST',
    path: '/v1/batch-order',
    body: bodyText({ orders }),
    lookUp: orderLookUp(first.client_order_id),
    side,
    title: titleOf(order),
    rows: [
      [F.type, `${F.kinds.SCALED} · ${A.orderType[type]}`],
      ...parts.map(
        ({ price, size }) => [`${textOfExact(size)} ${base}`, usdcText(price ?? 0n)] as const,
      ),
      ...estimates,
    ],
    outcome: batchOutcome(ids),
  })
}
