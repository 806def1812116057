import { absolute, larger, ONE, smaller } from '../../../core/decimals.ts'
import { amountNumber, divided, times } from '../../../perp/amounts.ts'
import { near } from '../../common/format.ts'
import type { Level, Rule } from '../market/rows.ts'
import type { Draft, OrderType, Side } from './check.ts'
import {
  isolatedMargin,
  type MarketAccount,
  maintenanceRate,
  marginNeeded,
  splitSize,
} from './margin.ts'

/** What an order would find in the book as it is. */
export type Fill = {
  readonly size: bigint
  readonly value: bigint
  /** How much worse than the mark its prices are. */
  readonly loss: bigint
  /** The last price of it; null without one. */
  readonly worst: bigint | null
}

/** Walks the other side of the book up to a price; null walks as far as the size needs. */
export function fillOf(
  levels: readonly Level[],
  order: { readonly side: Side; readonly size: bigint; readonly limit: bigint | null },
  mark: bigint,
): Fill {
  const { side, size, limit } = order
  let [left, value, loss] = [size, 0n, 0n]
  let worst: bigint | null = null
  for (const level of levels) {
    const isBeyond = limit !== null && (side === 'BUY' ? level.price > limit : level.price < limit)
    if (left === 0n || isBeyond) break
    const taken = smaller(left, level.size)
    worst = level.price
    value += times(taken, level.price)
    loss += larger(0n, times(taken, side === 'BUY' ? level.price - mark : mark - level.price))
    left -= taken
  }
  return { size: size - left, value, loss, worst }
}

/** What fills take from an account at once: taker fees, and prices worse than the mark. */
export function costOf({ value, loss }: Fill, { takerFee }: MarketAccount): bigint {
  return loss + times(value, takerFee, 'ceil')
}

/** The worst price of a MARKET order: its slippage from the best price, within the market's range around the mark; null for any. */
export function marketLimit(
  { priceRange }: Rule,
  order: { readonly side: Side; readonly best: bigint; readonly slippage: bigint | null },
  mark: bigint,
): bigint | null {
  const { side, best, slippage } = order
  const direction = side === 'BUY' ? 1n : -1n
  const slipped = slippage === null ? null : times(best, ONE + direction * slippage)
  // A range of zero is no bound.
  const ranged = priceRange > 0n ? times(mark, ONE + direction * priceRange) : null
  if (ranged === null || slipped === null) return ranged ?? slipped
  return side === 'BUY' ? smaller(ranged, slipped) : larger(ranged, slipped)
}

/** Order types of which what is not filled at once rests in the book. */
const RESTS: ReadonlySet<OrderType> = new Set(['LIMIT', 'POST_ONLY'])

/** Why the venue would end an order as it arrives, or one that waits when it is sent. */
export type Fate =
  | 'would_take'
  | 'not_whole'
  | 'takes_nothing'
  | 'range_then'
  | 'margin_then'
  | 'position_then'

type Arriving = Pick<Draft, 'type' | 'side' | 'size' | 'price' | 'best'>

/** What would end an order as it arrives without a fill; null when nothing would. */
export function fateOf(order: Arriving, fill: Fill): Fate | null {
  const { type, size } = order
  if (type === 'POST_ONLY') return crosses(order) ? 'would_take' : null
  if (type === 'FOK') return fill.size < size ? 'not_whole' : null
  return RESTS.has(type) || fill.size > 0n ? null : 'takes_nothing'
}

function crosses({ side, price, best }: Arriving): boolean {
  if (price === null || best === null) return false
  return side === 'BUY' ? price >= best : price <= best
}

/** An order with what it fills at once; `price` is that of what rests. */
export type Estimated = Pick<Draft, 'side' | 'type' | 'size'> & {
  readonly price: bigint
  readonly fill: Fill
}

/** Average price and value of all of an order that would trade, and what it would cost and leave; without an account no figures. */
export function estimateOf(rule: Rule, order: Estimated, account: MarketAccount | null) {
  const { type, size, price, fill } = order
  const resting = RESTS.has(type) ? size - fill.size : 0n
  const traded = fill.size + resting
  if (traded === 0n) return null
  const rested = times(resting, price)
  const value = fill.value + rested
  const average = divided(value, traded)
  const done = { side: order.side, size: traded, price: average }
  if (!account) return { price: average, value, figures: null }
  const fee = times(fill.value, account.takerFee, 'ceil') + times(rested, account.makerFee, 'ceil')
  const margin = marginNeeded(rule, account, { ...done, cost: 0n })
  /** Null where nothing would liquidate the position. */
  const liquidation = account.isIsolated
    ? isolatedLiquidation(rule, done, account, fee)
    : crossLiquidation(rule, done, account, fee)
  return { price: average, value, figures: { fee, margin, liquidation } }
}

type Done = { readonly side: Side; readonly size: bigint; readonly price: bigint }

function crossLiquidation(
  rule: Rule,
  { side, size, price }: Done,
  account: MarketAccount,
  fee: bigint,
): bigint | null {
  const { mark, imrFactor, otherMaintenance } = account
  const change = side === 'BUY' ? size : -size
  const after = account.held + change
  const collateral = account.collateral - fee - times(change, price - mark) - otherMaintenance
  const rateAt = (value: bigint) => maintenanceRate(rule, imrFactor, value)
  return liquidationPrice({ size: after, mark, collateral }, rateAt)
}

/** An isolated position has its own margin; the maintenance rate stays that of its value at the mark. */
function isolatedLiquidation(
  rule: Rule,
  { side, size, price }: Done,
  account: MarketAccount,
  fee: bigint,
): bigint | null {
  const { held, mark, imrFactor } = account
  const { closing, opening } = splitSize(held, side, size)
  const kept = absolute(held) - closing
  const equity = times(account.margin + account.unsettled, divided(kept, absolute(held)))
  const opened = side === 'BUY' ? opening : -opening
  const paid = times(opened, price - mark) + times(fee, divided(opening, size))
  const collateral = equity + isolatedMargin(account, times(opening, price)) - paid
  const after = held + (side === 'BUY' ? size : -size)
  const rate = maintenanceRate(rule, imrFactor, times(absolute(after), mark))
  return liquidationPrice({ size: after, mark, collateral }, () => rate)
}

const ROUNDS = 40
const PRICE_MAX = 1e9

/** The mark at which what is left equals the maintenance margin, whose rate follows the value; null where none does. */
export function liquidationPrice(
  { size, mark, collateral }: Record<'size' | 'mark' | 'collateral', bigint>,
  rateAt: (value: bigint) => bigint,
): bigint | null {
  if (size === 0n) return null
  const [quantity, from] = [amountNumber(size), amountNumber(mark)]
  let price = from
  for (let round = 0; round < ROUNDS; round += 1) {
    const value = near((Math.abs(quantity) * price).toFixed(8))
    const slope = Math.abs(quantity) * amountNumber(rateAt(value)) - quantity
    if (slope === 0) return null
    price = (amountNumber(collateral) - quantity * from) / slope
    if (!(price > 0 && price < PRICE_MAX)) return null
  }
  return near(price.toFixed(8))
}
