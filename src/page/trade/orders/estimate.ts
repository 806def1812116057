import { ONE } from '../../common/format.ts'
import type { Level, Rule } from '../market/rows.ts'
import { absolute, divided, larger, smaller, times, toFloat } from './amounts.ts'
import type { Side } from './check.ts'

/** What an order would find in the book as it is. */
export type Fill = { readonly size: bigint; readonly average: bigint; readonly worst: bigint }

/** Walks the other side of the book up to a price; null walks as far as the size needs. */
export function fillOf(
  levels: readonly Level[],
  side: Side,
  size: bigint,
  limit: bigint | null,
): Fill {
  let [left, value, worst] = [size, 0n, 0n]
  for (const level of levels) {
    const isBeyond = limit !== null && (side === 'BUY' ? level.price > limit : level.price < limit)
    if (left === 0n || isBeyond) break
    const taken = smaller(left, level.size)
    value += taken * level.price
    left -= taken
    worst = level.price
  }
  const filled = size - left
  return { size: filled, average: filled === 0n ? 0n : value / filled, worst }
}

export type Holding = {
  readonly collateral: bigint
  /** Signed size and the mark of the market's own position. */
  readonly held: bigint
  readonly mark: bigint
  /** Maintenance margin of all other positions. */
  readonly otherMaintenance: bigint
  readonly leverage: number
}

export type Estimate = {
  readonly fee: bigint
  readonly margin: bigint
  /** Null where nothing would liquidate the position. */
  readonly liquidation: bigint | null
}

/** Fee, further margin and liquidation price after an order, under cross margin. */
export function estimateOf(
  rule: Rule,
  order: {
    readonly side: Side
    readonly size: bigint
    readonly price: bigint
    readonly feeRate: bigint
  },
  account: Holding,
): Estimate {
  const { held, mark, leverage } = account
  const { side, size, price, feeRate } = order
  const fee = times(times(size, price), feeRate, 'ceil')
  const after = held + (side === 'BUY' ? size : -size)
  const rate = larger(leverage > 0 ? ONE / BigInt(leverage) : ONE, rule.baseImr)
  const grown = larger(0n, absolute(after) - absolute(held))
  const margin = times(times(grown, price), rate, 'ceil')
  const paid = times(side === 'BUY' ? size : -size, price - mark)
  const collateral = account.collateral - fee - paid
  return {
    fee,
    margin,
    liquidation: liquidationOf(after, mark, collateral - account.otherMaintenance, rule.baseMmr),
  }
}

/** The mark at which what is left equals the maintenance margin: `c + q(p − m) = |q|·p·mmr`. */
function liquidationOf(size: bigint, mark: bigint, collateral: bigint, mmr: bigint): bigint | null {
  if (size === 0n) return null
  const slope = times(absolute(size), mmr) - size
  if (slope === 0n) return null
  const price = divided(collateral - times(size, mark), slope)
  return price > 0n && toFloat(price) < 1e9 ? price : null
}
