import { absolute, smaller } from '../../../core/decimals.ts'
import { amountText } from '../../../perp/amounts.ts'
import { wholeOnTick } from '../../../perp/largest-size.ts'
import { NO_FIGURES } from '../../../perp/order-worst-case.ts'
import { bodyText } from '../../../perp/write-body.ts'
import { filledTemplate } from '../../common/format.ts'
import type { Rows } from '../../common/pairs.tsx'
import type { PrivateCall } from '../account/relay.ts'
import type { AccountOrder, AccountPosition } from '../account/rows.ts'
import { rules } from '../market/state.ts'
import { ACCOUNT_TEXTS } from '../messages/account.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import { TICKET_TEXTS } from '../messages/ticket.ts'
import type { Draft } from './check.ts'
import { limitsOn } from './limit-verdict.ts'
import {
  batchOutcome,
  cancelledOutcome,
  editedOutcome,
  orderLookUp,
  placedOutcome,
} from './outcomes.ts'
import type { ShownWrite } from './question.ts'
import { fullPriceText, symbolBase } from './text.ts'
import { askAndSend } from './writes.ts'

const ID_BYTES = 12

/** A new random client order id, which finds the order again even if the answer is lost. */
export function newClientOrderId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES))
  return `page-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** An order that has passed the page's own checks. */
export type NewOrder = Draft & {
  readonly symbol: string
  /** The margin mode of the position that the order changes; absent for the market's default mode. */
  readonly isIsolated?: boolean
}

/**
 * Places an order. `asks` says whether the user confirms it first (default: by setting). Resolves to true once the
 * venue has accepted it.
 */
export function placeNewOrder(
  order: NewOrder,
  estimates: Rows = [],
  question?: Pick<ShownWrite, 'title' | 'limits'> & {
    readonly asks: 'always' | 'by setting' | 'never'
  },
): Promise<boolean> {
  const { side, type, price, reduceOnly } = order
  const clientOrderId = newClientOrderId()
  return askAndSend({
    method: 'POST',
    path: ORDER_PATH,
    body: bodyText(orderFields(order, clientOrderId)),
    lookUp: orderLookUp(clientOrderId),
    reduces: reduceOnly,
    side,
    isAgreed: question?.asks === 'never',
    mustAsk: question?.asks === 'always',
    title: question?.title ?? orderTitle(order),
    limits: question?.limits ?? null,
    rows: [
      [TICKET_TEXTS.type, ACCOUNT_TEXTS.orderType[type]],
      price !== null && [TICKET_TEXTS.price, fullPriceText(price)],
      reduceOnly && [TICKET_TEXTS.reduceOnly, ACCOUNT_TEXTS.yes],
      ...estimates,
    ],
    outcome: placedOutcome(type),
  })
}

export const ORDER_PATH = '/v1/order'

function orderFields(order: NewOrder, clientOrderId = newClientOrderId()) {
  const { symbol, side, type, price, quantity, reduceOnly, isIsolated, slippage } = order
  return {
    ...{ symbol, client_order_id: clientOrderId, order_type: type, side },
    ...{ order_quantity: quantity, order_price: price, reduce_only: reduceOnly || null, slippage },
    margin_mode: isIsolated === undefined ? null : isIsolated ? 'ISOLATED' : 'CROSS',
  }
}

/** A one-line text of a new order. */
export function orderTitle({
  symbol,
  side,
  quantity,
}: Pick<NewOrder, 'symbol' | 'side' | 'quantity'>): string {
  const size = amountText(quantity)
  const values = { side: PAGE_TEXTS.side[side], size, base: symbolBase(symbol) }
  return filledTemplate(ACCOUNT_TEXTS.orders.what, values)
}

/** Edits price and size of a resting order; all other values are sent unchanged. */
export function editRestingOrder(
  order: AccountOrder,
  price: bigint,
  size: bigint,
): Promise<boolean> {
  const { id, symbol, side, type } = order
  return askAndSend({
    method: 'PUT',
    path: ORDER_PATH,
    body: bodyText({
      ...{ order_id: id, symbol, side, order_type: type },
      order_price: price,
      order_quantity: size,
    }),
    reduces: order.isReduceOnly,
    side,
    title: filledTemplate(ACCOUNT_TEXTS.orders.editTitle, {
      side: PAGE_TEXTS.side[side],
      base: symbolBase(symbol),
    }),
    rows: [
      [TICKET_TEXTS.price, `${amountText(order.price ?? 0n)} → ${amountText(price)} USDC`],
      [TICKET_TEXTS.size, `${amountText(order.size)} → ${amountText(size)} ${symbolBase(symbol)}`],
    ],
    outcome: editedOutcome(id, price, size),
  })
}

/** The path of the call that cancels an order. `path`: the path of its kind of orders. */
export function cancelPath(path: string, { id, symbol }: Pick<AccountOrder, 'id' | 'symbol'>) {
  return `${path}?order_id=${id}&symbol=${symbol}`
}

export function cancelRestingOrder(order: AccountOrder): Promise<boolean> {
  const { id, symbol, side, size, price } = order
  return askAndSend({
    method: 'DELETE',
    path: cancelPath(ORDER_PATH, order),
    title: ACCOUNT_TEXTS.orders.cancelTitle,
    rows: [
      [PAGE_TEXTS.side[side], `${amountText(size)} ${symbolBase(symbol)}`],
      [TICKET_TEXTS.price, price === null ? '' : fullPriceText(price)],
    ],
    outcome: cancelledOutcome(id),
  })
}

/** Closes a part or all of a position, by a limit order, or at market if `price` is null. */
export function closeHeldPosition(
  row: AccountPosition,
  part: bigint,
  price: bigint | null,
): Promise<boolean> {
  return placeNewOrder(closing(row, part, price))
}

/** The reduce-only order that closes a part of a position, in the position's margin mode. */
function closing(
  { symbol, size, isIsolated }: AccountPosition,
  part: bigint,
  price: bigint | null,
): NewOrder {
  return {
    ...{ symbol, side: size > 0n ? 'SELL' : 'BUY', price, slippage: null, isIsolated },
    type: price === null ? 'MARKET' : 'LIMIT',
    quantity: closableSize(symbol, smaller(absolute(part), absolute(size))),
    reduceOnly: true,
  }
}

/** A size of a position, rounded down to the market's tick. */
export function closableSize(name: string, size: bigint): bigint {
  return wholeOnTick(size, rules.peek().get(name)?.baseTick)
}

/**
 * Sends one market order that closes a position and opens an equal position on the other side. Always asks for
 * confirmation.
 */
export function reversePosition({ symbol, size, isIsolated }: AccountPosition): Promise<boolean> {
  const side = size > 0n ? 'SELL' : 'BUY'
  const held = absolute(size)
  const quantity = closableSize(symbol, 2n * held)
  const order = {
    ...({ symbol, side, price: null, slippage: null, isIsolated } as const),
    ...({ type: 'MARKET', quantity, reduceOnly: false } as const),
  }
  const base = symbolBase(symbol)
  const [now, after] =
    size > 0n ? [PAGE_TEXTS.long, PAGE_TEXTS.short] : [PAGE_TEXTS.short, PAGE_TEXTS.long]
  const rest = amountText(quantity - held)
  const rows: Rows = [
    [ACCOUNT_TEXTS.lists.position, `${now} ${amountText(held)} → ${after} ${rest} ${base}`],
  ]
  const mode = isIsolated ? 'ISOLATED' : 'CROSS'
  const limits = limitsOn(symbol, [{ ...NO_FIGURES, symbol, side, mode, quantity }])
  return placeNewOrder(order, rows, {
    title: filledTemplate(ACCOUNT_TEXTS.lists.reverseOf, { base }),
    limits,
    asks: 'always',
  })
}

/** The call that closes a position at market. */
export function closingCall(row: AccountPosition): PrivateCall {
  return {
    method: 'POST',
    path: ORDER_PATH,
    body: bodyText(orderFields(closing(row, row.size, null))),
  }
}

/**
 * Places several limit orders with one signature. Resolves to true once the venue has accepted the call; the venue
 * checks each order separately.
 */
export function placeScaled(
  order: NewOrder,
  parts: readonly { readonly price: bigint | null; readonly size: bigint }[],
  estimates: Rows,
): Promise<boolean> {
  const { symbol, side, type } = order
  const orders = parts.map(({ price, size }) => orderFields({ ...order, price, quantity: size }))
  const [first] = orders
  if (!first) return Promise.resolve(false)
  const ids = orders.map(({ client_order_id }) => client_order_id)
  const base = symbolBase(symbol)
  return askAndSend({
    method: 'POST',
    path: '/v1/batch-order',
    body: bodyText({ orders }),
    lookUp: orderLookUp(first.client_order_id),
    side,
    title: orderTitle(order),
    rows: [
      [TICKET_TEXTS.type, `${TICKET_TEXTS.kinds.SCALED} · ${ACCOUNT_TEXTS.orderType[type]}`],
      ...parts.map(
        ({ price, size }) => [`${amountText(size)} ${base}`, fullPriceText(price ?? 0n)] as const,
      ),
      ...estimates,
    ],
    outcome: batchOutcome(ids),
  })
}
