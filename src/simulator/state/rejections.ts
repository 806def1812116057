import { type RefusalName, refusal } from '../messages/refusals.ts'
import type { VenueRefusal } from '../messages/row.ts'

/** Why the engine rejects a request. It is a value and not an Error, so that a rejection is cheap. */
export class Rejection {
  readonly refusal: RefusalName
  /** A text that is more specific than the refusal's default. */
  readonly message: string | undefined
  constructor(refusal: RefusalName, message?: string) {
    this.refusal = refusal
    this.message = message
  }
}

/** Every rejection of the engine. */
export const REJECTIONS = {
  notFound: new Rejection('notFound'),
  duplicate: new Rejection('duplicate', 'client_order_id is used by an open order'),
  tooManyTpSl: new Rejection('rejected', 'Too many TP_SL orders wait for their trigger'),
  positionalTpSl: new Rejection('duplicate', 'The position has a POSITIONAL_TP_SL order'),
  algoFixed: new Rejection('parameter', 'You can not change other order info.'),
  tooManyOrders: new Rejection('rejected', 'Too many open orders'),
  liquidating: new Rejection('rejected', 'The account is in liquidation'),
  reduceOnlyMarket: new Rejection('rejected', 'The market takes closing orders only'),
  postOnlyMarket: new Rejection('rejected', 'The market takes limit orders only'),
  away: new Rejection('away'),
  halted: new Rejection('rejected', 'Trading in the market is halted'),
  delisting: new Rejection('rejected', 'The market takes no orders'),
  nothingToReduce: new Rejection('rejected', 'A reduce-only order has no position to reduce'),
  noPrice: new Rejection('rejected', 'The book has no price at this level'),
  executed: new Rejection('size', 'The order quantity is already executed'),
  margin: new Rejection('risk'),
  maxNotional: new Rejection('risk', 'The position would exceed the maximum notional'),
  openInterest: new Rejection('risk', 'The market has reached its maximum open interest'),
  visible: new Rejection('parameter', 'visible_quantity must be between 0 and order_quantity'),
  priceLow: new Rejection('price', 'The order price is below the minimum price (quote_min).'),
  priceHigh: new Rejection('price', 'The order price is above the maximum price (quote_max).'),
  sizeLow: new Rejection('size', 'The order quantity is below the minimum (base_min).'),
  sizeHigh: new Rejection('size', 'The order quantity is above the maximum (base_max).'),
  notional: new Rejection(
    'notional',
    'The order value (price x size) is below the minimum (min_notional).',
  ),
  range: new Rejection('percentage', 'The price is too far through the mark price (price_range).'),
  scope: new Rejection(
    'percentage',
    'The price is too far away from the mark price (price_scope).',
  ),
  orderTag: new Rejection('parameter', 'order_tag names no order enum'),
  symbolInUse: new Rejection(
    'parameter',
    'The symbol has a position or open orders in this margin mode',
  ),
  noIsolatedPosition: new Rejection('notFound', 'The symbol has no isolated position'),
  leverage: new Rejection('parameter', 'leverage is invalid'),
  balance: new Rejection('risk'),
  settledLately: new Rejection('settledLately'),
  withdrawing: new Rejection('withdrawing'),
  transferring: new Rejection('transferring'),
  outOfMargin: new Rejection('outOfMargin'),
  nonce: new Rejection('parameter', 'The nonce was not issued'),
  nonceSpent: new Rejection('duplicate', 'The nonce is spent'),
  shares: new Rejection('rejected', 'The vault has too few free shares of this wallet'),
  vaultMin: new Rejection('parameter', 'amount is below the minimum of the vault'),
  vaultBusy: new Rejection('rejected', 'Too many requests wait in the vault'),
} as const

/** The first rejection that a check finds; null if every check passes. */
export function firstRejection<T>(
  of: readonly T[],
  check: (each: T) => Rejection | null,
): Rejection | null {
  for (const each of of) {
    const found = check(each)
    if (found) return found
  }
  return null
}

/** The venue's refusal for a rejection of the engine. */
export function refused({ refusal: name, message }: Rejection): VenueRefusal {
  return refusal(name, message)
}

/** The outcome of a request. Throws VenueRefusal if the engine rejected it. */
export function accepted<Outcome>(outcome: Outcome | Rejection): Outcome {
  if (outcome instanceof Rejection) throw refused(outcome)
  return outcome
}
