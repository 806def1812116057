import { MICRO, RATE_ONE } from '../base/units.ts'
import { maintenanceFactor, maintenanceMarginRate, NOTIONAL_POWER } from '../state/margin-rates.ts'
import type { MarketSpec } from '../state/market-spec.ts'
import type { MarketAccount } from '../state/state.ts'
import { accountMargin, refresh } from './margin.ts'

/**
 * The price in ticks, with a fraction, at which a position would be liquidated if all other figures stayed the same; 0
 * if there is no position.
 *
 * It is an estimate in floats, as the venue's own clients compute it. It is solved with the maintenance rate of the
 * current notional, then refined by bisection because the rate changes with the price. For an isolated position, only
 * the position's margin counts, at the current rate.
 */
export function positionLiquidationPrice(marketAccount: MarketAccount): number {
  if (marketAccount.quantity === 0) return 0
  refresh(marketAccount)
  const view = positionView(marketAccount)
  if (marketAccount.isolated) return Math.max(0, solve(view, view.rate))
  return Math.max(0, view.value > 0 ? refineLong(view) : refineShort(view))
}

const STEPS_MAX = 30
const TOLERANCE = 1e-4

/** A position in plain numbers: USDC, and USDC per tick. */
type View = {
  readonly spec: MarketSpec
  /** Change of the position's value per tick; negative for a short position. */
  readonly value: number
  readonly mark: number
  readonly collateral: number
  readonly others: number
  readonly baseRate: number
  readonly initialRate: number
  readonly rate: number
}

function positionView({
  market,
  quantity,
  account,
  isolated,
  margin,
  pnl,
  ...own
}: MarketAccount): View {
  const { spec, mark } = market
  const cross = accountMargin(account)
  return {
    spec,
    value: (quantity * spec.unit) / MICRO,
    mark,
    collateral: (isolated ? margin + pnl : cross.collateral) / MICRO,
    others: isolated ? 0 : (cross.maintenance - own.maintenance) / MICRO,
    baseRate: spec.baseMmr / RATE_ONE,
    initialRate: spec.baseImr / RATE_ONE,
    rate: maintenanceMarginRate(spec, own.notional) / RATE_ONE,
  }
}

/** The price at which the collateral equals the maintenance margin, for a fixed rate. */
function solve({ value, mark, collateral, others }: View, rate: number): number {
  const size = Math.abs(value)
  const slope = size * rate - value
  if (value >= 0 && slope >= 0) return mark
  return Math.max(0, mark + (collateral - size * mark * rate - others) / slope)
}

function refineLong(view: View): number {
  return bisect(view, solve(view, view.baseRate), solve(view, view.rate)).right
}

function refineShort(view: View): number {
  const right = solve(view, view.rate)
  const rate = Math.max(view.initialRate, rateAt(view, right))
  return bisect(view, solve(view, rate), right).left
}

/**
 * Narrows the range that contains the liquidation price. A long position is safe above this price, a short position
 * below it.
 */
function bisect(view: View, from: number, to: number): { left: number; right: number } {
  let left = Math.min(from, to)
  let right = Math.max(from, to)
  for (let step = 0; step < STEPS_MAX && right - left > TOLERANCE * right; step += 1) {
    const middle = (left + right) / 2
    if (isSafe(view, middle) === view.value > 0) right = middle
    else left = middle
  }
  return { left, right }
}

function isSafe(view: View, price: number): boolean {
  const { value, mark, collateral, others } = view
  const rate = Math.max(view.baseRate, rateAt(view, price))
  return collateral + value * (price - mark) >= Math.abs(value) * price * rate + others
}

function rateAt({ spec, value }: View, price: number): number {
  return maintenanceFactor(spec) * (Math.abs(value) * price) ** NOTIONAL_POWER
}
