import { exact, fixed, placesOf, textOfExact } from '../../shared/format.ts'
import type { Order, Position } from '../account/rows.ts'
import { rules } from '../market/state.ts'
import { fill, W } from '../words/words.ts'
import { absolute } from './amounts.ts'
import { bodyText, newClientOrderId } from './body.ts'
import type { OrderType, Side } from './check.ts'
import { write } from './writes.ts'

/** An order that has passed the page's own checks. */
export type NewOrder = {
  readonly symbol: string
  readonly side: Side
  readonly type: OrderType
  readonly price: bigint | null
  readonly size: bigint
  readonly isReduceOnly: boolean
  /** A fraction, of MARKET orders. */
  readonly slippage: bigint | null
}

type Told = readonly (readonly [string, string])[]

/** Places an order. True when the venue has taken it. */
export function placeOrder(order: NewOrder, estimates: Told = []): Promise<boolean> {
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
  const what = fill(W.orders.what, {
    side: W.side[side],
    size: textOfExact(size),
    base: baseOf(symbol),
  })
  return write({
    method: 'POST',
    path: '/v1/order',
    body,
    clientOrderId,
    title: what,
    rows: [
      [W.ticket.type, W.orderType[type]],
      ...(price === null ? [] : [[W.ticket.price, `${textOfExact(price)} USDC`] as const]),
      ...(isReduceOnly ? [[W.ticket.reduceOnly, W.yes] as const] : []),
      ...estimates,
    ],
    done: fill(W.orders.placed, { what }),
  })
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
    title: fill(W.orders.editTitle, { side: W.side[side], base: baseOf(symbol) }),
    rows: [
      [W.ticket.price, `${textOfExact(order.price ?? 0n)} → ${textOfExact(price)} USDC`],
      [W.ticket.size, `${textOfExact(order.size)} → ${textOfExact(size)} ${baseOf(symbol)}`],
    ],
    done: W.orders.edited,
  })
}

export function cancelOrder({ id, symbol, side, size, price }: Order): Promise<boolean> {
  return write({
    method: 'DELETE',
    path: `/v1/order?order_id=${id}&symbol=${symbol}`,
    title: W.orders.cancelTitle,
    rows: [
      [W.side[side], `${textOfExact(size)} ${baseOf(symbol)}`],
      [W.ticket.price, price === null ? '' : `${textOfExact(price)} USDC`],
    ],
    done: W.orders.cancelled,
  })
}

/** Cancels every open order, or those of one market. */
export function cancelAll(symbol: string | null): Promise<boolean> {
  return write({
    method: 'DELETE',
    path: symbol === null ? '/v1/orders' : `/v1/orders?symbol=${symbol}`,
    title: W.orders.cancelAllTitle,
    rows: [[W.market, symbol === null ? W.everyMarket : baseOf(symbol)]],
    done: W.orders.cancelledAll,
  })
}

/** Closes part of a position, or all of it, at the market. */
export function closePosition({ symbol, size }: Position, part: bigint): Promise<boolean> {
  return placeOrder({
    symbol,
    side: size > 0n ? 'SELL' : 'BUY',
    type: 'MARKET',
    price: null,
    size: part > absolute(size) ? absolute(size) : part,
    isReduceOnly: true,
    slippage: null,
  })
}

export function setLeverage(symbol: string, leverage: number): Promise<boolean> {
  return write({
    method: 'POST',
    path: '/v1/client/leverages',
    body: bodyText({ symbol, leverage }),
    title: W.orders.leverageTitle,
    rows: [
      [W.market, baseOf(symbol)],
      [W.ticket.leverage, `${leverage}×`],
    ],
    done: fill(W.orders.leverageSet, { leverage: `${leverage}×`, base: baseOf(symbol) }),
  })
}

/** The base of a symbol: `ETH` of `PERP_ETH_USDC`. */
export function baseOf(symbol: string): string {
  return symbol.split('_')[1] ?? symbol
}

/** A price of a market with as many places as its tick. */
export function priceText(symbol: string, price: bigint): string {
  return fixed(price, placesOf(rules.peek().get(symbol)?.quoteTick ?? '0.01'))
}

/** A size of a market with as many places as its step. */
export function sizeText(symbol: string, size: bigint): string {
  return fixed(size, placesOf(rules.peek().get(symbol)?.baseTick ?? '0.0001'))
}

/** What somebody typed as a number: grouping commas and spaces do not count. */
export function typed(text: string): bigint | null {
  return exact(text.replace(/[,\s]/g, '').replace(/^\./, '0.').replace(/\.$/, ''))
}
