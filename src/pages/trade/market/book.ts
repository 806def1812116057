import { product, quotient } from '../../../perp/amounts.ts'
import type { Level } from '../../../perp/book.ts'

/** A level of a grouped book, with the sums up to it in the base asset (`sum`) and by value (`valueSum`). */
export type SummedLevel = Level & {
  readonly sum: bigint
  readonly value: bigint
  readonly valueSum: bigint
}

/** Combines levels into price steps of `group`. Asks are rounded up and bids down, so that no level looks better than it is. */
export function groupedLevels(
  levels: readonly Level[],
  group: bigint,
  side: 'asks' | 'bids',
): SummedLevel[] {
  const rows: SummedLevel[] = []
  let [sum, valueSum] = [0n, 0n]
  for (const { price, quantity } of levels) {
    const at = levelAt(price, group, side)
    const value = product(price, quantity)
    sum += quantity
    valueSum += value
    const last = rows.at(-1)
    const same = last?.price === at ? last : null
    const row = {
      ...{
        price: at,
        quantity: (same?.quantity ?? 0n) + quantity,
        value: (same?.value ?? 0n) + value,
      },
      ...{ sum, valueSum },
    }
    if (same) rows[rows.length - 1] = row
    else rows.push(row)
  }
  return rows
}

/** The bids' share in the value of both sides; null for an empty book. */
export function buyShare(asks: readonly SummedLevel[], bids: readonly SummedLevel[]) {
  const [sell, buy] = [asks.at(-1)?.valueSum ?? 0n, bids.at(-1)?.valueSum ?? 0n]
  return sell + buy === 0n ? null : quotient(buy, sell + buy, 'half')
}

/** The price of the grouped level that contains a price. */
export function levelAt(price: bigint, group: bigint, side: 'asks' | 'bids'): bigint {
  const below = price - (price % group)
  return side === 'bids' || below === price ? below : below + group
}

/** The offered groupings, as multiples of the tick. */
export const GROUP_MULTIPLES = [1n, 2n, 5n, 10n, 50n, 100n, 1000n] as const
