import { maintenanceFraction, type RateTerms } from './margin-rates.ts'

/** A position at a mark, in floats: prices and amounts in USDC, `quantity` signed. */
export type Exposed = {
  readonly terms: RateTerms
  readonly quantity: number
  readonly mark: number
  /** What backs it: the account's collateral, or the margin and result of an isolated position. */
  readonly collateral: number
  /** The maintenance margin of the other positions that share the collateral. */
  readonly others: number
  readonly isolated: boolean
}

const STEPS_MAX = 30
const TOLERANCE = 1e-4

/**
 * The mark at which the venue would liquidate a position if nothing else moved; zero when there is none. An estimate in
 * floats by the venue's published formula: solved at the maintenance rate of the present notional, and for a cross
 * position refined by bisection, because the rate changes with the price.
 */
export function liquidationPrice(at: Exposed): number {
  const { terms, quantity, mark, isolated } = at
  if (quantity === 0) return 0
  const rate = maintenanceFraction(terms, Math.abs(quantity) * mark)
  if (isolated) return solved(at, rate)
  if (quantity > 0) return bisected(at, solved(at, terms.baseMmr), solved(at, rate)).right
  const right = solved(at, rate)
  const rateThere = maintenanceFraction(terms, -quantity * right)
  return bisected(at, solved(at, Math.max(terms.baseImr, rateThere)), right).left
}

/** Where the collateral meets the maintenance margin at a fixed rate. */
function solved({ quantity, mark, collateral, others }: Exposed, rate: number): number {
  const size = Math.abs(quantity)
  const slope = size * rate - quantity
  if (quantity >= 0 && slope >= 0) return mark
  return Math.max(0, mark + (collateral - size * mark * rate - others) / slope)
}

/** Narrows to the price where the account turns from safe to liquidated: a long is safe above it, a short below. */
function bisected(at: Exposed, from: number, to: number): { left: number; right: number } {
  let left = Math.min(from, to)
  let right = Math.max(from, to)
  for (let step = 0; step < STEPS_MAX && right - left > TOLERANCE * right; step += 1) {
    const middle = (left + right) / 2
    if (isSafe(at, middle) === at.quantity > 0) right = middle
    else left = middle
  }
  return { left, right }
}

function isSafe({ terms, quantity, mark, collateral, others }: Exposed, price: number): boolean {
  const notional = Math.abs(quantity) * price
  const maintenance = notional * maintenanceFraction(terms, notional)
  return collateral + quantity * (price - mark) >= maintenance + others
}
