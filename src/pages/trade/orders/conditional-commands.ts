import { amountText } from '../../../perp/amounts.ts'
import { LEG_GROUPS } from '../../../perp/waiting.ts'
import { type BodyFields, bodyText, legBodies } from '../../../perp/write-body.ts'
import { filledTemplate, unsignedPercent } from '../../common/format.ts'
import type { Rows } from '../../common/pairs.tsx'
import type { Conditional } from '../account/conditional.ts'
import { orderLeg } from '../account/legs.ts'
import type { AccountPosition } from '../account/rows.ts'
import { ACCOUNT_TEXTS } from '../messages/account.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import { TICKET_TEXTS } from '../messages/ticket.ts'
import { cancelPath, type NewOrder, newClientOrderId, orderTitle } from './commands.ts'
import { LEGS, type LegPrices } from './conditional.ts'
import {
  conditionalCancelledOutcome,
  conditionalEditedOutcome,
  conditionalLookUp,
  conditionalOutcome,
  triggerText,
} from './conditional-outcomes.ts'
import type { WriteToSend } from './question.ts'
import { fullPriceText, symbolBase } from './text.ts'
import { askAndSend } from './writes.ts'

export const ALGO_PATH = '/v1/algo/order'
const TRIGGER_TYPE = 'MARK_PRICE'

/** A stop or a trailing stop that has passed the page's own checks. */
export type NewConditional = Pick<
  NewOrder,
  'symbol' | 'side' | 'price' | 'quantity' | 'reduceOnly'
> & {
  readonly kind: 'STOP' | 'TRAILING_STOP'
  readonly trigger: bigint | null
  /**
   * For a trailing stop: the distance as a fraction (`callback`), and the mark price at which the stop starts
   * (`activation`; null: at once).
   */
  readonly callback: bigint | null
  readonly activation: bigint | null
}

/** Places a stop or a trailing stop. Resolves to true once the venue has accepted it. */
export function placeConditional(order: NewConditional, estimates: Rows = []): Promise<boolean> {
  const { symbol, side, kind, price, quantity, reduceOnly, trigger, callback, activation } = order
  const clientOrderId = newClientOrderId()
  const body = bodyText({
    ...{ symbol, client_order_id: clientOrderId, algo_type: kind },
    ...{ type: price === null ? 'MARKET' : 'LIMIT', side, quantity, price },
    trigger_price: trigger,
    trigger_price_type: trigger === null ? null : TRIGGER_TYPE,
    activatedPrice: activation,
    callbackRate: callback === null ? null : amountText(callback),
    reduce_only: reduceOnly || null,
  })
  return askAndSend({
    ...placement(clientOrderId, body),
    reduces: reduceOnly,
    side,
    title: orderTitle(order),
    rows: [
      [TICKET_TEXTS.type, ACCOUNT_TEXTS.lists.kinds[kind] ?? kind],
      trigger !== null && [TICKET_TEXTS.trigger, fullPriceText(trigger)],
      callback !== null && [TICKET_TEXTS.callback, unsignedPercent(callback)],
      activation !== null && [TICKET_TEXTS.activation, fullPriceText(activation)],
      kind === 'STOP' && [
        TICKET_TEXTS.sentAs,
        price === null ? TICKET_TEXTS.market : fullPriceText(price),
      ],
      reduceOnly && [TICKET_TEXTS.reduceOnly, ACCOUNT_TEXTS.yes],
      ...estimates,
    ],
  })
}

/** Places an order with a take-profit, a stop-loss or both, which close as much as the order fills. */
export function placeBracket(
  order: NewOrder,
  legs: LegPrices,
  estimates: Rows = [],
): Promise<boolean> {
  const { symbol, side, type, price, quantity } = order
  const clientOrderId = newClientOrderId()
  const closing = side === 'BUY' ? 'SELL' : 'BUY'
  const children = legBodies(symbol, closing, 'MARKET', legTriggers(legs))
  const body = bodyText({
    ...{ symbol, client_order_id: clientOrderId, algo_type: 'BRACKET', type, side },
    ...{ quantity, price },
    child_orders: [{ symbol, algo_type: 'TP_SL', child_orders: children }],
  })
  return askAndSend({
    ...placement(clientOrderId, body, legs),
    side,
    title: orderTitle(order),
    rows: [
      [TICKET_TEXTS.type, ACCOUNT_TEXTS.orderType[type]],
      price !== null && [TICKET_TEXTS.price, fullPriceText(price)],
      ...legRows(legs),
      ...estimates,
    ],
  })
}

