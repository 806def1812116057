import { toNumber } from '../../core/decimals.ts'
import { shareOf } from '../units.ts'
import type { Exposure, Margin } from './margin.ts'
import { maintenanceFactor, NOTIONAL_POWER } from './rates.ts'

/**
 * The price, eight decimals, at which a cross position would be liquidated if nothing else moved; 0n when there is none.
 * An estimate in floats, as the venue's own clients compute it: solved with the maintenance rate of today's notional,
 * then refined by bisection because the rate itself falls or grows with the price.
 */
export function liquidationPrice(margin: Margin, exposure: Exposure): bigint {
  if (exposure.quantity === 0n) return 0n
  const view = viewOf(margin, exposure)
  const price = view.quantity > 0 ? refineLong(view) : refineShort(view)
  return BigInt(Math.round(Math.max(0, price) * UNIT))
}

const UNIT = 1e8
const STEPS_MAX = 30
const TOLERANCE = 1e-4

/** The position in plain numbers: collateral and the others' maintenance margin in USDC. */
type View = {
  readonly quantity: number
  readonly mark: number
  readonly collateral: number
  readonly others: number
  readonly baseRate: number
  readonly initialRate: number
  readonly rate: number
  readonly factor: number
}

function viewOf(margin: Margin, { instrument, quantity, mark, mmr, notional }: Exposure): View {
  const own = shareOf(notional, mmr)
  return {
    quantity: toNumber(quantity, 8),
    mark: toNumber(mark, 8),
    collateral: toNumber(margin.collateral, 6),
    others: toNumber(margin.maintenance - own, 6),
    baseRate: toNumber(instrument.baseMmr, 8),
    initialRate: toNumber(instrument.baseImr, 8),
    rate: toNumber(mmr, 8),
    factor: maintenanceFactor(instrument),
  }
}

/** Where collateral meets the maintenance margin at a fixed rate. */
function solve({ quantity, mark, collateral, others }: View, rate: number): number {
  const size = Math.abs(quantity)
  const slope = size * rate - quantity
  if (quantity >= 0 && slope >= 0) return mark
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

/** Narrows to where the account turns from safe to liquidated; a long is safe above, a short below. */
function bisect(view: View, from: number, to: number): { left: number; right: number } {
  let left = Math.min(from, to)
  let right = Math.max(from, to)
  for (let step = 0; step < STEPS_MAX && right - left > TOLERANCE * right; step += 1) {
    const middle = (left + right) / 2
    if (isSafe(view, middle) === view.quantity > 0) right = middle
    else left = middle
  }
  return { left, right }
}

function isSafe(view: View, price: number): boolean {
  const { quantity, mark, collateral, others } = view
  const rate = Math.max(view.baseRate, rateAt(view, price))
  return collateral + quantity * (price - mark) >= Math.abs(quantity) * price * rate + others
}

function rateAt({ factor, quantity }: View, price: number): number {
  return factor * (Math.abs(quantity) * price) ** NOTIONAL_POWER
}
