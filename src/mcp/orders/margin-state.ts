import { absolute, larger, mulDiv, smaller } from '../../core/decimals.ts'
import { times, toMicros } from '../../perp/amounts.ts'
import type { MarginMode, Side } from '../../perp/positions.ts'
import type { Part } from './book.ts'
import {
  initialRate,
  isolatedRate,
  maintenanceRate,
  type RateTerms,
  shareOf,
} from './margin-rates.ts'

/** An account's position and orders in one market. Quantities are in the base asset, the rest in micro-USDC. */
export type MarketState = {
  /** Signed. */
  readonly quantity: bigint
  /** The cost of the position, with fees and funding. */
  readonly cost: bigint
  /** The margin of an isolated position. */
  readonly margin: bigint
  readonly buys: Pending
  readonly sells: Pending
}

/** Open orders of one side that may grow a position. */
type Pending = { readonly quantity: bigint; readonly value: bigint }

export const NO_ORDERS: Pending = { quantity: 0n, value: 0n }

/** The terms under which a market's state is margined. */
export type Terms = RateTerms & { readonly mode: MarginMode; readonly mark: bigint }

export type MarketFigures = Readonly<ReturnType<typeof figuresOf>>

/** How a market's state counts towards margin at a mark, in micro-USDC. */
export function figuresOf(state: MarketState, terms: Terms) {
  const { quantity, cost } = state
  const { mark, mode } = terms
  const notional = toMicros(times(absolute(quantity), mark))
  const withOrders = toMicros(times(quantityWithOrders(state), mark))
  return {
    notional,
    notionalWithOrders: withOrders,
    pnl: toMicros(times(quantity, mark)) - cost,
    /** Of position and orders. */
    initial: shareOf(withOrders, initialRate(terms, withOrders)),
    maintenance: shareOf(notional, maintenanceRate(terms, notional)),
    /** Collateral that isolated orders hold. */
    frozen: mode === 'ISOLATED' ? frozenOf(state, terms) : 0n,
  }
}

/** The larger position that the orders of one side could lead to. */
function quantityWithOrders({ quantity, buys, sells }: MarketState): bigint {
  return larger(absolute(quantity + buys.quantity), absolute(quantity - sells.quantity))
}

function frozenOf({ quantity, buys, sells }: MarketState, terms: Terms): bigint {
  const long = growthOf(buys, larger(0n, -quantity))
  const short = growthOf(sells, larger(0n, quantity))
  return shareOf(larger(long, short), isolatedRate(terms))
}

/** The value of the part of the orders that opens rather than closes. */
function growthOf({ quantity, value }: Pending, closing: bigint): bigint {
  return quantity <= closing ? 0n : mulDiv(value, quantity - closing, quantity, 'ceil')
}

/** A state with one more order of a side pending. */
export function withPending(
  state: MarketState,
  side: Side,
  order: { readonly quantity: bigint; readonly price: bigint },
): MarketState {
  const name = side === 'BUY' ? 'buys' : 'sells'
  const { quantity, value } = state[name]
  const added = toMicros(times(order.quantity, order.price))
  return { ...state, [name]: { quantity: quantity + order.quantity, value: value + added } }
}

type Order = { readonly side: Side; readonly feeRate: number; readonly terms: Terms }

/**
 * Applies an execution: a position is closed first, and opened with the remainder. `released` is the margin moved between
 * the balance and an isolated position.
 */
export function filled(
  state: MarketState,
  { price, quantity }: Part,
  { side, feeRate, terms }: Order,
) {
  const signed = side === 'BUY' ? quantity : -quantity
  const isClosing = state.quantity !== 0n && state.quantity > 0n !== signed > 0n
  const closing = isClosing ? smaller(quantity, absolute(state.quantity)) : 0n
  const fee = shareOf(toMicros(times(quantity, price)), feeRate)
  const closingFee = quantity === 0n ? 0n : mulDiv(fee, closing, quantity, 'floor')
  const closed = close(state, side === 'BUY' ? closing : -closing, {
    price,
    fee: closingFee,
    terms,
  })
  const opening = quantity - closing
  const value = toMicros(times(opening, price))
  const margin = terms.mode === 'ISOLATED' ? shareOf(value, isolatedRate(terms)) : 0n
  return {
    fee,
    released: closed.released - margin,
    state: {
      ...closed.state,
      quantity: closed.state.quantity + (side === 'BUY' ? opening : -opening),
      cost: closed.state.cost + (side === 'BUY' ? value : -value) + fee - closingFee,
      margin: closed.state.margin + margin,
    },
  }
}

type Closing = { readonly price: bigint; readonly fee: bigint; readonly terms: Terms }

/** A cross position keeps its result in its cost; an isolated one pays its share out to the balance. */
function close(state: MarketState, closing: bigint, { price, fee, terms }: Closing) {
  if (closing === 0n) return { state, released: 0n }
  const cost = toMicros(times(closing, price)) + fee
  const quantity = state.quantity + closing
  if (terms.mode === 'CROSS')
    return { state: { ...state, quantity, cost: state.cost + cost }, released: 0n }
  const held = absolute(state.quantity)
  const margin = mulDiv(state.margin, absolute(closing), held, 'floor')
  const paid = mulDiv(state.cost, absolute(closing), held, 'ceil')
  return {
    state: { ...state, quantity, margin: state.margin - margin, cost: state.cost - paid },
    released: margin - paid - cost,
  }
}
