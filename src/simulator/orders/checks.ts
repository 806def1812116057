import { AMOUNT_MAX, RATE_ONE } from '../base/units.ts'
import { reducibleQuantity } from '../book/walk.ts'
import { accountMargin, isolatedMargin, marginQuantity, refresh } from '../margin/margin.ts'
import { movedPrice, notionalAt } from '../state/markets.ts'
import { REJECTIONS, type Rejection } from '../state/rejections.ts'
import { BUY, type EngineMarket, type MarketAccount, type SideSign } from '../state/state.ts'
import { enumFeeRate, type OrderRequest, REST_STAYS_IN_BOOK } from './request.ts'

/** The figures of an order that a market's filters check. */
type FilteredOrder = {
  readonly market: EngineMarket
  readonly side: SideSign
  /** The price in ticks; 0 for a MARKET order, which has no price filter. */
  readonly price: number
  /** The price that values the order: the order's own price, or the best opposite price. */
  readonly reference: number
  readonly quantity: number
  readonly visible: number | null
  /** Whether a reduce-only order closes the whole position. It may then be below the minimum value. */
  readonly isFullClose: boolean
}

/** Maximum number of open orders per account. */
const OPEN_ORDERS_MAX = 500

/** Why a market's filters reject an order; null if they accept it. */
export function checkFilters(candidate: FilteredOrder): Rejection | null {
  const { visible, quantity } = candidate
  if (visible !== null && (visible < 0 || visible > quantity)) return REJECTIONS.visible
  return checkPrice(candidate) ?? checkSize(candidate) ?? checkDistance(candidate)
}

/** Why the account or the market does not accept such an order at present; null if both accept it. */
export function checkAdmission(
  request: OrderRequest,
  marketAccount: MarketAccount,
): Rejection | null {
  const { reduceOnly, clientOrderId, orderTag, side, market } = request
  const { account } = marketAccount
  if (account.status === 'liquidating') return REJECTIONS.liquidating
  const closed = checkStatus(request)
  if (closed) return closed
  if (enumFeeRate(orderTag, market.spec) === null) return REJECTIONS.orderTag
  if (reduceOnly && reducibleQuantity(marketAccount, side) === 0) return REJECTIONS.nothingToReduce
  if (clientOrderId !== null && account.clientIds.has(clientOrderId)) return REJECTIONS.duplicate
  if (account.open.size >= OPEN_ORDERS_MAX) return REJECTIONS.tooManyOrders
  return null
}

/** Why the market's status excludes an order; null if the status allows it. */
export function checkStatus({
  market,
  type,
  reduceOnly,
}: Pick<OrderRequest, 'market' | 'type' | 'reduceOnly'>): Rejection | null {
  if (market.isAway) return REJECTIONS.away
  switch (market.status) {
    case 'ACTIVE':
      return null
    case 'POST_ONLY':
      return REST_STAYS_IN_BOOK[type] ? null : REJECTIONS.postOnlyMarket
    case 'REDUCE_ONLY':
      return reduceOnly ? null : REJECTIONS.reduceOnlyMarket
    case 'PENDING':
      return REJECTIONS.halted
    case 'DELISTING':
    case 'DELISTED':
      return REJECTIONS.delisting
  }
}

/** Checks a price against the market's bounds. A price of 0 means a MARKET order. */
export function checkPrice({
  market,
  price,
}: Pick<FilteredOrder, 'market' | 'price'>): Rejection | null {
  if (price === 0) return null
  if (price < Math.max(1, market.spec.priceMin)) return REJECTIONS.priceLow
  return price > market.spec.priceMax ? REJECTIONS.priceHigh : null
}

/** Checks a quantity against the market's bounds, and its value at a price against the minimum value. */
export function checkSize({
  market,
  quantity,
  reference,
  isFullClose,
}: Pick<FilteredOrder, 'market' | 'quantity' | 'reference' | 'isFullClose'>): Rejection | null {
  const { spec } = market
  if (quantity < spec.quantityMin) return REJECTIONS.sizeLow
  if (quantity > spec.quantityMax) return REJECTIONS.sizeHigh
  const notional = notionalAt(spec, reference, quantity)
  if (notional > AMOUNT_MAX) return REJECTIONS.maxNotional
  return !isFullClose && notional < spec.notionalMin ? REJECTIONS.notional : null
}

function checkDistance({ market, side, price }: FilteredOrder): Rejection | null {
  if (price === 0) return null
  const { spec, mark } = market
  const through = movedPrice(mark, side, spec.priceRange)
  if (side === BUY ? price > through : price < through) return REJECTIONS.range
  const away = mark - (side * (mark * spec.priceScope)) / RATE_ONE
  return (side === BUY ? price < away : price > away) ? REJECTIONS.scope : null
}

/**
 * The rejection of the account's newest order; null if the account can carry all its orders. The conditions are:
 * - Collateral minus the immediate cost of the newest order's fills (fees, and prices worse than the mark) covers the
 *   initial margin of all positions and orders.
 * - A new isolated position starts at or above its maintenance margin.
 * - The notional in the market is at most the account's max_notional.
 * - Open interest is at most the market's maximum.
 */
export function checkMargin(marketAccount: MarketAccount, cost: number): Rejection | null {
  const { collateral, initialWithOrders } = accountMargin(marketAccount.account)
  if (collateral - cost < initialWithOrders) return REJECTIONS.margin
  if (marketAccount.isolated && !coversLoss(marketAccount, cost)) return REJECTIONS.margin
  return checkNotional(marketAccount) ?? checkOpenInterest(marketAccount)
}

function checkNotional(marketAccount: MarketAccount): Rejection | null {
  if (marketAccount.stamp !== marketAccount.market.stamp) refresh(marketAccount)
  const { notional, notionalWithOrders, notionalMax } = marketAccount
  return notionalWithOrders > Math.max(notional, Math.min(notionalMax, AMOUNT_MAX))
    ? REJECTIONS.maxNotional
    : null
}

function checkOpenInterest(marketAccount: MarketAccount): Rejection | null {
  const { market, quantity } = marketAccount
  const added = marginQuantity(marketAccount) - Math.abs(quantity)
  const after = notionalAt(market.spec, market.mark, market.openInterest + added)
  return added > 0 && after > market.spec.openInterestMax ? REJECTIONS.openInterest : null
}

/** Whether a new isolated position starts at or above its maintenance margin. */
function coversLoss(marketAccount: MarketAccount, cost: number): boolean {
  if (cost === 0) return true
  const { market, maintenance, margin, pnl } = marketAccount
  const opened = notionalAt(market.spec, market.mark, marginQuantity(marketAccount))
  const held = notionalAt(market.spec, market.mark, Math.abs(marketAccount.quantity))
  const added = Math.max(0, opened - held)
  const rate = market.spec.baseMmr / RATE_ONE
  return margin + pnl + isolatedMargin(marketAccount, added) - cost >= maintenance + added * rate
}
