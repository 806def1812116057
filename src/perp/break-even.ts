import { absolute, mulDiv, ONE } from '../core/decimals.ts'
import { type Row, rowsAt } from '../core/json.ts'
import { product, sumOrNull, toAmount } from './amounts.ts'
import { fillFee, fundingChange, type PeriodRows, rowTimeMs } from './pnl.ts'
import { type Position, toMarginMode } from './positions.ts'

type Held = Pick<Position, 'symbol' | 'mode' | 'quantity'>

/**
 * The price at which a closing taker order makes the position's PnL since opening zero. The PnL includes partial
 * closes, funding and the fees of both fills. The price has eighteen decimals and is rounded against a loss. Null:
 * - if the rows, newest first, do not reach back to the opening
 * - if a fee is in another token than USDC
 * - if the market had a liquidation since the opening, because a liquidation has no fill
 * - if the price is not above zero
 */
export function breakEvenPrice(
  position: Held,
  { fills, funding, liquidations }: PeriodRows,
  takerFee: bigint,
): bigint | null {
  const { symbol, mode, quantity } = position
  const isOwn = (row: Row) => row['symbol'] === symbol && toMarginMode(row['margin_mode']) === mode
  const opened = fills && quantity !== 0n ? costSinceFlat(fills.filter(isOwn), quantity) : null
  if (!opened || !funding || !liquidations) return null
  const isLater = (row: Row) => rowTimeMs(row['timestamp']) >= opened.atMs
  if (liquidations.some((row) => isLater(row) && isLiquidationIn(row, symbol))) return null
  const isSince = (row: Row) => isOwn(row) && rowTimeMs(row['created_time']) >= opened.atMs
  const received = sumOrNull(funding.filter(isSince), fundingChange)
  if (received === null) return null
  // For a short position, both quantity and cost are negative.
  const closed = quantity - product(absolute(quantity), takerFee, 'ceil')
  const price = mulDiv(opened.cost - received, ONE, closed, quantity > 0n ? 'ceil' : 'floor')
  return price > 0n ? price : null
}

/** Whether a liquidation reduced a position in a market, in either margin mode. A liquidation that names no market counts. */
function isLiquidationIn(row: Row, symbol: string): boolean {
  const taken = rowsAt(row, 'positions_by_perp')
  return taken.length === 0 || taken.some((position) => position['symbol'] === symbol)
}

/**
 * The cost, with fees, of the fills since the opening of a position, and the time of the opening. Null if the fills do
 * not reach back to the opening.
 */
function costSinceFlat(newestFirst: readonly Row[], quantity: bigint) {
  let [left, cost] = [quantity, 0n]
  for (const fill of newestFirst) {
    const [size, price] = [fill['executed_quantity'], fill['executed_price']].map(toAmount)
    const fee = fillFee(fill)
    if (!size || price == null || fee === null) return null
    const signed = fill['side'] === 'BUY' ? size : -size
    const before = left - signed
    // A fill that reverses a position opens the new position with only a part of its quantity. The same part of its fee
    // counts.
    const isFirst = before === 0n || before > 0n !== quantity > 0n
    const part = isFirst ? left : signed
    cost += product(part, price, 'ceil') + mulDiv(-fee, absolute(part), size, 'ceil')
    if (isFirst) return { cost, atMs: rowTimeMs(fill['executed_timestamp']) }
    left = before
  }
  return null
}
