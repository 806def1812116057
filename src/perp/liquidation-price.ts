import { absolute } from '../core/decimals.ts'
import { amountNumber, toAmount } from './amounts.ts'
import { maintenanceFraction, type RateTerms } from './margin-rates.ts'
import type { MarginMode, Side } from './positions.ts'

/** The input for a position's liquidation price; amounts have eighteen decimals. */
export type HeldAtMark = {
  readonly mode: MarginMode
  readonly terms: RateTerms
  /** The quantity of the position; negative for a short position. */
  readonly quantity: bigint
  readonly mark: bigint
  /**
   * For a cross position, the account's total collateral. For an isolated position, its margin plus its unrealised PnL.
   */
  readonly collateral: bigint
  /** The maintenance margin of the account's other cross positions; zero for an isolated position. */
  readonly otherMaintenance: bigint
}

/** The input as floating-point numbers. */
type View = ReturnType<typeof numericView>

const STEPS_MAX = 30
const TOLERANCE = 1e-4
const PRICE_DECIMALS = 8
/** Upper bound of a result; no market has a price this high. */
const PRICE_MAX = 1e15

/**
 * The mark price at which the venue would liquidate a position if everything else stayed the same; null if there is no
 * such price. This is a floating-point estimate by the venue's published formula, which uses the maintenance rate of
 * the present value. For a cross position, bisection refines it, because the rate changes with the price.
 */
export function liquidationPrice(held: HeldAtMark): bigint | null {
  if (held.quantity === 0n) return null
  const price = estimatedPrice(numericView(held))
  return price > 0 && price < PRICE_MAX ? toAmount(price.toFixed(PRICE_DECIMALS)) || null : null
}

function numericView({ mode, terms, quantity, mark, collateral, otherMaintenance }: HeldAtMark) {
  return {
    isIsolated: mode === 'ISOLATED',
    terms,
    isLong: quantity > 0n,
    size: amountNumber(absolute(quantity)),
    mark: amountNumber(mark),
    collateral: amountNumber(collateral),
    others: amountNumber(otherMaintenance),
  }
}

function estimatedPrice(view: View): number {
  const { terms, size, mark, isLong, isIsolated } = view
  const rate = maintenanceFraction(terms, size * mark)
  if (isIsolated) return solvedPrice(view, rate)
  if (isLong)
    return bisectedInterval(
      view,
      solvedPrice(view, amountNumber(terms.baseMmr)),
      solvedPrice(view, rate),
    )[1]
  const right = solvedPrice(view, rate)
  const rateThere = maintenanceFraction(terms, size * right)
  return bisectedInterval(
    view,
    solvedPrice(view, Math.max(amountNumber(terms.baseImr), rateThere)),
    right,
  )[0]
}

/** The price at which the collateral equals the maintenance margin at a fixed rate. */
function solvedPrice({ size, isLong, mark, collateral, others }: View, rate: number): number {
  const slope = size * rate - (isLong ? size : -size)
  if (isLong && slope >= 0) return mark
  return Math.max(0, mark + (collateral - size * mark * rate - others) / slope)
}

/** Narrows an interval that contains the liquidation price by bisection. A long is safe above it, a short below it. */
function bisectedInterval(
  view: View,
  from: number,
  to: number,
): readonly [left: number, right: number] {
  let [left, right] = [Math.min(from, to), Math.max(from, to)]
  for (let step = 0; step < STEPS_MAX && right - left > TOLERANCE * right; step += 1) {
    const middle = (left + right) / 2
    if (isSafe(view, middle) === view.isLong) right = middle
    else left = middle
  }
  return [left, right]
}

function isSafe({ terms, size, isLong, mark, collateral, others }: View, price: number): boolean {
  const value = size * price
  const result = (isLong ? size : -size) * (price - mark)
  return collateral + result >= value * maintenanceFraction(terms, value) + others
}

/** Whether the venue liquidates a position before the mark price reaches its stop. `side`: of the order that opened it. */
export function isBeyondLiquidation(side: Side, stop: bigint, liquidation: bigint): boolean {
  return side === 'BUY' ? stop <= liquidation : stop >= liquidation
}
