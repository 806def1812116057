import { mostBelow } from '../core/bisection.ts'
import { larger } from '../core/decimals.ts'
import { onStep, times } from './amounts.ts'
import { liquidationPrice } from './liquidation.ts'
import { type MarginAccount, marketState, otherPositions } from './margin-account.ts'
import { isolatedRate, maxNotional, type RateTerms, shareOf } from './margin-rates.ts'
import { marketMargin, type Terms, withFill, withPending } from './market-state.ts'
import {
  closes,
  type MarketNow,
  type Meeting,
  meet,
  metOrders,
  type Order,
  restingQuantity,
} from './meeting.ts'
import { checkOrder } from './order-check.ts'

/** An account and the margin rates of an order's market and margin mode. */
export type OrderAccount = MarginAccount & {
  readonly rates: RateTerms
  /** The rates of what is open now, if `rates` has another leverage. */
  readonly ratesNow?: RateTerms
}

/** What an account lacks for an order: a price in the book, a position to reduce, margin, or room within its leverage. */
export type Lack = 'price' | 'position' | 'margin' | 'leverage'

/**
 * What the venue would do with an order that arrives now: the rules of its market that it breaks, what its account lacks
 * for it, and how it meets the book. Without an account, margin and position are not judged.
 */
export function judge(market: MarketNow, order: Order, account: OrderAccount | null) {
  const meeting = meet(market, order, account)
  return {
    ...checkOrder(market, shapeIn(market, order, meeting, account)),
    lack: lackOf(market, order, meeting, account),
    meeting,
  }
}

function shapeIn(
  market: MarketNow,
  order: Order,
  { reference }: Meeting,
  account: OrderAccount | null,
) {
  const { side, price, quantity } = order
  // Without an account the position is not known: then any size may close all of it.
  const position = account ? closes(market, order, account) || null : 0n
  return {
    side,
    price,
    quantity,
    reference: reference ?? 0n,
    closes: order.reduceOnly ? position : null,
  }
}

function lackOf(
  market: MarketNow,
  order: Order,
  meeting: Meeting,
  account: OrderAccount | null,
): Lack | null {
  if (meeting.reference === null) return 'price'
  if (!account) return null
  // The venue asks no margin of an order that only shrinks a position.
  if (order.reduceOnly) return meeting.reach === 0n ? 'position' : null
  const { room, isOverNotional } = roomFor(market, order, meeting, account)
  if (room < 0n) return 'margin'
  return isOverNotional ? 'leverage' : null
}

/**
 * The collateral in USDC that stays free while the venue checks an order: the whole order counts as open, and its
 * immediate fill costs the fee and the difference to the mark price. Below zero, the order is refused.
 */
function roomFor(
  market: MarketNow,
  order: Order,
  { reference, offered }: Meeting,
  account: OrderAccount,
) {
  const { side, quantity, mode } = order
  const price = reference ?? 0n
  const { now, set } = termsIn(market, price, account)
  const before = marketState(account, market.symbol, mode)
  const was = marketMargin(before, now)
  const then = marketMargin(withPending(before, side, { quantity, price }), set)
  const sign = side === 'BUY' ? 1n : -1n
  const cost = offered.parts.reduce((sum, part) => {
    const loss = times(part.quantity, sign * (part.price - set.mark))
    return sum + larger(0n, loss) + shareOf(times(part.quantity, part.price), account.takerFee)
  }, 0n)
  const max = maxNotional(set)
  const isOverNotional = max !== null && then.notionalWithOrders > larger(was.notional, max)
  if (mode === 'CROSS') {
    return { room: account.free - cost - (then.initial - was.initial), isOverNotional }
  }
  const free = account.free - cost - (then.frozen - was.frozen)
  const added = larger(0n, then.notionalWithOrders - was.notional)
  const margin = before.margin + was.pnl + shareOf(added, isolatedRate(set)) - cost
  const spare = margin - was.maintenance - times(added, set.baseMmr)
  // A new isolated position must not begin below its maintenance margin.
  return { room: cost > 0n && spare < 0n ? spare : free, isOverNotional }
}

