import { absolute, larger, mulDiv, PER_MICRO, smaller } from '../core/decimals.ts'
import { product } from './amounts.ts'
import type { Level } from './book.ts'
import {
  initialRate,
  isolatedRate,
  maintenanceRate,
  type RateTerms,
  timesRate,
} from './margin-rates.ts'
import { closableQuantity, type MarginMode, quantityWithOrders, type Side } from './positions.ts'

/** An account's position and open orders in one market and margin mode. Money is in USDC, quantities are in the base asset. */
export type MarketState = {
  readonly mode: MarginMode
  /** The quantity of the position; negative for a short position. */
  readonly quantity: bigint
  /** The cost of the position in USDC, with fees and funding. */
  readonly cost: bigint
  /** The margin of an isolated position. */
  readonly margin: bigint
  /** The open orders per side that may enlarge a position. */
  readonly buys: Pending
  readonly sells: Pending
}

type Pending = { readonly quantity: bigint; readonly value: bigint }

export const NO_ORDERS: Pending = { quantity: 0n, value: 0n }

/** The margin rates and the mark price by which margin is computed. */
export type Terms = RateTerms & { readonly mark: bigint }

/** The margin of a state at the mark price, in USDC. */
export function marketMargin(state: MarketState, terms: Terms) {
  const { mode, quantity, cost } = state
  const { mark } = terms
  const notional = product(absolute(quantity), mark)
  const { buys, sells } = state
  const withOrders = product(quantityWithOrders(quantity, buys.quantity, sells.quantity), mark)
  return {
    /**
     * `notional` is the value of the position; `notionalWithOrders` is the value of the largest position that its open
     * orders allow.
     */
    notional,
    notionalWithOrders: withOrders,
    pnl: product(quantity, mark) - cost,
    /** The initial margin of position and orders. */
    initial: timesRate(withOrders, initialRate(terms, withOrders)),
    maintenance: timesRate(notional, maintenanceRate(terms, notional)),
    /** The collateral that open orders in isolated mode reserve. */
    frozen: mode === 'ISOLATED' ? frozenMargin(state, terms) : 0n,
  }
}

function frozenMargin({ quantity, buys, sells }: MarketState, terms: Terms): bigint {
  const long = opened(buys, closableQuantity(quantity, 'BUY'))
  const short = opened(sells, closableQuantity(quantity, 'SELL'))
  return timesRate(larger(long, short), isolatedRate(terms))
}

/** The value of the part of the orders that exceeds the quantity that they close. */
function opened({ quantity, value }: Pending, closing: bigint): bigint {
  if (quantity <= closing) return 0n
  return mulDiv(value, quantity - closing, quantity * PER_MICRO, 'ceil') * PER_MICRO
}

/** The state with one more open order. */
export function withPending(
  state: MarketState,
  side: Side,
  { quantity, price }: Level,
): MarketState {
  const name = side === 'BUY' ? 'buys' : 'sells'
  const pending = state[name]
  const value = pending.value + product(quantity, price, 'ceil')
  return { ...state, [name]: { quantity: pending.quantity + quantity, value } }
}

type Taking = { readonly side: Side; readonly feeRate: bigint; readonly terms: Terms }

/**
 * The state after a fill, which closes an opposite position before it opens a new position. `released` is the USDC that
 * moves from an isolated position to the balance; negative if USDC moves to the position.
 */
export function withFill(
  state: MarketState,
  { price, quantity }: Level,
  { side, feeRate, terms }: Taking,
) {
  const closing = smaller(quantity, closableQuantity(state.quantity, side))
  const opening = quantity - closing
  const fee = timesRate(product(quantity, price), feeRate)
  const closingFee =
    quantity === 0n ? 0n : mulDiv(fee, closing, quantity * PER_MICRO, 'floor') * PER_MICRO
  const sign = side === 'BUY' ? 1n : -1n
  const closed = withoutPart(state, sign * closing, sign * product(closing, price) + closingFee)
  const value = product(opening, price)
  const margin = state.mode === 'ISOLATED' ? timesRate(value, isolatedRate(terms)) : 0n
  return {
    fee,
    released: closed.released - margin,
    state: {
      ...closed.state,
      quantity: closed.state.quantity + sign * opening,
      cost: closed.state.cost + sign * value + fee - closingFee,
      margin: closed.state.margin + margin,
    },
  }
}

/**
 * Closes a part of a position. A cross position keeps realised PnL in its cost; an isolated position pays it to the
 * balance.
 */
function withoutPart(state: MarketState, closing: bigint, cost: bigint) {
  const quantity = state.quantity + closing
  if (closing === 0n) return { state, released: 0n }
  if (state.mode === 'CROSS') {
    return { state: { ...state, quantity, cost: state.cost + cost }, released: 0n }
  }
  const [part, held] = [absolute(closing), absolute(state.quantity) * PER_MICRO]
  const margin = mulDiv(state.margin, part, held, 'floor') * PER_MICRO
  const paid = mulDiv(state.cost, part, held, 'ceil') * PER_MICRO
  return {
    state: { ...state, quantity, margin: state.margin - margin, cost: state.cost - paid },
    released: margin - paid - cost,
  }
}
