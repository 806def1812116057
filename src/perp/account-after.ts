import { liquidationPrice } from './liquidation-price.ts'
import {
  marketState,
  type OpenOrder,
  type OrderAccount,
  orderTerms,
  otherPositions,
} from './margin-account.ts'
import {
  type MarketState,
  marketMargin,
  type Terms,
  withFill,
  withPending,
} from './market-state.ts'
import {
  type MarketNow,
  type Order,
  type OrderMatch,
  restingQuantity,
  selfMatchedOrders,
} from './order-match.ts'

/** An account after an order. Money is in USDC, quantities are in the base asset. */
export type AccountAfter = ReturnType<typeof accountAfter>

/** The account after the venue has accepted an order, valued at the current mark price. */
export function accountAfter(
  market: MarketNow,
  order: Order,
  match: OrderMatch,
  account: OrderAccount,
) {
  const { now, set } = orderTerms(market.mark, match.reference ?? 0n, account)
  const before = marketState(account, market.symbol, order.mode)
  const met = selfMatchedOrders(account.orders, order, match)
  const { state, released, fee } = stateAfter(market, order, match, account, { met, terms: set })
  const freed = freedInOtherMode(market, order, account, { met, terms: now })
  const [was, then] = [marketMargin(before, now), marketMargin(state, set)]
  const others = otherPositions(account, market.symbol)
  const cross = order.mode === 'CROSS'
  const moved = cross ? then.pnl - was.pnl : was.frozen - then.frozen
  const needed = cross
    ? then.initial - was.initial
    : state.margin - before.margin + then.frozen - was.frozen
  const collateral = account.collateral + released + moved + freed.frozen
  const backing = cross
    ? { collateral, otherMaintenance: others.maintenance }
    : { collateral: state.margin + then.pnl, otherMaintenance: 0n }
  const { quantity } = state
  return {
    before,
    state,
    /** Null if the fee rate is unknown. Then the other figures leave out the fee. */
    fee: account.takerFee === null && match.fill.quantity > 0n ? null : fee,
    /** The additional margin that the order needs; negative if the order frees margin. */
    needed,
    collateral,
    free: account.free + collateral - account.collateral + freed.initial - (cross ? needed : 0n),
    /** The notional value and the maintenance margin of all cross positions. */
    notional: others.notional + (cross ? then.notional : 0n),
    maintenance: others.maintenance + (cross ? then.maintenance : 0n),
    /** The loss that the position can still take before it is liquidated. */
    cushion: backing.collateral - then.maintenance - backing.otherMaintenance,
    liquidation: liquidationPrice({
      ...backing,
      mode: order.mode,
      terms: set,
      quantity,
      mark: set.mark,
    }),
  }
}

type MatchedOwnOrders = { readonly met: readonly OpenOrder[]; readonly terms: Terms }

/**
 * The margin that becomes free because the venue cancels own orders of the other margin mode. It cancels orders that
 * the new order would match.
 */
function freedInOtherMode(
  { symbol }: MarketNow,
  { mode }: Order,
  account: OrderAccount,
  { met, terms }: MatchedOwnOrders,
) {
  if (met.every((own) => own.mode === mode)) return { frozen: 0n, initial: 0n }
  const other = mode === 'CROSS' ? 'ISOLATED' : 'CROSS'
  const row = account.positions.find((each) => each.symbol === symbol && each.mode === other)
  const own = { ...terms, leverage: row?.leverage || terms.leverage }
  const was = marketMargin(marketState(account, symbol, other), own)
  const then = marketMargin(marketState(withoutOrders(account, met), symbol, other), own)
  const initial = other === 'CROSS' ? was.initial - then.initial : 0n
  return { frozen: was.frozen - then.frozen, initial }
}

function withoutOrders(account: OrderAccount, met: readonly OpenOrder[]): OrderAccount {
  return { ...account, orders: account.orders.filter((own) => !met.includes(own)) }
}

/** The market's state after the order's immediate fill, with its open rest and without cancelled own orders. */
function stateAfter(
  { symbol }: MarketNow,
  order: Order,
  match: OrderMatch,
  account: OrderAccount,
  { met, terms }: MatchedOwnOrders,
) {
  const { side, mode, reduceOnly } = order
  let state: MarketState = marketState(withoutOrders(account, met), symbol, mode)
  let [released, fee] = [0n, 0n]
  for (const part of match.fill.parts) {
    const step = withFill(state, part, { side, feeRate: account.takerFee ?? 0n, terms })
    state = step.state
    released += step.released
    fee += step.fee
  }
  const quantity = reduceOnly ? 0n : restingQuantity(order, match)
  const rest = { quantity, price: match.reference ?? 0n }
  return { state: quantity > 0n ? withPending(state, side, rest) : state, released, fee }
}