/** The terms of now and those of the order; without a mark price, its own price stands for it. */
function termsIn(
  { mark }: MarketNow,
  price: bigint,
  { rates, ratesNow = rates }: OrderAccount,
): { readonly now: Terms; readonly set: Terms } {
  return { now: { ...ratesNow, mark: mark ?? price }, set: { ...rates, mark: mark ?? price } }
}

/** The account after an order that the venue takes; USDC, and quantities in the base asset. */
export type AccountAfter = ReturnType<typeof accountAfter>

export function accountAfter(
  market: MarketNow,
  order: Order,
  meeting: Meeting,
  account: OrderAccount,
) {
  const { side, mode, reduceOnly } = order
  const { now, set } = termsIn(market, meeting.reference ?? 0n, account)
  const before = marketState(account, market.symbol, mode)
  const was = marketMargin(before, now)
  const met = metOrders(account.orders, order, meeting)
  const orders = account.orders.filter((own) => !met.includes(own))
  let state = marketState({ ...account, orders }, market.symbol, mode)
  let [released, fee] = [0n, 0n]
  for (const part of meeting.fill.parts) {
    const step = withFill(state, part, { side, feeRate: account.takerFee, terms: set })
    state = step.state
    released += step.released
    fee += step.fee
  }
  const quantity = reduceOnly ? 0n : restingQuantity(order, meeting)
  if (quantity > 0n) state = withPending(state, side, { quantity, price: meeting.reference ?? 0n })
  const then = marketMargin(state, set)
  const isCross = mode === 'CROSS'
  const moved = isCross ? then.pnl - was.pnl : was.frozen - then.frozen
  const collateral = account.collateral + released + moved
  const initial = account.collateral - account.free + (isCross ? then.initial - was.initial : 0n)
  const others = otherPositions(account, market.symbol)
  const backing = isCross ? collateral : state.margin + then.pnl
  return {
    before,
    state,
    fee,
    /** The further margin that the order takes; below zero it gives margin back. */
    needed: isCross
      ? then.initial - was.initial
      : state.margin - before.margin + then.frozen - was.frozen,
    collateral,
    free: collateral - initial,
    /** Of all cross positions. */
    notional: others.notional + (isCross ? then.notional : 0n),
    maintenance: others.maintenance + (isCross ? then.maintenance : 0n),
    /** What is left before the position is liquidated. */
    cushion: backing - then.maintenance - (isCross ? others.maintenance : 0n),
    liquidation: liquidationPrice({
      mode,
      terms: set,
      quantity: state.quantity,
      mark: set.mark,
      collateral: backing,
      otherMaintenance: isCross ? others.maintenance : 0n,
    }),
  }
}

/** The percentage of the free collateral that the largest order leaves, because prices move before it arrives. */
const RESERVE_PERCENT = 1n

/** The largest quantity of an order up to its own that the account can carry; zero if the market takes none. */
export function largestCarried(market: MarketNow, order: Order, account: OrderAccount): bigint {
  const quantity = largestOnStep(market.baseTick, order.quantity, (size) => {
    const sized = { ...order, quantity: size }
    const meeting = meet(market, sized, account)
    const { room, isOverNotional } = roomFor(market, sized, meeting, account)
    return !isOverNotional && room * 100n >= account.free * RESERVE_PERCENT
  })
  const { broken } = judge(market, { ...order, quantity }, account)
  return broken.length === 0 ? quantity : 0n
}

/** The largest multiple of a step up to a quantity that fits, if every smaller one fits too; zero if none does. */
export function largestOnStep(
  baseTick: bigint,
  quantity: bigint,
  fits: (quantity: bigint) => boolean,
): bigint {
  const step = larger(baseTick, 1n)
  const tooMany = onStep(quantity, step, 'ceil') / step
  return step * mostBelow(tooMany, (steps) => fits(steps * step))
}