/** The write that protects a position: a `part`, or with null the whole position at any later size. */
export function protection(
  clientOrderId: string,
  { symbol, size: held, isIsolated }: AccountPosition,
  part: bigint | null,
  legs: LegPrices,
): WriteToSend {
  const side = held > 0n ? 'SELL' : 'BUY'
  const body = bodyText({
    ...{ symbol, client_order_id: clientOrderId },
    algo_type: part === null ? 'POSITIONAL_TP_SL' : 'TP_SL',
    margin_mode: isIsolated ? 'ISOLATED' : 'CROSS',
    quantity: part,
    trigger_price_type: TRIGGER_TYPE,
    child_orders: legBodies(
      symbol,
      side,
      part === null ? 'CLOSE_POSITION' : 'MARKET',
      legTriggers(legs),
    ),
  })
  return { ...placement(clientOrderId, body), reduces: true }
}

/** New values for a conditional order; null leaves a value unchanged. */
export type ConditionalChange = {
  readonly trigger: bigint | null
  readonly price: bigint | null
  readonly size: bigint | null
  readonly legs: LegPrices
}

/** Edits a waiting conditional order and its legs. */
export function editConditional(order: Conditional, change: ConditionalChange): Promise<boolean> {
  const { id, symbol } = order
  const { trigger, price, size, legs } = change
  return askAndSend({
    ...conditionalEdit(order, change),
    title: filledTemplate(ACCOUNT_TEXTS.lists.editOf, { id }),
    rows: [
      [PAGE_TEXTS.market, symbolBase(symbol)],
      trigger !== null && [TICKET_TEXTS.trigger, fullPriceText(trigger)],
      price !== null && [TICKET_TEXTS.price, fullPriceText(price)],
      size !== null && [TICKET_TEXTS.size, `${amountText(size)} ${symbolBase(symbol)}`],
      ...legRows(legs),
    ],
  })
}

/** The write that edits a waiting conditional order and its legs. */
export function conditionalEdit(order: Conditional, change: ConditionalChange): WriteToSend {
  return {
    method: 'PUT',
    path: ALGO_PATH,
    body: bodyText(changeFields(order, change)),
    reduces: onlyReduces(order),
    outcome: conditionalEditedOutcome(order.id, (found) => isAsChanged(found, change)),
  }
}

/** Whether a conditional order can only reduce, even after an edit. The main order of a bracket may open a position. */
export function onlyReduces({ kind, isReduceOnly }: Conditional): boolean {
  return LEG_GROUPS.has(kind) || (kind !== 'BRACKET' && isReduceOnly)
}

/** The body of an edit, which has every order of the tree. Legs get their order's size. */
function changeFields(order: Conditional, change: ConditionalChange): BodyFields {
  const { id, kind, children } = order
  const leg = LEGS.find((name) => name === kind)
  const trigger = leg ? change.legs[leg] : change.trigger
  const fields = {
    order_id: id,
    trigger_price: trigger,
    price: leg ? null : change.price,
    quantity: change.size,
  }
  if (children.length === 0) return fields
  return {
    ...{ ...fields, trigger_price: null },
    child_orders: children.map((child) => changeFields(child, change)),
  }
}

function isAsChanged(order: Conditional, { trigger, price, size, legs }: ConditionalChange) {
  const isSame = (wanted: bigint | null, found: bigint | null | undefined) =>
    wanted === null || wanted === found
  return (
    isSame(trigger, order.trigger) &&
    isSame(price, order.price) &&
    isSame(size, order.size) &&
    LEGS.every((leg) => isSame(legs[leg], orderLeg(order, leg)?.trigger))
  )
}

/** Cancels a conditional order with its legs. A position that it protected stays open. */
export function cancelConditional(order: Conditional): Promise<boolean> {
  const { id, symbol, kind } = order
  return askAndSend({
    method: 'DELETE',
    path: cancelPath(ALGO_PATH, order),
    title: ACCOUNT_TEXTS.orders.cancelTitle,
    rows: [
      [PAGE_TEXTS.market, symbolBase(symbol)],
      [TICKET_TEXTS.type, ACCOUNT_TEXTS.lists.kinds[kind] ?? kind],
      [TICKET_TEXTS.trigger, triggerText(order)],
    ],
    outcome: conditionalCancelledOutcome(id),
  })
}

function placement(clientOrderId: string, body: string, legs?: LegPrices): WriteToSend {
  const lookUp = conditionalLookUp(clientOrderId, legs)
  return { method: 'POST', path: ALGO_PATH, body, lookUp, outcome: conditionalOutcome(legs) }
}

function legTriggers(legs: LegPrices) {
  return LEGS.flatMap((algoType) => {
    const { [algoType]: price } = legs
    return price === null ? [] : [{ algoType, price }]
  })
}

function legRows(legs: LegPrices): Rows {
  return legTriggers(legs).map(({ algoType, price }) => [
    TICKET_TEXTS.legs[algoType],
    fullPriceText(price),
  ])
}
