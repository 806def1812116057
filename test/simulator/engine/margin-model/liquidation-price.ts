import type { Rules } from './ledger.ts'

type Cross = {
  readonly rules: Rules
  readonly quantity: number
  readonly mark: number
  readonly collateral: number
  /** Maintenance margin of the other cross positions. */
  readonly others: number
  /** The maintenance rate of the present notional. */
  readonly mmr: number
}

const STEPS_MAX = 30
const TOLERANCE = 0.0001

/** The public client library's estimate for a cross position: bisection between two rates; 0 where there is none. */
export function crossLiquidation(cross: Cross): number {
  const { rules, quantity, mmr } = cross
  if (quantity > 0) {
    const ends = [solved(cross, rules.baseMmr), solved(cross, mmr)] as const
    return bisected(cross, Math.min(...ends), Math.max(...ends)).right
  }
  const right = solved(cross, mmr)
  const grown = (rules.baseMmr / rules.baseImr) * rules.factor * (Math.abs(quantity) * right) ** 0.8
  const left = solved(cross, Math.max(rules.baseImr, grown))
  return bisected(cross, left, right).left
}

/** `(margin - cost - funding) / (|q| x MMR - q)`; `cost` has the funding due in it. */
export function isolatedLiquidation({
  quantity,
  cost,
  margin,
  mmr,
}: {
  readonly quantity: number
  readonly cost: number
  readonly margin: number
  readonly mmr: number
}): number {
  return Math.max(0, (margin - cost) / (Math.abs(quantity) * mmr - quantity))
}

function solved({ quantity, mark, collateral, others }: Cross, rate: number): number {
  const size = Math.abs(quantity)
  if (quantity >= 0 && size * rate - quantity >= 0) return mark
  return Math.max(0, mark + (collateral - size * mark * rate - others) / (size * rate - quantity))
}

function bisected(cross: Cross, from: number, to: number) {
  let left = from
  let right = to
  for (let step = 0; step < STEPS_MAX && (right - left) / right > TOLERANCE; step += 1) {
    const middle = (left + right) / 2
    if (isCovered(cross, middle) === cross.quantity > 0) right = middle
    else left = middle
  }
  return { left, right }
}

function isCovered({ rules, quantity, mark, collateral, others }: Cross, price: number): boolean {
  const notional = Math.abs(quantity) * price
  const grown = (rules.baseMmr / rules.baseImr) * rules.factor * notional ** 0.8
  const needed = notional * Math.max(rules.baseMmr, grown) + others
  return collateral - quantity * mark + quantity * price >= needed
}
