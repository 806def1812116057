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
import type { MarginMode, Side } from '../../../perp/positions.ts'
import { largestCarried, preTradeCheck, type Shortfall } from '../../../perp/pre-trade-check.ts'
import { type Draft, type Kind, type Problem, toProblems } from './check.ts'
import type { TicketAccount } from './ticket-account.ts'

/** The reason why the venue would end an order on arrival, or a waiting order when it is sent. */
export type Fate = NoFillReason | 'range_then' | 'margin_then' | 'position_then'

/** The rules that an order breaks, and how the venue would end it. */
export type TicketVerdict = {
  readonly problems: readonly Problem[]
  /** The limit of the account or the book that the order exceeds. */
  readonly excess: Shortfall | null
  readonly fate: Fate | null
  /** The match of the order with the book; null for a waiting order. */
  readonly match: OrderMatch | null
}

/** The book of a market that is not shown. */
export const NO_BOOK: Book = { asks: [], bids: [] }

/** A market at this moment; a mark of zero is unknown. */
export function marketNow(rules: MarketRules, mark: bigint, book: Book): MarketNow {
  return { ...rules, mark: mark || null, book }
}

/** An order as the venue checks it. */
export function toOrder(draft: Draft, mode: MarginMode = 'CROSS'): Order {
  const { side, type, price, size, isReduceOnly, slippage } = draft
  return { side, type, price, quantity: size, reduceOnly: isReduceOnly, slippage, mode }
}

/** The verdict on an order that arrives now; without an account no margin is judged. */
export function judge(
  market: MarketNow,
  draft: Draft,
  account: TicketAccount | null,
): TicketVerdict {
  const order = toOrder(draft, account?.mode)
  const { broken, shortfall, match } = preTradeCheck(market, order, account)
  // The venue would cut the order to the position, so the ticket names that size before.
  const isCut = account !== null && match.reach < order.quantity
  return {
    problems: toProblems(broken),
    excess: isCut ? 'position' : shortfall,
    fate: match.noFill,
    match,
  }
}

/** The largest size that position, margin and leverage allow, on the step. */
export function largestTicketSize(
  market: MarketNow,
  draft: Omit<Draft, 'size'>,
  account: TicketAccount,
): bigint {
  const order = toOrder({ ...draft, size: market.baseMax ?? SIZE_MAX }, account.mode)
  return order.reduceOnly
    ? closableBy(market, order, account)
    : largestCarried(market, order, account)
}

/**
 * The size of an order for an amount of USDC. Only a MARKET order takes the whole book of now. A stop is sized by the
 * price that it waits for. A time-weighted order is sized by the best price, since its parts are sent one by one.
 */
export function sizeForUsdc(
  usdc: bigint,
  { kind, side }: { readonly kind: Kind; readonly side: Side },
  book: Book,
  reference: bigint,
): bigint {
  return quantityForAmount(kind === 'MARKET' ? opposite(book, side) : [], usdc, reference)
}

/** Used for a market without a maximum size: a million millions. */
const SIZE_MAX = 10n ** 30n
