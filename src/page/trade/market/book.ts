import { divided, times } from '../../common/amounts.ts'
import type { Level } from './rows.ts'

/** A level of a grouped book with everything up to it, in the base asset and by value. */
export type SummedLevel = Level & {
  readonly sum: bigint
  readonly value: bigint
  readonly valueSum: bigint
}

/** Levels in steps of `group`: asks are rounded up and bids down, so that no level looks better than it is. */
export function grouped(
  levels: readonly Level[],
  group: bigint,
  side: 'asks' | 'bids',
): SummedLevel[] {
  const rows: SummedLevel[] = []
  let [sum, valueSum] = [0n, 0n]
  for (const { price, size } of levels) {
    const at = levelAt(price, group, side)
    const value = times(price, size)
    sum += size
    valueSum += value
    const last = rows.at(-1)
    const same = last?.price === at ? last : null
    const row = {
      ...{ price: at, size: (same?.size ?? 0n) + size, value: (same?.value ?? 0n) + value },
      ...{ sum, valueSum },
    }
    if (same) rows[rows.length - 1] = row
    else rows.push(row)
  }
  return rows
}

/** The bids’ part of what both sides offer by value; null for an empty book. */
export function buyShare(asks: readonly SummedLevel[], bids: readonly SummedLevel[]) {
  const [sell, buy] = [asks.at(-1)?.valueSum ?? 0n, bids.at(-1)?.valueSum ?? 0n]
  return sell + buy === 0n ? null : divided(buy, sell + buy, 'half')
}

/** The level of a grouped book that a price is in. */
export function levelAt(price: bigint, group: bigint, side: 'asks' | 'bids'): bigint {
  const below = price - (price % group)
  return side === 'bids' || below === price ? below : below + group
}

/** Levels without an account's own orders there. */
export function withoutOwn(levels: readonly Level[], own: readonly Level[]): readonly Level[] {
  const sizes = new Map<bigint, bigint>()
  for (const { price, size } of own) sizes.set(price, (sizes.get(price) ?? 0n) + size)
  return levels.flatMap(({ price, size }) => {
    const left = size - (sizes.get(price) ?? 0n)
    return left > 0n ? [{ price, size: left }] : []
  })
}

/** The groupings that are offered: multiples of the tick. */
export const GROUP_MULTIPLES = [1n, 2n, 5n, 10n, 50n, 100n, 1000n] as const

/** One point of a depth curve. */
export type DepthPoint = { readonly price: number; readonly bids?: number; readonly asks?: number }

/** The sums of both sides at even steps of price around the middle: a chart that spaces its points evenly is then true. */
export function depthOf(
  { asks, bids }: { readonly asks: readonly Level[]; readonly bids: readonly Level[] },
  toFloat: (value: bigint) => number,
  stepsEachSide = 60,
): DepthPoint[] {
  const [ask, bid] = [asks[0], bids[0]]
  const [farAsk, farBid] = [asks.at(-1), bids.at(-1)]
  if (!ask || !bid || !farAsk || !farBid) return []
  const middle = (ask.price + bid.price) / 2n
  const spans = [farAsk.price - middle, middle - farBid.price]
  const span = spans.reduce((one, other) => (one < other ? one : other))
  const step = span / BigInt(stepsEachSide)
  if (step <= 0n) return []
  const at = (count: number) => middle + step * BigInt(count)
  const counts = Array.from({ length: 2 * stepsEachSide + 1 }, (_, index) => index - stepsEachSide)
  return counts.map((count) => {
    const price = at(count)
    const side =
      count < 0 ? sumTo(bids, (level) => level >= price) : sumTo(asks, (level) => level <= price)
    const sum = toFloat(side)
    if (count === 0) return { price: toFloat(price), bids: 0, asks: 0 }
    return count < 0 ? { price: toFloat(price), bids: sum } : { price: toFloat(price), asks: sum }
  })
}

function sumTo(levels: readonly Level[], isWithin: (price: bigint) => boolean): bigint {
  return levels.reduce((sum, { price, size }) => (isWithin(price) ? sum + size : sum), 0n)
}
