import { absolute, smaller } from '../core/decimals.ts'
import type { Row } from '../core/json.ts'
import { product, toAmount } from './amounts.ts'
import { type AccountFees, type FeeRates, parseFees } from './fee-rates.ts'
import { type RateTerms, timesRate } from './margin-rates.ts'
import { type MarketState, NO_ORDERS, type Terms, withPending } from './market-state.ts'
import {
  type MarginMode,
  type MarginPosition,
  parseMarginPosition,
  quantityWithOrders,
  type Side,
  toMarginMode,
} from './positions.ts'

/** The fields of an account's open order that margin depends on. */
export type OpenOrder = {
  readonly id: string
  readonly symbol: string
  readonly mode: MarginMode
  readonly side: Side
  readonly price: bigint
  /** The unfilled quantity. */
  readonly left: bigint
  readonly reduceOnly: boolean
}

/** The figures of an account from which its margin is computed, in USDC. */
export type MarginAccount = {
  /** The positions in all markets and both margin modes. */
  readonly positions: readonly MarginPosition[]
  /** The open orders: at least all orders in the market that is considered. */
  readonly orders: readonly OpenOrder[]
  /** The total collateral of cross positions. */
  readonly collateral: bigint
  /** The collateral that exceeds the initial margin of positions and orders; negative if collateral is missing. */
  readonly free: bigint
  readonly fees: AccountFees
}

/** Parses one row of `GET /v1/orders`; its numbers may be texts. Null for a row without a quantity. */
export function toOpenOrder(row: Row): OpenOrder | null {
  const quantity = toAmount(row['quantity'])
  if (quantity === null) return null
  return {
    id: String(row['order_id'] ?? ''),
    symbol: String(row['symbol'] ?? ''),
    mode: toMarginMode(row['margin_mode']),
    side: row['side'] === 'SELL' ? 'SELL' : 'BUY',
    price: toAmount(row['price']) ?? 0n,
    left: quantity - (toAmount(row['total_executed_quantity']) ?? 0n),
    reduceOnly: row['reduce_only'] === true,
  }
}

/**
 * An account from its figures. A live venue divides the figures between `GET /v1/client/info` and `GET /v1/positions`.
 * Each figure comes from the first of `answers` that contains the figure. Null while the collateral or a row is unknown.
 */
export function toMarginAccount(
  answers: readonly Row[],
  positionRows: readonly Row[],
  orderRows: readonly Row[],
): MarginAccount | null {
  const [collateral, free] = ['total_collateral_value', 'free_collateral'].map((field) =>
    answers.map((answer) => toAmount(answer[field])).find((each) => each !== null),
  )
  const positions = parseAll(positionRows, parseMarginPosition)
  const orders = parseAll(orderRows, toOpenOrder)
  if (collateral == null || free == null || !positions || !orders) return null
  return {
    positions,
    orders,
    collateral,
    // The venue reports a deficit as zero, so it is computed here.
    free: free > 0n ? free : smaller(0n, collateral - crossFigures(positions).initial),
    fees: parseFees(answers),
  }
}

function parseAll<Parsed>(rows: readonly Row[], parse: (row: Row) => Parsed | null) {
  const parsed = rows.map(parse)
  return parsed.every((each) => each !== null) ? parsed : null
}

/** The part of an account by which its margin is unknown. `name`: the market of a position, or the id of an order. */
export type UnreadablePart = {
  readonly part: 'collateral' | 'position' | 'order'
  readonly name: string
}

/** For an account of unknown margin: its first unreadable row, or else its collateral. */
export function unreadablePart(
  positionRows: readonly Row[],
  orderRows: readonly Row[],
): UnreadablePart {
  const position = positionRows.find((row) => !parseMarginPosition(row))
  if (position) return { part: 'position', name: String(position['symbol']) }
  const order = orderRows.find((row) => !toOpenOrder(row))
  return order
    ? { part: 'order', name: String(order['order_id']) }
    : { part: 'collateral', name: '' }
}

/**
 * The account with newer position rows, at mark prices by market. A row of a market without a new mark price keeps its
 * own mark price.
 * Collateral and free collateral change by the difference in PnL and margin. Null if a row is unreadable.
 */
export function accountAtRows(
  account: MarginAccount,
  rows: readonly Row[],
  marks: ReadonlyMap<string, bigint>,
): MarginAccount | null {
  const positions = parseAll(rows, parseMarginPosition)?.map((row) => ({
    ...row,
    mark: marks.get(row.symbol) || row.mark,
  }))
  if (!positions) return null
  const [was, now] = [crossFigures(account.positions), crossFigures(positions)]
  const collateral = account.collateral + now.pnl - was.pnl
  const free =
    account.free > 0n
      ? account.free + now.pnl - was.pnl - now.initial + was.initial
      : collateral - now.initial
  return { ...account, positions, collateral, free }
}

/** The totals of all cross positions, in USDC. The initial margin includes their open orders. */
export function crossFigures(positions: readonly MarginPosition[]) {
  let [notional, pnl, initial, maintenance] = [0n, 0n, 0n, 0n]
  for (const row of positions) {
    const { mode, quantity, cost, pendingBuys, pendingSells, mark, mmr, imrWithOrders } = row
    if (mode !== 'CROSS') continue
    const value = product(absolute(quantity), mark)
    const most = quantityWithOrders(quantity, pendingBuys, pendingSells)
    notional += value
    pnl += product(quantity, mark) - cost
    initial += timesRate(product(most, mark), imrWithOrders)
    maintenance += timesRate(value, mmr)
  }
  return { notional, pnl, initial, maintenance }
}

/**
 * An account's position and open orders in one market and margin mode. Quantities are zero without a position or an
 * order.
 */
export function marketState(
  { positions, orders }: Pick<MarginAccount, 'positions' | 'orders'>,
  symbol: string,
  mode: MarginMode,
): MarketState {
  const row = positions.find((each) => each.symbol === symbol && each.mode === mode)
  const { quantity = 0n, cost = 0n, margin = 0n } = row ?? {}
  const held: MarketState = { mode, quantity, cost, margin, buys: NO_ORDERS, sells: NO_ORDERS }
  return orders
    .filter((order) => order.symbol === symbol && order.mode === mode && !order.reduceOnly)
    .reduce(
      (state, { side, left, price }) => withPending(state, side, { quantity: left, price }),
      held,
    )
}

/** The figures of the cross positions in other markets. */
export function otherPositions({ positions }: Pick<MarginAccount, 'positions'>, symbol: string) {
  return crossFigures(positions.filter((row) => row.symbol !== symbol))
}

/** An account with its fee rates in an order's market, and the margin rates of its market and margin mode. */
export type OrderAccount = Omit<MarginAccount, 'fees'> &
  FeeRates & {
    readonly rates: RateTerms
    /** The rates of the position and orders that are open now, if their leverage differs from that of `rates`. */
    readonly ratesNow?: RateTerms
  }

/**
 * The margin terms of the open position and orders, and of the new order. Without a mark price, both use the new
 * order's price.
 */
export function orderTerms(
  mark: bigint | null,
  price: bigint,
  { rates, ratesNow = rates }: OrderAccount,
): { readonly now: Terms; readonly set: Terms } {
  return { now: { ...ratesNow, mark: mark ?? price }, set: { ...rates, mark: mark ?? price } }
}
