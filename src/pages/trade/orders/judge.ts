import { type Book, opposite } from '../../../perp/book.ts'
import { quantityForAmount } from '../../../perp/fill.ts'
import type { MarketRules } from '../../../perp/market-rules.ts'
import {
  closableBy,
  type MarketNow,
  type NoFillReason,
  type Order,
  type OrderMatch,
} from '../../../perp/order-match.ts'
import type { Side } from '../../../perp/positions.ts'
import {
  largestWithinMargin,
  preTradeCheck,
  type Shortfall,
} from '../../../perp/pre-trade-check.ts'
import { type Draft, type Problem, type TicketOrderKind, toProblems } from './check.ts'
import type { TicketAccount } from './ticket-account.ts'

/** The reason why the venue would end an order on arrival, or a waiting order at its trigger. */
export type Fate = NoFillReason | 'range_then' | 'margin_then' | 'position_then'

/** The rules that an order breaks, and the result that the order would have at the venue. */
export type TicketVerdict = {
  readonly problems: readonly Problem[]
  /** The condition of account or book that the order fails; null if it passes. */
  readonly excess: Shortfall | null
  readonly fate: Fate | null
  /** The match of the order with the book; null for a waiting order. */
  readonly match: OrderMatch | null
}

/** An empty book, for a market that is not shown. */
export const NO_BOOK: Book = { asks: [], bids: [] }

/** A market's current state; a mark price of zero means unknown. */
export function marketNow(rules: MarketRules, mark: bigint, book: Book): MarketNow {
  return { ...rules, mark: mark || null, book }
}

/** An order in the margin mode of an account; cross without an account. */
export function inMode(draft: Draft, account: Pick<TicketAccount, 'mode'> | null): Order {
  return { ...draft, mode: account?.mode ?? 'CROSS' }
}

/** The verdict on an order that arrives now. Without an account, margin is not checked. */
export function arrivingOrderVerdict(
  market: MarketNow,
  draft: Draft,
  account: TicketAccount | null,
): TicketVerdict {
  const order = inMode(draft, account)
  const { broken, shortfall, match } = preTradeCheck(market, order, account)
  // The venue would reduce the order to the position's size, so the ticket reports this beforehand.
  const isCut = account !== null && match.reach < order.quantity
  return {
    problems: toProblems(broken),
    excess: isCut ? 'position' : shortfall,
    fate: match.noFill,
    match,
  }
}

/** The largest size, a multiple of the tick, that position, margin and leverage allow; null if its fee is unknown. */
export function largestTicketSize(
  market: MarketNow,
  draft: Omit<Draft, 'quantity'>,
  account: TicketAccount,
): bigint | null {
  const order = inMode({ ...draft, quantity: market.baseMax ?? SIZE_MAX }, account)
  return order.reduceOnly
    ? closableBy(market, order, account)
    : largestWithinMargin(market, order, account)
}

/**
 * The size of an order for an amount of USDC. A MARKET order is sized by the prices of the current book. All other
 * kinds use `reference`: for a stop, its trigger price; for a time-weighted order, whose parts are sent separately, the
 * best price.
 */
export function sizeForUsdc(
  usdc: bigint,
  { kind, side }: { readonly kind: TicketOrderKind; readonly side: Side },
  book: Book,
  reference: bigint,
): bigint {
  return quantityForAmount(kind === 'MARKET' ? opposite(book, side) : [], usdc, reference)
}

/** Replaces a missing maximum size of a market: 10^12 units of the base asset. */
const SIZE_MAX = 10n ** 30n
