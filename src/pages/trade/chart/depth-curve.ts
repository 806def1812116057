import { amountNumber } from '../../../perp/amounts.ts'
import type { Book, Level } from '../../../perp/book.ts'

/** One point of a depth curve. */
export type DepthPoint = { readonly price: number; readonly bids?: number; readonly asks?: number }

const STEPS_EACH_SIDE = 40n

/**
 * The summed quantity of both sides at equal price steps around the mid price, because the chart spaces its points
 * evenly. Steps and prices are round numbers, for round labels.
 */
export function depthPoints({ asks, bids }: Book): DepthPoint[] {
  const [ask, bid] = [asks[0], bids[0]]
  const [farAsk, farBid] = [asks.at(-1), bids.at(-1)]
  if (!ask || !bid || !farAsk || !farBid) return []
  const middle = (ask.price + bid.price) / 2n
  const spans = [farAsk.price - middle, middle - farBid.price]
  const span = spans.reduce((one, other) => (one < other ? one : other))
  if (span < STEPS_EACH_SIDE) return []
  const step = roundedDown(span / STEPS_EACH_SIDE)
  const from = ((middle + step / 2n) / step) * step
  const most = Number(span / step)
  const counts = Array.from({ length: 2 * most + 1 }, (_, index) => index - most)
  return counts.map((count) => {
    const at = from + step * BigInt(count)
    const price = amountNumber(at)
    if (count === 0) return { price, bids: 0, asks: 0 }
    return count < 0
      ? { price, bids: sumTo(bids, (level) => level >= at) }
      : { price, asks: sumTo(asks, (level) => level <= at) }
  })
}

/** The largest number of the form 1, 2 or 5 × a power of ten that is at most a positive value. */
function roundedDown(value: bigint): bigint {
  const power = 10n ** BigInt(String(value).length - 1)
  return ([5n, 2n].find((times) => times * power <= value) ?? 1n) * power
}

function sumTo(levels: readonly Level[], isWithin: (price: bigint) => boolean): number {
  return amountNumber(
    levels.reduce((sum, { price, quantity }) => (isWithin(price) ? sum + quantity : sum), 0n),
  )
}
